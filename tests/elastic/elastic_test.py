#!/usr/bin/env python3
"""Elastic jobs with real processes: servers, workers that are killed, stopped and started, and a check of their notes.

    elastic_test.py RINGMASTER ELASTIC_WORKER [PART OF A TEST'S NAME…]

The tests assert correctness only; measured times are printed. Limits of times belong to bench/elastic_bench.
"""

import os
import shutil
import signal
import sys
import time
import unittest

import checker_test
import nodes_test
import orders_test
import restored_test
import types_test
from elastic_case import ElasticCase, Hook, Server, Worker, elastic_job, said
from nodes_case import NodesCase
from notes import LOST, OPEN, Note, boot_us, check_fences, check_overlaps

FINISHED, ERROR = 2, 3
NORMAL, MISFIRE, FAILOVER, MANUAL = "NORMAL_TRIGGER", "MISFIRE", "FAILOVER", "MANUAL"


def second_ms() -> int:
    """Returns the begin of the current second."""
    return int(time.time()) * 1000


class ElasticTest(ElasticCase):
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

    def test_a_copy_of_a_data_folder_replaces_the_older_process_while_it_runs(self):
        server = self.start_server(elastic_job("copied", 2, {item: "ms=20" for item in range(2)}))
        older, = self.start_workers("a")
        self.more_begin(older, "copied")
        shutil.copytree(self.folder / "a", self.folder / "b")
        newer = self.start_worker("b")
        self.more_begin(newer, "copied")
        for said_by, words in ((older, "uses the address"), (server, "the link of another process")):
            said_by.wait_for(lambda who=said_by, text=words: text in who.text() and "its own data folder" in who.text(),
                             "a line about the two processes")
        begun = len(older.bodies("begin", "copied"))
        self.more_begin(newer, "copied", 6)
        self.assertEqual(len(older.bodies("begin", "copied")), begun)
        # Neither cuts the other's link again.
        self.assertEqual(newer.text().count("] native link to"), 1, newer.text())
        self.assertEqual(newer.stop(), 0, newer.text())
        self.more_begin(older, "copied")
        self.stop_all(server, "copied")

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

    def test_a_failed_item_is_told_to_a_webhook(self):
        by_node, by_host = Hook(self), Hook(self)

        def job(name: str, hook: Hook, **props: str) -> str:
            pairs = ", ".join(f'"{key}" = "{value}"' for key, value in ({"webhook.url": hook.url} | props).items())
            options = {"handler": "fail", "error_handler": "WEBHOOK"}
            return elastic_job(name, 2, {}, **options) + f"props = {{ {pairs} }}\n"

        server = self.start_server(job("told", by_node) + job("near", by_host, **{"error.notify": "host"}),
                                   "--set", "elastic.error_targets=127.0.0.1")
        worker, = self.start_workers("a", error_target="127.0.0.1")
        server.wait_for(lambda: by_node.bodies and by_host.bodies, "both messages arrive")
        for name, hook in (("told", by_node), ("near", by_host)):
            body = hook.bodies[0]
            self.assertEqual((body["job"], body["kind"], body["content"]), (name, "failure", "no stock"), body)
            self.assertIn(self.state_of(body["log_id"]), (ERROR, OPEN), body)
        # Both jobs fail twice each second, and each has one message in a minute.
        worker.wait_for(lambda: len(worker.bodies("begin", "told")) >= 8, "more failures")
        self.assertEqual((len(by_node.bodies), len(by_host.bodies)), (1, 1))
        self.assertNotIn("/hook", server.text() + worker.text())
        self.stop_all(server, "told", "near")

    def test_more_triggered_jobs_than_slots_run_in_turn(self):
        # Their runs are shorter than the time between two heartbeats, which show no change.
        names = [f"short-{number}" for number in range(8)]
        server = self.start_server("".join(elastic_job(name, 1, {0: "ms=10"}, cron="0 0 0 1 1 ?") for name in names))
        worker, = self.start_workers("a", capacity=2)
        for name in names * 3:
            self.elastic(server, "trigger", name)
        server.wait_for(lambda: all(len(worker.bodies("end", name)) >= 3 for name in names), "all requests run")
        self.stop_all(server, *names)

    def test_refusals_of_several_hosts_pause(self):
        server = self.start_server(elastic_job("lost-pool", 1, {}, cron="0 0 0 1 1 ?", pool="nowhere"))
        self.start_workers("a", "b")
        self.elastic(server, "trigger", "lost-pool")
        server.wait_for(lambda: len(self.stored_runs("lost-pool")) >= 3, "both hosts refuse, and one of them again")
        since = [at for at, in self.rows(f"SELECT granted_ms FROM ej_run WHERE job = {self.job_id('lost-pool')} ORDER BY id")]
        self.assertGreaterEqual(since[2] - since[1], 1000)
        self.stop_all(server, "lost-pool")

    def test_a_pool_of_one_thread_runs_one_item_at_a_time(self):
        items = {item: "ms=100" for item in range(4)}
        server = self.start_server(elastic_job("single", 4, items, cron="0/2 * * * * ?", pool="SINGLE_THREAD"))
        worker, = self.start_workers("a")
        self.more_begin(worker, "single", 8)
        self.stop_all(server, "single")
        spans = sorted((note.boot_us, note.event) for note in worker.notes() if note.event in ("begin", "end"))
        self.assertEqual([event for _, event in spans], ["begin", "end"] * (len(spans) // 2))

    def steps(self, event: str, item: int, runs: set[int] | None = None) -> list[int]:
        """Returns the numbers of the steps of a stream by their moments; of these runs only."""
        return [int(note.event.partition("=")[2]) for note in self.all_notes()
                if note.event.startswith(f"{event}=") and note.item == item and (runs is None or note.run in runs)]

    def begun_on(self, worker: Worker, item: int, since_us: int) -> Note:
        """Waits until a stream runs on the worker, and has stored steps there."""
        def found():
            return next((note for note in worker.bodies("begin", "flow", item) if note.boot_us > since_us
                         and len(self.steps("stored", item, {note.run})) > 3), None)

        return worker.wait_for(found, f"item {item} goes on, on {worker.name}")

    def test_a_stream_goes_on_from_its_cursor(self):
        # No fire comes during the test: streams begin by a request, and go on without one.
        server = self.start_server(elastic_job("flow", 2, {0: "tick_ms=10", 1: "tick_ms=10"}, cron="0 0 0 1 1 ?",
                                               handler="stream", type="dataflow", streaming=True, failover=True))
        first, = self.start_workers("a")
        self.elastic(server, "trigger", "flow")
        began = {item: self.begun_on(first, item, 0) for item in (0, 1)}
        self.assertEqual({note.source for note in began.values()}, {MANUAL})

        # A worker that comes gets one of the two items, at once and after the last stored step.
        joined_us = boot_us()
        second, = self.start_workers("b")
        second.wait_for(lambda: second.bodies("begin", "flow"), "a stream on the worker that came")
        moved = self.begun_on(second, second.bodies("begin", "flow")[0].item, joined_us)
        said("stream on the worker that came", joined_us, moved.boot_us)
        item = moved.item
        self.assertEqual((moved.source, moved.attempt), (MANUAL, 1), moved)
        self.wait_for_state(server, began[item].run, FINISHED)
        stored = self.steps("stored", item, {began[item].run})
        self.assertEqual(self.steps("step", item, {began[item].run}), stored, "it ended between two steps")
        self.assertEqual(self.steps("step", item, {moved.run})[0], stored[-1] + 1)
        all_stored = self.steps("stored", item)
        self.assertEqual(all_stored, list(range(1, len(all_stored) + 1)))

        # The worker dies: its last step may be stored although it had no time to note that.
        killed_us = self.break_worker(second, signal.SIGKILL)
        taken = self.begun_on(first, item, killed_us)
        said("stream after kill -9", killed_us, taken.boot_us)
        self.assertEqual((taken.source, taken.attempt), (FAILOVER, 2), taken)
        self.assertGreater(taken.fence, moved.fence)
        self.assertEqual(self.state_of(moved.run), LOST)
        last_begun = self.steps("step", item, {moved.run})[-1]
        last_stored = self.steps("stored", item, {moved.run})[-1]
        self.assertIn(self.steps("step", item, {taken.run})[0], {last_stored + 1, last_begun + 1})

        # The other stream was never disturbed.
        self.assertEqual(self.state_of(began[1 - item].run), OPEN)

        # A worker that stops gives its stream back after the last stored step.
        third, = self.start_workers("c")
        third.wait_for(lambda: third.bodies("begin", "flow"), "a stream on the third worker")
        given = self.begun_on(third, third.bodies("begin", "flow")[0].item, 0)
        stopped_us = boot_us()
        self.assertEqual(third.stop(), 0, third.text())
        back = self.begun_on(first, given.item, stopped_us)
        said("stream after a stop", stopped_us, back.boot_us)
        self.assertEqual(back.attempt, given.attempt, back)
        self.assertEqual(self.state_of(given.run), FINISHED)
        self.assertEqual(self.steps("step", given.item, {back.run})[0], self.steps("stored", given.item, {given.run})[-1] + 1)
        self.break_worker(first, signal.SIGKILL)
        self.assertEqual(server.stop(), 0, server.text())
        for each in (0, 1):
            stored = self.steps("stored", each)
            self.assertEqual(stored, sorted(set(stored)), "no stored step is repeated")
        found = self.all_notes()
        self.assertEqual([*check_overlaps(found), *check_fences(found)], [], self.account(server))

    def hook_calls(self, event: str, job: str) -> list[Note]:
        """Returns these calls of the once-listener by all workers, by their moments."""
        return [note for note in self.all_notes() if (note.event, note.job) == (event, job)]

    def end_fires(self, server: Server, job: str) -> None:
        """Disables the job, and waits until its fires have ended."""
        self.elastic(server, "disable", job)
        id = self.job_id(job)
        server.wait_for(lambda: not self.stored_runs(job, f"AND state = {OPEN}")
                        and not self.rows(f"SELECT 1 FROM ej_fire WHERE job = {id} AND state IN (1, 2, 3, 4)"), "its fires end")

    def test_listeners_are_called_around_the_items_of_each_fire(self):
        items = {item: "ms=50" for item in range(3)}
        server = self.start_server(elastic_job("heard", 3, items, listeners="trace", once_listeners="audit"))
        workers = self.start_workers("a", "b")
        for worker in workers:
            self.more_begin(worker, "heard", 1)
        from_ms = second_ms() + 1000
        server.wait_for(lambda: len(self.hook_calls("after_all", "heard")) >= 6, "six calls after all items")
        to_ms = second_ms()
        self.end_fires(server, "heard")
        found = self.stop_all(server, "heard")
        self.assert_each_fire_whole("heard", from_ms, to_ms, {-2, -1, 0, 1, 2})
        begun = {note.run: note for note in found if note.event in ("begin", "before_all", "after_all")}
        ended = {note.run: note for note in found if note.event == "end"}
        for at, runs in self.fires("heard", from_ms, to_ms).items():
            moment = {run.item: begun[run.run].boot_us for run in runs}
            for run in runs:
                if run.item >= 0:
                    self.assertGreater(moment[run.item], moment[-1], f"fire {at}: an item began before the first hook")
                    self.assertLess(ended[run.run].boot_us, moment[-2], f"fire {at}: an item ended after the last hook")
        # One batch for each fire on each worker.
        for worker in workers:
            fires = {run.fire for run in self.stored_runs("heard") if run.item >= 0 and begun[run.run].pid == worker.pid}
            calls = [note.event for note in worker.notes() if note.event in ("before", "after")]
            self.assertEqual((calls.count("before"), calls.count("after")), (len(fires), len(fires)))

    def test_the_hook_of_a_killed_worker_is_repeated_before_any_item_begins(self):
        items = {item: "ms=50" for item in range(2)}
        server = self.start_server(elastic_job("resumed", 2, items, cron="0/4 * * * * ?", once_listeners="audit", failover=True,
                                               param="hook_ms=1500"))
        workers = self.start_workers("a", "b")
        server.wait_for(lambda: self.hook_calls("before_all", "resumed"), "the first hook begins")
        first = self.hook_calls("before_all", "resumed")[0]
        victim = next(worker for worker in workers if worker.pid == first.pid)
        other = next(worker for worker in workers if worker is not victim)
        killed_us = self.break_worker(victim, signal.SIGKILL)
        other.wait_for(lambda: other.bodies("before_all", "resumed"), "the hook is repeated")
        again = other.bodies("before_all", "resumed")[0]
        said("takeover of a hook after kill -9", killed_us, again.boot_us)
        self.assertEqual(self.state_of(first.run), LOST)
        self.assertGreater(again.fence, first.fence)
        other.wait_for(lambda: self.items_of(other, "resumed") == {0, 1}, "both items run")
        begun = self.events("begin", "resumed", 0) + self.events("begin", "resumed", 1)
        self.assertGreaterEqual(min(note.boot_us for note in begun), again.boot_us + 1_500_000)
        other.wait_for(lambda: other.bodies("after_all", "resumed"), "the hook after all items")
        self.end_fires(server, "resumed")
        self.stop_all(server, "resumed")
        fire = next(run.fire for run in self.stored_runs("resumed") if run.run == first.run)
        hooks = sorted((run.item, run.state) for run in self.stored_runs("resumed") if run.fire == fire and run.item < 0)
        self.assertEqual(hooks, [(-2, FINISHED), (-1, FINISHED), (-1, LOST)])


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ElasticCase.binary, ElasticCase.worker_binary = (os.path.abspath(path) for path in sys.argv[1:3])
    tests = unittest.TestSuite()
    for module in (checker_test, types_test, sys.modules[__name__], orders_test, nodes_test,
                   restored_test):
        for test in unittest.defaultTestLoader.loadTestsFromModule(module):
            tests.addTests(each for each in test if all(word in each.id() for word in sys.argv[3:]))
    try:
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    finally:
        NodesCase.shared.close()
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
