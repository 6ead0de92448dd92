"""Instants that were due while no server ran: a row of the run log, an alarm, a metric, and the warning of `apply` before."""

import contextlib
import json
import re
import sqlite3
import urllib.request

from command_case import DEADLINE_S, Case, job
from receivers import Receiver

HOUR_MS = 3600 * 1000
MISSED_S = 3 * 3600


class MissedTest(Case):
    def setUp(self):
        super().setUp()
        self.hook = Receiver(self, "http")

    def configuration(self) -> str:
        return self.write("c.toml", f'[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:{self.hook.port}/"\n')

    def jobs_file(self, extra: str = "") -> str:
        return self.write("jobs.toml", '[[group]]\napp_name = "pay-worker"\naddresses = ["http://127.0.0.1:9"]\n'
                          + job("hourly", f'schedule = {{ cron = "0 0 * * * ?" }}\nmisfire = "do_nothing"\n{extra}')
                          + '\n[[alarm]]\nkey = "calls"\nchannels = ["ops"]\n')

    def deploy(self, extra: str = "") -> None:
        """Deploys with a server that runs and then stops."""
        server = self.start("--config", self.configuration(), "--set", f"deploy.files={self.jobs_file(extra)}")
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)

    def pass_hours(self) -> int:
        """Moves the stop of the server three hours back. Returns the next instant at that time."""
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db:
            db.execute("UPDATE rm_schedule SET next_ms = next_ms - ?", (3 * HOUR_MS,))
            db.commit()
            return db.execute("SELECT next_ms FROM rm_schedule").fetchone()[0]

    def start_again(self):
        server = self.start("--config", self.configuration())
        server.wait_until_ready()
        server.wait_for(lambda: self.listed("--status", "missed"), "a row of missed instants")
        return server

    def listed(self, *options: str) -> list[dict]:
        return json.loads(self.succeed("run", "list", "--json", *options).out)["items"]

    def metrics(self, server) -> str:
        with urllib.request.urlopen(server.address() + "/metrics", timeout=DEADLINE_S) as reply:
            return reply.read().decode()

    def test_a_gap_is_one_row_an_alarm_and_a_metric(self):
        self.deploy()
        first = self.pass_hours()
        server = self.start_again()
        run, = self.listed()
        self.assertEqual((run["status"], run["kind"], run["trigger_code"], run["handle_code"]), ("missed", "missed", 500, 0))
        count = run["missed"]["instants"]
        self.assertIn(count, (3, 4))  # the hour may change during the test
        self.assertEqual(run["missed"], {"instants": count, "from_ms": first, "to_ms": first + (count - 1) * HOUR_MS})
        said = self.succeed("run", "show", str(run["id"])).out
        self.assertIn(f"{count} instants were missed, from ", said)
        self.assertIn("this server began to plan the job at ", said)
        self.assertIn("misfire policy DO_NOTHING", said)
        self.assertIn("missed", self.succeed("run", "list").out)

        alarm = self.hook.next()
        self.assertIn("instants were missed", json.dumps(alarm))
        server.wait_for(lambda: re.search(r'runs_ended_total\{group="pay-worker",result="missed"\} 1', self.metrics(server)),
                        "the gap is counted")
        self.assertRegex(self.metrics(server), rf'ringmaster_instants_missed_total{{group="pay-worker"}} {count}\b')

        shown = json.loads(self.succeed("job", "show", "pay-worker/hourly", "--json").out)
        self.assertEqual(shown["missed_ms"], run["missed"]["to_ms"])
        self.assertIsNone(shown["last_ms"])  # nothing was ever sent
        self.assertRegex(self.succeed("job", "show", "pay-worker/hourly").out, r"(?m)^missed: +\d{4}-.* UTC$")
        self.assertEqual(server.stop(), 0)

    def test_a_job_can_do_without_the_alarm(self):
        self.deploy('alarm_on = ["failed"]')
        self.pass_hours()
        server = self.start_again()
        self.assertEqual([run["alarm_status"] for run in self.listed()], [1])
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.rows("SELECT count(*) FROM rm_intent"), [(0,)])

    def test_apply_warns_of_a_rare_job_without_misfire(self):
        rare = self.write("rare.toml", '[[group]]\napp_name = "pay-worker"\n'
                          + job("nightly", 'schedule = { cron = "0 0 2 * * ?" }\nalarm_email = "ann@example.org"')
                          + job("often", 'schedule = { rate = "5s" }')
                          + job("told", 'schedule = { cron = "0 0 3 * * ?" }\nmisfire = "fire_once_now"'))
        self.succeed("migrate")
        said = self.run_it("apply", rare)
        warnings = [line for line in said.errors if line.startswith("ringmaster: warning: ")]
        self.assertEqual((said.code, len(warnings), len(said.errors)), (0, 2, 2), said)
        self.assertIn("job pay-worker/nightly: fires less than once an hour and does not set misfire", warnings[0])
        self.assertIn("job pay-worker/nightly: alarm_email is set, but the server has no [mail]", warnings[1])
        # The misfire warning is for new and changed jobs only; the one about missing [mail] comes with each apply.
        again = json.loads(self.succeed("apply", "--json", rare).out)["warnings"]
        self.assertEqual([warning.split(": ")[2] for warning in again],
                         ["alarm_email is set, but the server has no [mail]"])

    def test_what_is_no_mail_address_is_refused(self):
        self.succeed("migrate")
        bad = self.write("bad.toml", '[[group]]\napp_name = "pay-worker"\n' + job("settle", 'alarm_email = "ann@x.example, bob"'))
        result = self.run_it("apply", bad)
        self.assertEqual(result.code, 2, result)
        self.assertIn('alarm_email: invalid e-mail address "bob" (job pay-worker/settle)', result.err)
