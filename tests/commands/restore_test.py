"""SQLite files that are deleted, replaced or restored; run ids that must not be reused; times after a wrong clock."""

import contextlib
import json
import signal
import sqlite3
import time
import urllib.error
import urllib.request

from command_case import DEADLINE_S, JOBS, Case, job
from mariadb_case import MariadbCase
from stub_executor import StubExecutor

FAR_MS = 10 * 24 * 3600 * 1000


class Receiver(StubExecutor):
    """Accepts runs and never reports a result."""

    def __init__(self, case: Case):
        self.seen: list[dict] = []
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict:
        if path.endswith("run"):
            self.seen.append(asked)
        return {"code": 200}


class FileCase(Case):
    def setUp(self):
        super().setUp()
        self.file = self.data / "ringmaster.db"
        self.executor = Receiver(self)

    def serve(self, *arguments: str):
        jobs = (f'[[group]]\napp_name = "pay-worker"\naddresses = ["{self.executor.address}"]\n'
                + job("often", "interval_ms = 200"))
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', jobs)}", *arguments)
        server.wait_until_ready()
        return server

    def ids(self) -> list[int]:
        return [run["logId"] for run in self.executor.seen]

    def wait_for_runs(self, server, more: int) -> None:
        wanted = len(self.executor.seen) + more
        server.wait_for(lambda: len(self.executor.seen) >= wanted, f"{more} more runs")

    def reasons(self, server) -> str:
        try:
            with urllib.request.urlopen(server.address() + "/readyz", timeout=DEADLINE_S) as reply:
                return reply.read().decode()
        except urllib.error.HTTPError as refused:
            return f"{refused.code} {refused.read().decode()}"


class DeletedTest(FileCase):
    def test_a_deleted_file_stops_the_server_from_writing(self):
        server = self.serve()
        self.wait_for_runs(server, 3)
        began = time.monotonic()
        for path in list(self.data.glob("ringmaster.db*")):
            if not path.name.endswith("-lock"):
                path.unlink()
        server.wait_for_line("was deleted or replaced while it was open")
        self.assertLess(time.monotonic() - began, 10)
        server.wait_for(lambda: "was deleted or replaced" in self.reasons(server), "the reason in /readyz")
        self.assertTrue(self.reasons(server).startswith("503 "))
        seen = len(self.executor.seen)
        time_of_four_firings = 0.8
        end = time.monotonic() + time_of_four_firings
        server.wait_for(lambda: time.monotonic() > end, "time goes on")
        self.assertLessEqual(len(self.executor.seen), seen + 1)
        self.assertEqual(server.stop(), 0)
        self.assertNotRegex(server.text(), r"could not be closed: \d+\(")
        self.assertFalse(self.file.exists())
        # A new file is created only on request.
        again = self.start()
        self.assertEqual(again.child.wait(DEADLINE_S), 1)
        self.assertIn(f"ringmaster: the database {self.file} is missing, but a server with the data folder {self.data} had one "
                      "(database-marks exists): put the file back or restore a backup; "
                      "`ringmaster serve --new-database` starts with an empty one", again.text())
        self.assertFalse(self.file.exists())
        fresh = self.serve("--new-database")
        highest = max(self.ids())
        self.wait_for_runs(fresh, 2)
        self.assertEqual(fresh.stop(), 0)
        self.assertGreater(self.ids()[-1], highest)
        self.assertEqual(len(set(self.ids())), len(self.ids()))

    def test_a_file_that_is_replaced_is_noticed_and_kept(self):
        server = self.serve()
        self.wait_for_runs(server, 3)
        copy = self.folder / "copy.db"
        self.backup(copy)
        copy.rename(self.file)
        server.wait_for_line("was deleted or replaced while it was open")
        rows = self.rows("SELECT count(*) FROM xxl_job_log")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.rows("SELECT count(*) FROM xxl_job_log"), rows)

    def test_an_older_folder_without_its_database(self):
        self.data.mkdir()
        (self.data / "node-id").write_text("some-node\n")
        server = self.start()
        self.assertEqual(server.child.wait(DEADLINE_S), 1)
        self.assertIn("(node-id exists)", server.text())
        # The check before a start says what the start says.
        result = self.run_it("doctor", "--json")
        found = {each["check"]: each for each in json.loads(result.out)}
        self.assertEqual((result.code, found["database"]["status"]), (1, "fail"), result)
        self.assertIn("(node-id exists): put the file back or restore a backup", found["database"]["detail"])
        self.assertIn(found["database"]["detail"], server.text())
        self.assertEqual([path.name for path in self.data.iterdir()], ["node-id"])


class RestoredTest(FileCase):
    def test_run_ids_of_a_restored_database_do_not_come_again(self):
        server = self.serve()
        self.wait_for_runs(server, 3)
        copy = self.folder / "copy.db"
        self.backup(copy)
        self.wait_for_runs(server, 10)
        self.assertEqual(server.stop(), 0)
        lives = self.rows("SELECT incarnation FROM rm_node")[0][0]
        self.assertEqual(self.ages(), [])
        highest = self.rows("SELECT max(id) FROM xxl_job_log")[0][0]
        self.restore(copy)
        self.assertRegex(" ".join(self.ages()), rf"\Awarn: the database is older than it was: its next run id is \d+, but this "
                                                rf"node has seen run {highest} .* start above {highest}\Z")
        server = self.serve()
        server.wait_for_line("warning +.*the database is older than it was: it would give run ids a second time")
        self.wait_for_runs(server, 5)
        self.assertIn("ringmaster_database_set_back_total 1", self.metrics(server))
        # Once the ids are raised, the warning is about the start that found it.
        self.assertRegex(" ".join(self.ages()), rf"\Awarn: the database was older than before when this node started at .*, "
                                                rf"new run ids start above {highest}; runs in between have no rows\Z")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(len(set(self.ids())), len(self.ids()))
        self.assertGreater(self.rows("SELECT incarnation FROM rm_node")[0][0], lives)
        # Each run that the server knows was executed once, or its row gives the reason.
        rows = self.rows("SELECT id, trigger_code FROM xxl_job_log")
        for run, triggered in rows:
            self.assertTrue(triggered not in (0, 200) or self.ids().count(run) == 1, (run, triggered))

    def ages(self) -> list[str]:
        found = json.loads(self.run_it("doctor", "--json").out)
        return [f"{each['status']}: {each['detail']}" for each in found if each["check"] == "database age"]

    def metrics(self, server) -> str:
        with urllib.request.urlopen(server.address() + "/metrics", timeout=DEADLINE_S) as reply:
            return reply.read().decode()

    def test_an_orderly_restart_goes_on_with_the_next_id(self):
        server = self.serve()
        self.wait_for_runs(server, 3)
        self.assertEqual(server.stop(), 0)
        before = self.rows("SELECT max(id) FROM xxl_job_log")[0][0]
        server = self.serve()
        self.wait_for_runs(server, 2)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.rows(f"SELECT min(id) FROM xxl_job_log WHERE id > {before}"), [(before + 1,)])
        self.assertNotIn("older than it was", server.text())

    def test_a_crash_is_not_taken_for_a_restored_database(self):
        server = self.serve()
        self.wait_for_runs(server, 3)
        server.signal(signal.SIGKILL)
        server.child.wait()
        server = self.serve()
        self.wait_for_runs(server, 2)
        self.assertEqual(server.stop(), 0)
        self.assertNotIn("older than it was", server.text())
        self.assertEqual(len(set(self.ids())), len(self.ids()))


class FarAheadTest(Case):
    def change(self, sql: str) -> None:
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            db.execute(sql)

    def doctor(self) -> dict:
        found = json.loads(self.run_it("doctor", "--json").out)
        return next(each for each in found if each["check"] == "job times")

    def test_jobs_far_ahead_are_found_and_repaired(self):
        elastic = ('[[elastic_job]]\ngroup = "pay-worker"\nname = "sums"\nhandler = "sum"\ntotal = 1\n'
                   'schedule = { cron = "* * * * * ?" }\n')
        jobs = self.write("jobs.toml", JOBS + job("often", 'schedule = { cron = "* * * * * ?" }') + elastic)
        self.succeed("apply", jobs)
        self.assertEqual(self.doctor()["status"], "ok")
        self.assertEqual(self.succeed("repair", "schedules").out, "no job has times further ahead than its schedule explains\n")
        self.change(f"UPDATE rm_schedule SET next_ms = next_ms + {FAR_MS}, last_ms = next_ms + {FAR_MS} WHERE job = 2")
        self.change(f"UPDATE ej_schedule SET next_ms = next_ms + {FAR_MS}, last_ms = next_ms + {FAR_MS}")
        found = self.doctor()
        self.assertEqual(found["status"], "fail")
        self.assertIn("2 jobs have times further ahead than their schedules explain", found["detail"])
        self.assertRegex(found["detail"], r": job 2 \(next .*\), elastic job 1 \(next ")
        dry = json.loads(self.succeed("repair", "schedules", "--dry-run", "--json").out)["items"]
        self.assertEqual([(each["id"], each["elastic"], each["repaired"]) for each in dry], [(2, False, False), (1, True, False)])
        # A moment that no time can be stops no server either.
        self.change("UPDATE ej_schedule SET last_ms = 9223372036854775807")
        server = self.start("--set", f"deploy.files={jobs}", "--set", "deploy.source=apply")
        server.wait_for_line("job=2 its next time .* lies further ahead than its schedule explains")
        self.assertEqual(self.rows("SELECT count(*) FROM xxl_job_log"), [(0,)])
        self.assertRegex(self.succeed("repair", "schedules").out,
                         r"\Ajob 2: next time .*; now .* UTC\nelastic job 1: next time .*; now .* UTC\n2 jobs\n\Z")
        server.wait_for(lambda: self.rows("SELECT count(*) FROM xxl_job_log")[0][0] > 0, "a fired run")
        # This server has no link for executors of elastic jobs.
        now_ms = time.time() * 1000
        for at_ms in self.rows("SELECT next_ms, last_ms FROM ej_schedule")[0]:
            self.assertLess(abs(at_ms - now_ms), DEADLINE_S * 1000)
        self.assertEqual(self.doctor()["status"], "ok")
        self.assertEqual(server.stop(), 0)


class SetBackTest(MariadbCase):
    def test_run_ids_of_a_server_that_lost_rows_do_not_come_again(self):
        jobs = '[[group]]\napp_name = "pay-worker"\n' + job("often", "interval_ms = 200")
        self.succeed("migrate")
        self.succeed("apply", self.write("jobs.toml", jobs))
        server = self.start()
        server.wait_for(lambda: self.sql("SELECT count(*) FROM xxl_job_log")[0][0] >= 10, "ten runs")
        self.assertEqual(server.stop(), 0)
        highest = self.sql("SELECT max(id) FROM xxl_job_log")[0][0]
        self.sql("DELETE FROM xxl_job_log WHERE id > 5")
        self.sql("ALTER TABLE xxl_job_log AUTO_INCREMENT = 6")
        server = self.start()
        server.wait_for_line("warning +.*the database is older than it was: it would give run ids a second time")
        server.wait_for(lambda: self.sql("SELECT count(*) FROM xxl_job_log WHERE id > %s", highest)[0][0] >= 3, "new runs")
        self.assertEqual(self.sql("SELECT count(*) FROM xxl_job_log WHERE id > 5 AND id <= %s", highest), [(0,)])
        # A lost edit is detected while the server runs.
        counter = self.sql("SELECT counter FROM rm_edit WHERE id = 1")[0][0]
        self.succeed("apply", self.write("jobs.toml", jobs + job("another", "interval_ms = 500")))
        server.wait_for(lambda: self.sql("SELECT count(*) FROM xxl_job_log WHERE job_id = 2")[0][0] >= 6, "runs of the new job")
        self.sql("UPDATE rm_edit SET counter = %s WHERE id = 1", counter - 1)
        server.wait_for_line("the database is older than it was: edits that this node has seen are gone")
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
