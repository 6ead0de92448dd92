"""Several nodes on one MariaDB: nodes that are killed, stopped and replaced, and workers whose cables are cut."""

import signal
import time

from elastic_case import EACH_SECOND, elastic_job, said
from nodes_case import Node, NodesCase, wall_ms
from notes import LOST, OPEN, Note, boot_us

FINISHED = 2
FAILOVER = "FAILOVER"
TICKS = [f"tick-{number}" for number in range(6)]
LONGS = [f"long-{number}" for number in range(4)]
# Fires of a node that died are late by `cluster.dead_after`, the adoption, and the pace of a busy machine.
LATE_MS = 2500
PACE_MS = 1500


def ticks(cron: str = EACH_SECOND, ms: int = 20) -> str:
    """Short items, one for each of three workers."""
    return "".join(elastic_job(name, 3, {item: f"ms={ms}" for item in range(3)}, cron=cron, failover=True) for name in TICKS)


def longs(ms: int, cron: str, **options: object) -> str:
    given = {"failover": True} | options
    return "".join(elastic_job(name, 3, {item: f"ms={ms}" for item in range(3)}, cron=cron, **given) for name in LONGS)


class NodesTest(NodesCase):
    def begin(self, jobs: str, *nodes: str) -> list:
        """Starts nodes and three workers, all of them linked."""
        self.start_cluster(jobs, *(nodes or ("one", "two")))
        workers = self.start_hosts("a", "b", "c")
        self.wait_for_all_links(workers, TICKS)
        return workers

    def wait_for_longs(self, workers: list, jobs: list[str]) -> list:
        """Waits until all items of the jobs run, and returns their bodies."""
        return workers[0].wait_for(
            lambda: (found := self.open_bodies(workers, jobs)) and len(found) >= 3 * len(jobs) and found, "long items run")

    def end_of_second(self, node: Node) -> int:
        """Lets the present second pass, and returns its end."""
        until = wall_ms() // 1000 * 1000 + 1000
        node.server.wait_for(lambda: wall_ms() >= until + 800, "a second passes")
        return until

    def test_a_killed_node_ends_no_run(self):
        workers = self.begin(ticks() + longs(7000, "0/9 * * * * ?"))
        victim = self.node(self.holder(LONGS[0]))
        other, = self.others(victim)
        taken = self.jobs_by_holder(TICKS + LONGS)[victim.name]
        runs = self.wait_for_longs(workers, [job for job in taken if job in LONGS])
        from_ms = wall_ms()
        self.kill_node(victim)
        other.server.wait_for(lambda: self.holders() == {other.name}, "the other node has all slots")
        self.check_kept(other.server, runs)
        to_ms = self.end_of_second(other)
        self.end(*TICKS, *LONGS)
        for job in TICKS:
            self.check_fires_whole(job, from_ms, to_ms)
            self.check_not_repeated(job)
        for job in LONGS:
            self.check_not_repeated(job)
        late = {job: self.latest_ms(job, from_ms, to_ms) for job in TICKS}
        print(f"  latest fire of the killed node's jobs: {max(late[job] for job in TICKS if job in taken)} ms, of others:"
              f" {max((late[job] for job in TICKS if job not in taken), default=0)} ms", flush=True)
        self.assertLessEqual(max(late.values()), LATE_MS + PACE_MS, late)

    def test_a_killed_node_with_a_thousand_open_runs_repeats_none(self):
        # No fire comes during the test. Items wait at their hosts: the pool of the job runs a few of them at a time.
        crowd = elastic_job("crowd", 1000, {}, cron="0 0 0 1 1 ?", handler="nap", param="ms=100", failover=True)
        self.start_cluster(crowd, "one", "two")
        self.start_hosts("a", "b", "c", capacity=400)
        victim = self.node(self.holder("crowd"))
        other, = self.others(victim)
        self.elastic(other.server, "trigger", "crowd")
        of_crowd = f"SELECT COUNT(*) FROM ej_run WHERE job = {self.job_id('crowd')}"
        victim.server.wait_for(lambda: self.rows(of_crowd)[0][0] >= 1000, "all items are granted")
        killed_us = self.kill_node(victim)
        open_runs = self.rows(f"{of_crowd} AND state = {OPEN}")[0][0]
        print(f"  {open_runs} runs are open", flush=True)
        self.assertGreater(open_runs, 500)
        other.server.wait_for(lambda: self.holders() == {other.name}, "the other node has all slots")
        said("adoption", killed_us, boot_us())
        other.server.wait_for(lambda: self.rows(f"{of_crowd} AND state = {FINISHED}")[0][0] >= 1000, "all runs end")
        found = self.end("crowd")
        # The node may have been killed between a write of grants and its message: such runs have no body, and are granted again.
        self.assertEqual(self.lost_bodies("crowd"), set(), self.account(other.server))
        begun = sorted(note.item for note in found if (note.event, note.job) == ("begin", "crowd"))
        self.assertEqual(begun, list(range(1000)), self.account(other.server))
        self.assertEqual({note.attempt for note in found if note.event == "begin"}, {1})

    def test_a_node_that_stops_hands_its_jobs_over(self):
        workers = self.begin(ticks() + longs(7000, "0/9 * * * * ?"))
        leaver = self.node(self.holder(LONGS[0]))
        other, = self.others(leaver)
        taken = self.jobs_by_holder(TICKS + LONGS)[leaver.name]
        runs = self.wait_for_longs(workers, [job for job in taken if job in LONGS])
        from_ms = wall_ms()
        stopped_us = boot_us()
        leaver.server.signal(signal.SIGTERM)
        other.server.wait_for(lambda: self.holders() == {other.name}, "the other node has all slots")
        said("hand-over of all slots", stopped_us, boot_us())
        self.assertEqual(leaver.server.child.wait(60), 0, leaver.server.text())
        self.check_kept(other.server, runs)
        to_ms = self.end_of_second(other)
        self.end(*TICKS, *LONGS)
        for job in TICKS + LONGS:
            self.check_not_repeated(job)
        for job in TICKS:
            self.check_fires_whole(job, from_ms, to_ms)
        late = max(self.latest_ms(job, from_ms, to_ms) for job in TICKS)
        print(f"  latest fire: {late} ms", flush=True)
        self.assertLessEqual(late, 500 + PACE_MS)

    def test_a_node_that_was_stopped_by_force_does_not_run_items_twice(self):
        workers = self.begin(ticks() + longs(14_000, "0/18 * * * * ?"))
        victim = self.node(self.holder(LONGS[0]))
        other, = self.others(victim)
        taken = self.jobs_by_holder(TICKS + LONGS)[victim.name]
        runs = self.wait_for_longs(workers, [job for job in taken if job in LONGS])
        from_ms = wall_ms()
        with self.stopped(victim):
            other.server.wait_for(lambda: self.holders() == {other.name}, "the other node has all slots")
            other.server.wait_for(lambda: wall_ms() >= from_ms + 10_000, "10 s have passed")
        continued_us = boot_us()
        # It comes back with a new incarnation, and gets its share again.
        other.server.wait_for(lambda: self.holders() == {"one", "two"}, "both nodes have slots")
        said("share of the node that was stopped", continued_us, boot_us())
        self.check_kept(other.server, runs)
        to_ms = self.end_of_second(other)
        self.end(*TICKS, *LONGS)
        for job in TICKS + LONGS:
            self.check_not_repeated(job)
        for job in TICKS:
            self.check_fires_whole(job, from_ms, to_ms)
        late = {job: self.latest_ms(job, from_ms, to_ms) for job in TICKS}
        print(f"  latest fire: {max(late.values())} ms", flush=True)
        self.assertLessEqual(max(late.values()), LATE_MS + PACE_MS, late)

    def test_a_rolling_restart_of_everything_loses_no_fire(self):
        period_ms = 4000
        workers = self.begin(ticks(f"0/{period_ms // 1000} * * * * ?", ms=300))
        began = time.monotonic()
        from_ms = wall_ms()
        for index, old in enumerate(list(workers)):
            self.assertEqual(old.stop(), 0, old.text())
            self.nodes[0].server.wait_for(lambda: self.hosts_up() == 2, "the host has left")
            new, = self.start_hosts(f"{old.name}{index}")
            workers.append(new)
            if index < len(self.nodes):
                node = self.nodes[index]
                self.assertEqual(node.server.stop(), 0, node.server.text())
                self.start_node(node)
                node.server.wait_for(lambda: self.holders() == {"one", "two"}, "both nodes have slots")
        print(f"  two nodes and three workers replaced in {time.monotonic() - began:.1f} s", flush=True)
        self.assertLess(time.monotonic() - began, 60)
        # One more whole fire.
        to_ms = wall_ms() // period_ms * period_ms + period_ms
        self.nodes[0].server.wait_for(lambda: wall_ms() >= to_ms + 1500, "the last fires end")
        found = self.end(*TICKS)
        for job in TICKS:
            self.check_fires_whole(job, from_ms, to_ms, period_ms)
            for at, runs in self.fires(job, from_ms, to_ms).items():
                self.assertEqual(sorted((run.item, run.state) for run in runs), [(item, FINISHED) for item in range(3)],
                                 f"{job}, fire {at}: {self.stored_runs(job)}\n{self.account(self.nodes[0].server)}")
        self.assertFalse([note for note in found if note.event in ("lost", "stopped")])
        print(f"  latest fire: {max(self.latest_ms(job, from_ms, to_ms) for job in TICKS)} ms", flush=True)

    # -- cables

    def begin_behind_relays(self, ms: int) -> tuple:
        self.start_cluster(longs(ms, "0/15 * * * * ?", fence_mode="fast"), "one", "two")
        victim, relays = self.start_behind_relays("cut")
        others = self.start_hosts("a", "b")
        return victim, relays, others

    def body_of(self, worker, jobs: list[str]) -> Note:
        """Waits until a body of one of the jobs has just begun on the worker."""
        def found() -> Note | None:
            fresh = [note for _, note in self.open_bodies([worker], jobs) if boot_us() - note.boot_us < 1_500_000]
            return fresh[0] if fresh else None

        return worker.wait_for(found, f"a body on {worker.name}")

    def test_a_run_goes_on_when_the_cable_to_its_keeper_is_silent(self):
        self.check_cut_from_keeper("silent")

    def test_a_run_goes_on_when_the_cable_from_its_keeper_is_silent(self):
        self.check_cut_from_keeper("half open")

    def test_a_run_goes_on_when_the_link_to_its_keeper_is_closed(self):
        self.check_cut_from_keeper("closed")

    def check_cut_from_keeper(self, how: str) -> None:
        victim, relays, _ = self.begin_behind_relays(8000)
        keeper = self.keeper_of(victim)
        other, = (name for name in relays if name != keeper)
        # A run of a job that the keeper coordinates: its result must go over the other node.
        jobs = self.jobs_by_holder(LONGS)[keeper]
        self.assertTrue(jobs, "no job of the keeper")
        run = self.body_of(victim, jobs)
        cut_us = boot_us()
        relay = relays[keeper]
        if how == "closed":
            relay.cut()
        else:
            relay.stall(to_target=how == "silent")
        server = self.node(other).server
        server.wait_for(lambda: self.keeper_of(victim) == other, "the other node is the keeper")
        said(f"change of the keeper, cable {how}", cut_us, boot_us())
        ended = victim.wait_for(lambda: self.ends_of(victim, run), "the run ends")
        self.assertEqual([note.event for note in ended], ["end"], self.account(server))
        # Its coordinator has no link to the host, and reads the result in the inbox.
        self.wait_for_state(server, run.run, FINISHED)
        said("result over the other node", ended[0].boot_us, boot_us())
        relay.heal()
        self.end(*LONGS)
        self.assertFalse([note for note in self.all_notes() if note.run == run.run and note.source == FAILOVER])
        self.assertEqual(self.rows("SELECT COUNT(*) FROM ej_inbox")[0][0], 0)

    def test_a_worker_that_is_cut_from_all_nodes_is_fenced_and_taken_over(self):
        victim, relays, others = self.begin_behind_relays(10_000)
        run = self.body_of(victim, LONGS)
        lost = {note.run: note for _, note in self.open_bodies([victim], LONGS)}
        cut_us = boot_us()
        for relay in relays.values():
            relay.stall()
        server = self.nodes[0].server

        def taken() -> Note | None:
            return next((note for each in others for note in each.bodies("begin", run.job, run.item)
                         if note.boot_us > cut_us and note.source == FAILOVER), None)

        begun = others[0].wait_for(taken, "the item is taken over")
        said("takeover after the cut", cut_us, begun.boot_us)
        self.assertEqual(begun.attempt, run.attempt + 1)
        self.assertEqual(self.state_of(run.run), LOST)
        fences = [note for note in victim.notes() if note.run == run.run and note.event in ("stopped", "lost")]
        self.assertTrue(fences, "the worker was not fenced before the takeover")
        said("fence after the cut", cut_us, fences[0].boot_us)
        held = [note.boot_us for note in victim.notes() if note.run in lost and note.event in ("mine", "end")]
        self.assertLess(max(held), begun.boot_us)
        for relay in relays.values():
            relay.heal()
        # It enters as a new process of its host, and gets items again.
        healed_us = boot_us()
        victim.wait_for(lambda: any(note.boot_us > healed_us for note in victim.notes() if note.event == "begin"),
                        "an item on the worker again")
        self.broken.add(victim.pid)
        for worker in self.workers:
            self.break_worker(worker, signal.SIGKILL)
        for node in self.nodes:
            self.assertEqual(node.server.stop(), 0, node.server.text())
        self.check_held(server, *LONGS)
