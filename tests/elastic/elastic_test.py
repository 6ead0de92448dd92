#!/usr/bin/env python3
"""Elastic jobs with real processes: a server on SQLite, workers that are killed, stopped and started, and a check of their notes.

    elastic_test.py RINGMASTER ELASTIC_WORKER [PART OF A TEST'S NAME…]

The tests assert correctness only; measured times are printed. Limits of times belong to bench/elastic_bench.
"""

import os
import signal
import sys
import time
import unittest

import checker_test
from elastic_case import DEADLINE_S, ElasticCase, Worker, elastic_job, said
from notes import LOST, OPEN, Note, boot_us

FINISHED = 2
NORMAL, MISFIRE, FAILOVER = "NORMAL_TRIGGER", "MISFIRE", "FAILOVER"


def second_ms() -> int:
    """Returns the begin of the current second."""
    return int(time.time()) * 1000


class ElasticTest(ElasticCase):
    def items_of(self, worker: Worker, job: str, since_us: int = 0) -> set[int]:
        return {note.item for note in worker.bodies("begin", job) if note.boot_us >= since_us}

    def assert_each_fire_whole(self, job: str, from_ms: int, to_ms: int, items: set[int]) -> None:
        """Checks that each second of [from, to) has one fire, in which each of the items has run once and successfully."""
        fires = self.fires(job, from_ms, to_ms)
        self.assertEqual(sorted(fires), list(range(from_ms, to_ms, 1000)))
        for at, runs in fires.items():
            seen = sorted((run.item, run.state) for run in runs if run.item in items)
            self.assertEqual(seen, [(item, FINISHED) for item in sorted(items)], f"fire {at}")

    def taken_over(self, job: str, lost: Note, by: list[Worker], since_us: int) -> tuple[Worker, Note]:
        """Waits for the takeover of a run, and checks it."""
        def found():
            return next(((worker, note) for worker in by for note in worker.bodies("begin", job, lost.item)
                         if note.boot_us > since_us), None)

        worker, note = by[0].wait_for(found, f"item {lost.item} is taken over")
        self.assertEqual((note.source, note.attempt), (FAILOVER, lost.attempt + 1), note)
        self.assertGreater(note.fence, lost.fence)
        self.assertEqual(self.state_of(lost.run), LOST)
        return worker, note

    def test_items_are_spread_and_each_runs_once_in_a_fire(self):
        server = self.start_server(elastic_job("even", 3, {0: "ms=50", 1: "ms=50", 2: "ms=50"}))
        workers = self.start_workers("a", "b")
        # The first fire after the plan with both workers.
        for worker in workers:
            self.more_begin(worker, "even", 1)
        since_us, from_ms = boot_us(), second_ms() + 1000
        self.more_begin(workers[0], "even", 6)
        to_ms = second_ms()
        server.wait_for(lambda: not self.stored_runs("even", f"AND fire_ms < {to_ms} AND state = {OPEN}"), "these fires end")
        # AVG_ALLOCATION: the host that is first by its name in descending order gets the rest, too.
        first, second = sorted(workers, key=lambda worker: str(worker.pid), reverse=True)
        self.assertEqual(self.items_of(first, "even", since_us), {0, 2})
        self.assertEqual(self.items_of(second, "even", since_us), {1})
        found = self.stop_all(server, "even")
        self.assert_each_fire_whole("even", from_ms, to_ms, {0, 1, 2})
        self.assertFalse([note for note in found if note.event in ("lost", "stopped")])

    def test_an_item_of_a_killed_worker_is_taken_over(self):
        items = {item: "ms=60000 again_ms=50" for item in range(2)}
        server = self.start_server(elastic_job("fallen", 2, items, failover=True))
        workers = self.start_workers("a", "b")
        victim, lost = self.running_on(workers, "fallen", 0)
        others = [worker for worker in workers if worker is not victim]
        killed_us = self.break_worker(victim, signal.SIGKILL)
        worker, taken = self.taken_over("fallen", lost, others, killed_us)
        said("takeover after kill -9", killed_us, taken.boot_us)
        self.wait_for_state(server, taken.run, FINISHED)
        # The next fire is an ordinary one, with the first attempt.
        worker.wait_for(lambda: len(worker.bodies("begin", "fallen", 0)) > 1, "the next fire of the item")
        after = worker.bodies("begin", "fallen", 0)[1]
        self.assertEqual(after.attempt, 1, after)
        self.assertIn(after.source, (NORMAL, MISFIRE))
        # Its long runs would outlast a drain.
        self.break_worker(worker, signal.SIGKILL)
        self.assertEqual(server.stop(), 0, server.text())
        self.check_held(server, "fallen")

    def test_a_worker_that_comes_gets_items_from_the_next_fire_on(self):
        server = self.start_server(elastic_job("joined", 4, {item: "ms=50" for item in range(3)} | {3: "ms=3500"}))
        first, = self.start_workers("a")
        owner, long_run = self.running_on([first], "joined", 3)
        second, = self.start_workers("b")
        # The fire after the next one at the latest has a plan with both.
        joined_us, from_ms = boot_us(), second_ms() + 2000
        second.wait_for(lambda: second.bodies("begin", "joined"), "an item on the worker that came")
        said("first item on the worker that came", joined_us, second.bodies("begin", "joined")[0].boot_us)
        # The long run keeps its host, and does not hold up the others.
        self.wait_for_state(server, long_run.run, FINISHED)
        self.assertIn(long_run.run, {note.run for note in owner.bodies("end", "joined", 3)})
        since_us = boot_us()
        self.more_begin(second, "joined", 8)
        self.assertEqual(self.items_of(first, "joined", since_us) & self.items_of(second, "joined", since_us), set())
        to_ms = second_ms()
        server.wait_for(lambda: not self.stored_runs("joined", f"AND item < 3 AND fire_ms < {to_ms} AND state = {OPEN}"),
                        "these fires end")
        found = self.stop_all(server, "joined")
        self.assert_each_fire_whole("joined", from_ms, to_ms, {0, 1, 2})
        by_second = {note.run for note in second.bodies("begin", "joined")}
        for at, runs in self.fires("joined", from_ms, to_ms).items():
            self.assertTrue(by_second & {run.run for run in runs}, f"fire {at} is not shared")
        self.assertFalse([note for note in found if note.event in ("lost", "stopped")])
        self.assertEqual(self.lost_bodies("joined"), set())

    def test_a_worker_that_leaves_ends_its_items_first(self):
        server = self.start_server(elastic_job("left", 4, {item: "ms=1500" for item in range(4)}, failover=True))
        stays, leaves = self.start_workers("a", "b")
        leaves.wait_for(lambda: any(leaves.running("left", item) for item in range(4)), "an item on the worker")
        leaving_us = boot_us()
        self.assertEqual(leaves.stop(), 0, leaves.text())
        said("drain", leaving_us, boot_us())
        begun = {note.run for note in leaves.bodies("begin", "left")}
        self.assertEqual(begun, {note.run for note in leaves.bodies("end", "left")}, leaves.text())
        self.assertEqual({self.state_of(run) for run in begun}, {FINISHED})
        # The other worker has all items from then on.
        since_us = boot_us()
        stays.wait_for(lambda: self.items_of(stays, "left", since_us) == {0, 1, 2, 3}, "all items on the other worker")
        self.stop_all(server, "left")
        self.assertEqual(self.lost_bodies("left"), set())

    def test_a_run_survives_a_kill_of_the_server(self):
        declared = elastic_job("kept", 2, {0: "ms=6000", 1: "ms=50"}, failover=True, fence_mode="orphan")
        server = self.start_server(declared)
        workers = self.start_workers("a", "b")
        owner, run = self.running_on(workers, "kept", 0)
        self.kill_server(server)
        killed_us = boot_us()
        server = self.start_server(declared)
        owner.wait_for(lambda: any(note.run == run.run for note in owner.bodies("end", "kept", 0)), "the run ends")
        self.wait_for_state(server, run.run, FINISHED)
        # Both workers are hosts again, and the job fires.
        for item in (0, 1):
            def fires_again(wanted: int = item) -> bool:
                return any(wanted in self.items_of(worker, "kept", killed_us) for worker in workers)

            server.wait_for(fires_again, f"item {item} runs again")
        found = self.stop_all(server, "kept")
        self.assertFalse([note for note in found if note.event in ("lost", "stopped")])
        self.assertEqual(self.lost_bodies("kept"), set())

    def test_a_stopped_worker_fences_itself(self):
        items = {item: "ms=30000 again_ms=50 tick_ms=5" for item in range(2)}
        short = elastic_job("beat", 4, {}, handler="quick")
        server = self.start_server(elastic_job("fenced", 2, items, failover=True, fence_mode="fast") + short)
        workers = self.start_workers("a", "b")
        victim, lost = self.running_on(workers, "fenced", 0)
        others = [worker for worker in workers if worker is not victim]
        stopped_us = self.break_worker(victim, signal.SIGSTOP)
        worker, taken = self.taken_over("fenced", lost, others, stopped_us)
        said("takeover after SIGSTOP", stopped_us, taken.boot_us)
        worker.wait_for(lambda: boot_us() >= stopped_us + 3_000_000, "3 s have passed")
        continued_us = boot_us()
        victim.signal(signal.SIGCONT)

        def fenced() -> list[Note]:
            return [note for note in victim.notes() if note.run == lost.run and note.event in ("lost", "stopped")]

        victim.wait_for(fenced, "the stopped worker fences its run")
        said("fence after SIGCONT", continued_us, fenced()[0].boot_us)
        held = [note for note in victim.notes() if note.run == lost.run and note.event in ("mine", "end")]
        self.assertFalse([note for note in held if note.boot_us >= taken.boot_us], "the stopped worker held its item")
        # It comes back as a new process of its host, and gets items again.
        victim.wait_for(lambda: self.items_of(victim, "beat", continued_us), "an item on the worker that was stopped")
        for each in workers:
            self.break_worker(each, signal.SIGKILL)
        self.assertEqual(server.stop(), 0, server.text())
        self.check_held(server, "fenced", "beat")

    def test_a_slow_item_holds_up_no_other_and_is_compensated(self):
        # Item 0 takes one and a half periods.
        period_us, takes_us = 2_000_000, 3_000_000
        job = elastic_job("slow", 3, {0: "ms=3000", 1: "ms=20", 2: "ms=20"}, cron="0/2 * * * * ?", misfire=True)
        server = self.start_server(job)
        workers = self.start_workers("a", "b")
        self.running_on(workers, "slow", 0)
        from_ms = second_ms() // 2000 * 2000 + 2000
        server.wait_for(lambda: len(self.events("end", "slow", 0)) >= 3, "three ends of the slow item")
        ends = self.events("end", "slow", 0)[:3]
        server.wait_for(lambda: self.events("begin", "slow", 0)[-1].boot_us > ends[-1].boot_us, "its next run")
        to_ms = second_ms() // 2000 * 2000
        self.stop_all(server, "slow")
        fires = self.fires("slow", from_ms, to_ms)
        self.assertEqual(sorted(fires), list(range(from_ms, to_ms, 2000)))
        for at, runs in fires.items():
            seen = sorted((run.item, run.state) for run in runs if run.item > 0)
            self.assertEqual(seen, [(1, FINISHED), (2, FINISHED)], f"fire {at}")
        compensated = 0
        for end in ends:
            # A fire that has passed while the item ran is compensated before the next one, which must not be too near for that.
            has_missed = (end.wall_us - takes_us) // period_us < end.wall_us // period_us
            if has_missed and end.wall_us % period_us < period_us - 800_000:
                after = next(note for note in self.events("begin", "slow", 0) if note.boot_us > end.boot_us)
                self.assertEqual(after.source, MISFIRE, after)
                self.assertEqual(after.wall_us // period_us, end.wall_us // period_us, "it waited for the next fire")
                said("compensation after the end of the overrun", end.boot_us, after.boot_us)
                compensated += 1
        self.assertGreater(compensated, 0)
        self.assertEqual(self.lost_bodies("slow"), set())

    def test_a_disabled_job_stays_disabled_after_a_restart(self):
        declared = elastic_job("off", 2, {0: "ms=1", 1: "ms=1"}) + elastic_job("on", 1, {0: "ms=1"})
        server = self.start_server(declared)
        worker, = self.start_workers("a")
        self.more_begin(worker, "off", 4)
        self.elastic(server, "disable", "off")
        server.wait_for(lambda: not self.stored_runs("off", f"AND state = {OPEN}"), "its last runs end")
        self.more_begin(worker, "on")
        begun = len(worker.bodies("begin", "off"))
        self.more_begin(worker, "on")
        self.assertEqual(len(worker.bodies("begin", "off")), begun)
        # The file still declares it as enabled: an operator's decision is not changed by a start.
        for end in (signal.SIGTERM, signal.SIGKILL):
            server.signal(end)
            server.child.wait(DEADLINE_S)
            server = self.start_server(declared)
            self.more_begin(worker, "on")
            self.assertEqual(len(worker.bodies("begin", "off")), begun)
        self.elastic(server, "enable", "off")
        self.more_begin(worker, "off", 4)
        self.stop_all(server, "off", "on")


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ElasticCase.binary, ElasticCase.worker_binary = (os.path.abspath(path) for path in sys.argv[1:3])
    tests = unittest.TestSuite()
    for module in (checker_test, sys.modules[__name__]):
        for test in unittest.defaultTestLoader.loadTestsFromModule(module):
            tests.addTests(each for each in test if all(word in each.id() for word in sys.argv[3:]))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
