"""Orders of operators to elastic jobs: disable and enable, cancel, restart, drain."""

import signal

from elastic_case import DEADLINE_S, ElasticCase, elastic_job, said
from notes import OPEN, boot_us

FINISHED, KILLED = 2, 5


class OrdersTest(ElasticCase):
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

    def test_a_cancelled_run_ends_as_killed(self):
        server = self.start_server(elastic_job("long", 2, {0: "ms=60000", 1: "ms=20"}))
        worker, = self.start_workers("a")
        _, run = self.running_on([worker], "long", 0)
        asked_us = boot_us()
        self.elastic(server, "cancel", str(run.run))
        self.wait_for_state(server, run.run, KILLED)
        said("end of a cancelled run", asked_us, boot_us())
        self.assertTrue([note for note in worker.notes() if note.run == run.run and note.event == "stopped"], worker.text())
        # The cancel names one run: the next one goes on, and so do the other items.
        worker.wait_for(lambda: (again := worker.running("long", 0)) and again.run != run.run, "the next run of the item")
        self.more_begin(worker, "long")
        self.elastic(server, "restart", "long")
        killed = f"AND item = 0 AND state = {KILLED}"
        server.wait_for(lambda: len(self.stored_runs("long", killed)) >= 2, "the restart cancels it")
        # Its next run would outlast a drain.
        self.break_worker(worker, signal.SIGKILL)
        self.assertEqual(server.stop(), 0, server.text())
        self.check_held(server, "long")

    def test_a_disabled_host_ends_its_run_and_gets_no_other(self):
        server = self.start_server(elastic_job("moved", 2, {0: "ms=2500", 1: "ms=2500"}))
        workers = self.start_workers("a", "b")
        for worker in workers:
            self.more_begin(worker, "moved", 1)
        victim, run = self.running_on(workers, "moved", 0)
        other, = [worker for worker in workers if worker is not victim]
        host = self.rows(f"SELECT n.id FROM ej_node n JOIN ej_run r ON r.host = n.num WHERE r.id = {run.run}")[0][0]
        self.elastic(server, "host", "disable", host)
        # Its run ends by itself, and all items go to the other one.
        self.wait_for_state(server, run.run, FINISHED)
        other.wait_for(lambda: {0, 1} <= self.items_of(other, "moved", run.boot_us), "all items on the other worker")
        begun = len(victim.bodies("begin", "moved"))
        self.more_begin(other, "moved", 4)
        self.assertEqual(len(victim.bodies("begin", "moved")), begun)
        self.elastic(server, "host", "enable", host)
        self.more_begin(victim, "moved", 1)
        self.elastic(server, "disable", "moved", "--host", host)
        server.wait_for(lambda: not any(victim.running("moved", item) for item in (0, 1)), "its last run ends")
        begun = len(victim.bodies("begin", "moved"))
        self.more_begin(other, "moved", 4)
        self.assertLessEqual(len(victim.bodies("begin", "moved")), begun + 1)
        found = self.stop_all(server, "moved")
        self.assertFalse([note for note in found if note.event in ("lost", "stopped")])
        self.assertEqual(self.lost_bodies("moved"), set())

    def test_a_drained_job_starts_nothing_until_it_is_enabled(self):
        server = self.start_server(elastic_job("drained", 2, {0: "ms=50", 1: "ms=50"}) + elastic_job("on", 1, {0: "ms=1"}))
        worker, = self.start_workers("a")
        self.more_begin(worker, "drained", 2)
        self.elastic(server, "drain", "drained")
        server.wait_for(lambda: not self.stored_runs("drained", f"AND state = {OPEN}"), "its last runs end")
        self.more_begin(worker, "on", 2)
        begun = len(worker.bodies("begin", "drained"))
        self.more_begin(worker, "on", 2)
        self.assertEqual(len(worker.bodies("begin", "drained")), begun)
        self.elastic(server, "enable", "drained")
        self.more_begin(worker, "drained", 2)
        self.stop_all(server, "drained", "on")
