"""`ringmaster doctor` before the start, and the server with its findings: each problem is reported and affects nothing else."""

import contextlib
import json
import re
import socket
import sqlite3
import time

from command_case import JOBS, Case
from job_test import Executor
from mariadb_case import MariadbCase
from receivers import Receiver
from web_case import WebCase

FORBIDDEN = '[[webhook]]\nname = "ops"\nurl = "http://169.254.169.254/latest"\n'


def hanging_mail(port: int, timeout: str = "1s") -> str:
    return f'[mail]\nhost = "127.0.0.1"\nport = {port}\ntls = "none"\nfrom = "ringmaster@example.org"\ntimeout = "{timeout}"\n'


class Examined(Case):
    def examine(self, *arguments: str, code: int | None = None, **more) -> dict[str, list[tuple[str, str]]]:
        """Returns the findings of each check: status and detail. Prints nothing but the report, and never a password."""
        result = self.run_it("doctor", "--json", *arguments, **more)
        self.assertEqual(result.err, "", result)
        self.assertNotIn("hush", result.out)
        found: dict[str, list[tuple[str, str]]] = {}
        for each in json.loads(result.out):
            found.setdefault(each["check"], []).append((each["status"], each["detail"]))
        failed = any(status == "fail" for each in found.values() for status, _ in each)
        self.assertEqual(result.code, int(failed) if code is None else code, result)
        return found

    def says(self, found: dict, check: str, status: str, pattern: str) -> None:
        self.assertTrue(any(how == status and re.search(pattern, detail) for how, detail in found.get(check, [])),
                        (check, status, pattern, found))

    def only(self, found: dict, *failed: str) -> None:
        """No other check fails."""
        self.assertEqual({check for check, each in found.items() if any(how == "fail" for how, _ in each)}, set(failed), found)


class ChannelsTest(Examined):
    def test_a_mail_server_that_hangs(self):
        receiver = Receiver(self, "smtp", "--mode", "hang")
        began = time.monotonic()
        found = self.examine("--config", self.write("c.toml", hanging_mail(receiver.port)))
        self.assertLess(time.monotonic() - began, 20)
        self.says(found, "alarm channel", "fail", r"^mail through 127\.0\.0\.1: .*(time|answer)")
        self.only(found, "alarm channel")

    def test_a_mail_server_that_is_not_there(self):
        found = self.examine("--config", self.write("c.toml", hanging_mail(1)))
        self.says(found, "alarm channel", "fail", "^mail through 127.0.0.1: ")

    def test_a_mail_server_that_answers(self):
        receiver = Receiver(self, "smtp")
        found = self.examine("--config", self.write("c.toml", hanging_mail(receiver.port)))
        self.says(found, "alarm channel", "ok", "^mail through 127.0.0.1 is reachable$")
        self.assertTrue(receiver.lines.empty())

    def test_a_webhook_to_a_forbidden_address(self):
        for url in ("http://169.254.169.254/latest", "http://[fe80::1]/x", "http://[::ffff:169.254.169.254]/x"):
            found = self.examine("--config", self.write("c.toml", f'[[webhook]]\nname = "ops"\nurl = "{url}"\n'))
            self.says(found, "alarm channel", "fail", "^webhook ops: the address .* is not allowed for messages; ")
            self.only(found, "alarm channel")

    def test_an_alarm_to_a_channel_that_is_not_configured(self):
        jobs = self.write("jobs.toml", JOBS + '\n[[alarm]]\nkey = "a"\nchannels = ["none"]\n')
        found = self.examine("--set", f"deploy.files={jobs}")
        self.says(found, "job files", "fail", r'alarm \'a\': the configuration has no \[\[webhook\]\] named "none"')


class ExecutorTest(Examined):
    def test_the_addresses_of_admins(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as admin, \
                contextlib.closing(socket.create_server(("127.0.0.1", 0))) as other:
            there = f"http://127.0.0.1:{admin.getsockname()[1]}/xxl-job-admin"
            gone = f"http://127.0.0.1:{other.getsockname()[1]}/a-context-longer-than-a-short-string"
            other.close()
            config = self.write("executor.toml", '[executor]\napp_name = "batch-worker"\nallow_no_token = true\n'
                                                 f'admins = ["{there}", "{gone}"]\n')
            found = self.examine("--config", config)
        self.says(found, "admin", "ok", f"^{there} is reachable$")
        self.says(found, "admin", "fail", f"^{gone}: ")
        self.only(found, "admin")


class SqliteTest(Examined):
    def test_rows_with_nonsense(self):
        self.succeed("apply", self.write("jobs.toml", JOBS))
        self.succeed("migrate")
        self.only(self.examine())
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db, db:
            db.execute("UPDATE xxl_job_info SET schedule_conf = NULL, executor_route_strategy = 'NEAREST'")
        found = self.examine()
        self.says(found, "jobs", "fail", "job 1: schedule_conf is NULL")
        self.says(found, "rows", "fail", 'job 1: executor_route_strategy "NEAREST": its runs fail')


class DatabaseTest(MariadbCase, Examined):
    def test_a_database_of_something_else(self):
        self.sql("CREATE TABLE orders (id INT)")
        found = self.examine()
        self.says(found, "tables", "fail", r"^not XXL's: the database contains tables of another application \(orders\)")
        self.only(found, "tables", "schema")

    def test_a_schema_half_migrated(self):
        self.make_xxl_tables(4)
        self.sql("ALTER TABLE xxl_job_user ADD COLUMN token VARCHAR(100)")
        found = self.examine()
        self.says(found, "tables", "fail", r"^half migrated: xxl_job_user\.token is there, .* `ringmaster migrate --xxl`")
        self.succeed("migrate", "--xxl")
        self.only(self.examine())
        self.sql("DROP TABLE xxl_job_logglue")
        found = self.examine()
        self.says(found, "tables", "fail", "^half migrated: xxl_job_info is there, xxl_job_logglue is missing")
        self.only(found, "tables", "schema")

    def test_our_own_schema_half_migrated(self):
        self.succeed("migrate")
        self.sql("DELETE FROM rm_migration WHERE number = (SELECT MAX(number) FROM (SELECT number FROM rm_migration) m)")
        self.says(self.examine(), "schema", "fail",
                  "^1 migration steps pending; serve does not start until you run `ringmaster migrate`$")
        self.says(self.examine("--set", "database.migrate=auto", code=0), "schema", "warn", "serve runs them when it starts$")
        result = self.run_it("serve", "--set", "server.listen=127.0.0.1:0")
        self.assertEqual((result.code, len(result.errors)), (1, 1), result)
        self.assertIn("run `ringmaster migrate`", result.err)

    def test_a_schema_of_a_newer_release(self):
        self.succeed("migrate")
        self.sql("INSERT INTO rm_migration (number, name) VALUES (999, 'later')")
        found = self.examine()
        self.says(found, "schema", "fail", "newer")
        self.only(found, "schema")

    def test_a_server_that_does_not_keep_what_it_answered(self):
        self.succeed("migrate")
        self.says(self.examine(), "durability", "ok", "survives a crash")
        self.addCleanup(self.sql, "SET GLOBAL innodb_flush_log_at_trx_commit = 1")
        self.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
        found = self.examine(code=0)
        self.says(found, "durability", "warn", "^innodb_flush_log_at_trx_commit is 2: .*; set it to 1$")
        self.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
        self.addCleanup(self.sql, "SET GLOBAL read_only = 0")
        self.sql("SET GLOBAL read_only = 1")
        found = self.examine()
        self.says(found, "database", "fail", "read-only")
        self.only(found, "database")
        self.sql("SET GLOBAL read_only = 0")
        self.addCleanup(self.sql, "REVOKE SLAVE MONITOR ON *.* FROM ringmaster@'127.0.0.1'")
        self.sql("GRANT SLAVE MONITOR ON *.* TO ringmaster@'127.0.0.1'")  # without it an account does not see that
        self.addCleanup(self.sql, "RESET SLAVE ALL")
        self.sql("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'replicator'")
        found = self.examine()
        self.says(found, "durability", "fail", "is a replica of another one")
        self.only(found, "durability")

    def test_no_schedule_lock(self):
        for generation in (4, 8):
            with self.subTest(generation):
                self.sql(f"DROP DATABASE {self.database}", database=None)
                self.sql(f"CREATE DATABASE {self.database} DEFAULT CHARACTER SET utf8mb4", database=None)
                self.make_xxl_tables(generation)
                self.succeed("migrate")
                self.sql("DELETE FROM xxl_job_lock")
                found = self.examine()
                self.says(found, "schedule_lock", "fail", "`ringmaster migrate --xxl` adds it$")
                self.only(found, "schedule_lock")
                self.succeed("migrate", "--xxl")
                self.only(self.examine())

    def test_accounts_that_may_too_little(self):
        self.succeed("migrate")
        reader = self.account("only_reads", "SELECT")
        found = self.examine("--set", f"database.url={reader}")
        self.says(found, "privileges", "fail", "^missing on this database: INSERT, UPDATE, DELETE; ")
        self.only(found, "privileges")
        # The server works; another account runs the migrations.
        writer = self.account("only_writes", "SELECT, INSERT, UPDATE, DELETE")
        found = self.examine("--set", f"database.url={writer}", code=0)
        self.says(found, "privileges", "warn",
                  "^CREATE, ALTER, DROP, INDEX, CREATE VIEW missing on this database: `ringmaster migrate` needs")
        server = self.start("--set", f"database.url={writer}")
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
        # Without any permission it cannot connect.
        self.account("stranger", "SELECT")
        self.sql(f"REVOKE ALL ON {self.database}.* FROM stranger@'127.0.0.1'")
        found = self.examine("--set", f"database.url={self.url('stranger')}")
        self.says(found, "database", "fail", "denied")

    def test_a_server_that_may_only_read_says_so_and_recovers(self):
        self.succeed("migrate")
        url = self.account("recovers", "SELECT")
        server = self.start("--set", f"database.url={url}")
        server.wait_for_line("the database does not answer: .*denied to user 'recovers'")
        self.assertEqual(server.answers("/readyz"), 503)
        self.assertEqual(server.answers("/livez"), 200)
        self.sql(f"GRANT INSERT, UPDATE, DELETE ON {self.database}.* TO recovers@'127.0.0.1'")
        # MariaDB checks database permissions when a connection selects the database: the next connection has them.
        for (process,) in self.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'recovers'"):
            self.sql(f"KILL {process}")
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)

    def test_a_clock_that_differs(self):
        self.succeed("migrate")
        self.shift_clock(-3600)
        found = self.examine()
        self.says(found, "clock", "fail", r"^the database's clock is 3(599|600)\.\d s behind this machine's; ")
        self.only(found, "clock")
        self.shift_clock(+90)
        self.says(self.examine(), "clock", "fail", r"^the database's clock is (89|90)\.\d s ahead of this machine's; ")

    def shift_clock(self, seconds: int) -> None:
        """Sets the database time that accounts without global permissions see."""
        self.addCleanup(self.sql, "SET GLOBAL init_connect = ''")
        self.sql(f"SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP(SYSDATE(3)) + {seconds}'")

    def test_a_node_id_that_lives_elsewhere(self):
        self.succeed("migrate")
        first = self.start("--set", "cluster.node=twin")
        first.wait_until_ready()
        # Next to the server itself there is no finding; from another folder its id is in use.
        listen = "server.listen=" + first.address().removeprefix("http://")
        self.only(self.examine("--set", "cluster.node=twin", "--set", listen))
        other = {"RINGMASTER_DATA_DIR": str(self.folder / "other")}
        found = self.examine("--set", "cluster.node=twin", variables=other)
        self.says(found, "node id", "fail", "^twin is alive at 127.0.0.1:.* but no server of this data folder runs")
        self.only(found, "node id")
        # Both run: the second one says so and waits, the first one keeps its incarnation, and when it ends the second one starts.
        second = self.start("--set", "cluster.node=twin", data=self.folder / "other")
        second.wait_for_line("node=twin is up already: incarnation 1 at ")
        self.only(self.examine("--set", "cluster.node=twin", "--set", listen))
        first.wait_until_ready()
        self.assertEqual(first.stop(), 0)
        second.wait_until_ready()
        self.assertEqual(second.stop(), 0)


class AllWrongTest(MariadbCase, Examined):
    """Nearly every problem at once, on tables of the oldest generation: one valid job still fires."""

    def fill(self, executor: Executor) -> None:
        self.make_xxl_tables(4)
        self.sql("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (1, 'pay', 'Pay', 1, %s),"
                 " (2, ' ', '', 9, 'here,,there')", executor.address)
        self.add_job(1, schedule_conf="* * * * * ?")
        self.add_job(2, schedule_conf=None)
        self.add_job(3, schedule_type="FIX_DELAY", schedule_conf="5")
        self.add_job(4, schedule_conf="every day", executor_handler=None)
        self.add_job(5, schedule_conf="* * * * * ?", executor_route_strategy=None, executor_block_strategy="LATER",
                     misfire_strategy="PRAY", executor_timeout=-2147483648, alarm_email="ann@example.org")
        self.add_job(6, schedule_conf="* * * * * ?", job_group=77, child_jobid=",,-5,x,6")
        self.add_job(7, schedule_type="FIX_RATE", schedule_conf="0")
        self.add_job(8, trigger_status=7, trigger_next_time=9223372036854775807)
        self.sql("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value)"
                 " VALUES ('EXECUTOR', 'pay', 'nowhere')")
        self.sql("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 99, 0, 0), (-1, -1, 200, 0)")

    def test_what_is_wrong_hurts_nothing_else(self):
        executor = Executor(self)
        self.fill(executor)
        hanging = Receiver(self, "smtp", "--mode", "hang")
        config = self.write("c.toml", hanging_mail(hanging.port) + FORBIDDEN)
        # One node and a database a day apart: it is unknown which clock is right, so a node would plan nothing.
        options = ("--config", config, "--set", "cluster.clock_tolerance=0s", "--set", "cluster.mode=native", "--set",
                   "database.migrate=auto",
                   "--set", "security.access_token=secret-token")
        self.sql("SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() - 86400'")
        self.addCleanup(self.sql, "SET GLOBAL init_connect = ''")
        found = self.examine(*options)
        for job in ("2: schedule_conf is NULL", '3: schedule type "FIX_DELAY"', '4: CRON "every day"', "7: FIX_RATE",
                    "8: trigger_status 7"):
            self.says(found, "jobs", "fail", f"job {job}")
        for part in ("group 2: app_name is blank", "job 5: executor_route_strategy NULL: its runs fail",
                     "job 6: unknown group 77: its runs fail", "job 4: executor_handler NULL", "2 of the newest runs",
                     'registration "nowhere": invalid address'):
            self.says(found, "rows", "fail", part)
        self.only(found, "jobs", "rows", "clock", "alarm channel")
        # With a webhook alarm on every job, mails and webhooks fail every second.
        self.succeed("migrate", *options[:-2])
        self.succeed("takeover", "--config", config)
        rule = self.write("a.toml", '[[alarm]]\nkey = "all"\nchannels = ["ops"]\ndedup = "0s"\n')
        self.succeed("apply", "--config", config, rule)
        server = self.start(*options)
        server.wait_until_ready()
        executor.server_address, executor.token = server.address(), "secret-token"
        server.wait_for(lambda: len(executor.seen) >= 4, "the good job goes on")
        server.wait_for_line("alarm.*169.254.169.254 is not allowed for messages|is not allowed for messages.*ops")
        for job in (2, 3, 4, 7):
            server.wait_for_line(rf"job={job}\b|job {job}\b")
        self.assertEqual(server.answers("/readyz"), 200)
        self.assertEqual(server.stop(), 0)
        fired = sorted(run["logDateTime"] for run in executor.seen if run["jobId"] == 1)
        self.assertEqual(len(set(fired)), len(fired), "an instant was fired twice")
        self.assertEqual({(b - a) for a, b in zip(fired, fired[1:], strict=False)}, {1000}, "an instant was missed")
        self.assertGreater(self.sql("SELECT COUNT(*) FROM xxl_job_log WHERE job_id = 5 AND trigger_code = 500")[0][0], 0)


class ServerTest(Examined):
    """Problems of a running server, in words."""

    def test_an_empty_file_is_no_failed_statement(self):
        self.data.mkdir()
        (self.data / "ringmaster.db").touch()
        found = self.examine()
        self.says(found, "database", "warn", "the file is empty; serve creates its tables")
        self.only(found)

    def test_a_database_of_something_else(self):
        self.data.mkdir()
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db, db:
            db.execute("CREATE TABLE notes (id INTEGER)")
        found = self.examine()
        self.says(found, "database", "fail", "has tables, but not those of Ringmaster")
        self.only(found, "database")
        self.assertNotIn("SELECT", json.dumps(found))

    def test_a_server_that_runs_and_the_disk(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
            port = taken.getsockname()[1]
        config = self.write("c.toml", f'[server]\nlisten = "127.0.0.1:{port}"\n')
        found = self.examine("--config", config)
        self.says(found, "server", "ok", "no server runs with this data folder")
        server = self.start("--config", config, listen=f"127.0.0.1:{port}")
        server.wait_until_ready()
        found = self.examine("--config", config)
        self.says(found, "server", "ok", f"ready at 127.0.0.1:{port}")
        self.assertIn("disk", found)
        (self.data / "ringmaster.db").rename(self.folder / "aside.db")
        server.wait_for(lambda: server.answers("/readyz") == 503, "the server misses its file")
        found = self.examine("--config", config)
        self.says(found, "server", "fail", "not ready: .*ringmaster.db")
        self.assertEqual(server.stop(), 0)

    def test_alarms_given_up_and_executors_that_refuse_the_token(self):
        self.succeed("migrate")
        self.only(self.examine())
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db, db:
            for run, status, message in ((1, 3, "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;0;connection refused"),
                                         (2, 2, "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;0;The access token is wrong.")):
                db.execute("INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, trigger_time, trigger_code,"
                           " trigger_msg, handle_code, alarm_status)"
                           " VALUES (?, 1, 1, 'http://10.0.0.7:9999/', '2026-03-01 12:00:00', 500, ?, 0, ?)",
                           (run, message, status))
                db.execute("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (?, 1, 0)", (run,))
        found = self.examine()
        self.says(found, "alarms", "warn", "^1 were given up, the last one for run 1")
        self.says(found, "executors", "warn", "refuse the access token of this server: http://10.0.0.7:9999/")


class DoctorApiTest(WebCase):
    """POST and GET /api/v1/doctor: the checks of the command, made by the server."""

    def report(self, api) -> dict:
        """Starts the checks and returns their report when they have ended."""
        self.assertEqual(api.send("POST", "/doctor").status, 202)
        self.server.wait_for(lambda: api.send("GET", "/doctor").json["state"] == "done", "the end of the checks")
        return api.send("GET", "/doctor").json

    def test_the_server_finds_what_the_command_finds(self):
        self.serve()
        api = self.key_client()
        first = api.send("GET", "/doctor").json
        self.assertEqual((first["at_ms"], first["state"], first["findings"]), (None, "none", []))
        report = self.report(api)
        said = json.loads(self.run_it("doctor", "--json").out)
        names = {"ok": "ok", "warn": "warning", "fail": "failed"}
        # The command does not know the port on which this server listens.
        self.assertEqual({(each["check"], each["level"]) for each in report["findings"] if each["check"] != "server"},
                         {(each["check"], names[each["status"]]) for each in said if each["check"] != "server"})
        self.assertFalse([each for each in report["findings"] if each["level"] == "failed"], report)

    def test_remedies_and_no_message_to_channels(self):
        receiver = Receiver(self, "smtp")
        self.serve("--config", self.write("c.toml", hanging_mail(receiver.port) + FORBIDDEN))
        api = self.key_client()
        report = self.report(api)
        channels = {each["level"]: each for each in report["findings"] if each["check"] == "alarm channel"}
        self.assertEqual(channels["ok"]["text"], "mail through 127.0.0.1 is reachable")
        self.assertIsNone(channels["ok"]["remedy"])
        self.assertIn("is not allowed for messages", channels["failed"]["text"])
        self.assertIn("correct its settings", channels["failed"]["remedy"])
        self.assertTrue(receiver.lines.empty())

    def test_a_stop_while_checks_run(self):
        receiver = Receiver(self, "smtp", "--mode", "hang")
        server = self.serve("--config", self.write("c.toml", hanging_mail(receiver.port, "10s")))
        self.assertEqual(self.key_client().send("POST", "/doctor").json["state"], "running")
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        # A probe waits for five seconds unless it is left.
        self.assertLess(time.monotonic() - began, 4)
