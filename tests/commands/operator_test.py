"""Guarantees for operators: stops that last, no databases created by accident, confirmations, permissions and secrets."""

import contextlib
import json
import os
import pty
import re
import select
import sqlite3
import stat
import subprocess
import time

from command_case import DEADLINE_S, JOBS, Case, Result, job


class Terminal(Case):
    def at_terminal(self, answer: str, *arguments: str) -> Result:
        """Runs the command with a terminal for its input and messages, and types `answer` at the prompt."""
        leader, follower = pty.openpty()
        with subprocess.Popen([self.binary, *arguments], stdin=follower, stderr=follower, stdout=subprocess.PIPE, text=True,
                              cwd=self.folder, env=self.environment()) as child:
            os.close(follower)
            said, end = b"", time.monotonic() + DEADLINE_S
            while b"[y/N]" not in said and time.monotonic() < end and child.poll() is None:
                if select.select([leader], [], [], 0.1)[0]:
                    said += os.read(leader, 4096)
            os.write(leader, answer.encode() + b"\n")
            out, _ = child.communicate(timeout=DEADLINE_S)
        os.close(leader)
        return Result(child.returncode, out, said.decode())


class StopTest(Case):
    def state(self, key: str) -> str:
        lines = self.succeed("job", "list").out.splitlines()
        return re.split(r"  +", next(line for line in lines if f"/{key} " in line))[4]

    def test_a_stop_stays_until_start_or_the_files_enabled(self):
        path = self.write("jobs.toml", JOBS)
        self.succeed("apply", path)
        self.succeed("job", "stop", "pay-worker/settle")
        self.assertRegex(self.state("settle"), r"^stopped by local, \d\d:\d\d$")
        self.assertRegex(self.succeed("job", "show", "1").out, r"(?m)^state: +stopped by local, \d\d:\d\d$")
        self.write("jobs.toml", JOBS.replace("0 0 1 *", "0 0 2 *"))
        self.assertIn("stays stopped: a user stopped it", self.succeed("apply", path).out)
        self.assertRegex(self.state("settle"), "^stopped by local")
        self.write("jobs.toml", JOBS + "enabled = false\n")
        self.succeed("apply", path)
        self.assertEqual(self.state("settle"), "stopped")
        self.write("jobs.toml", JOBS + "enabled = true\n")
        self.succeed("apply", path)
        self.assertEqual(self.state("settle"), "scheduled")
        self.succeed("job", "stop", "1")
        self.succeed("job", "start", "1")
        self.assertEqual(self.state("settle"), "scheduled")

    def test_a_job_without_schedule_is_manual(self):
        self.succeed("apply", self.write("jobs.toml", JOBS + job("on-demand")))
        self.assertEqual(self.state("on-demand"), "manual")
        self.succeed("job", "stop", "pay-worker/on-demand")
        self.assertEqual(self.state("on-demand"), "manual")


class PlaceTest(Case):
    apply_finds_database = False

    def test_only_serve_and_migrate_make_a_database(self):
        path = self.write("jobs.toml", JOBS)
        for arguments in (("apply", path), ("job", "list"), ("user", "list"), ("run", "clear", "--all", "--yes"),
                          ("export",), ("takeover",), ("takeover", "--back")):
            self.refuse(1, "no database at {}/data/ringmaster.db, named by RINGMASTER_DATA_DIR: data_dir; "
                           "`ringmaster serve` and `ringmaster migrate` create one, --config FILE selects another configuration",
                        *arguments)
        self.assertFalse(self.data.exists())
        self.assertIn(f"database: sqlite {self.data}/ringmaster.db\n", self.succeed("migrate").out)
        self.assertIn(f"database: sqlite {self.data}/ringmaster.db\n", self.succeed("apply", path).out)

    def test_serve_names_its_database(self):
        first = self.start()
        first.wait_for_line(f"database: sqlite {self.data}/ringmaster.db, created by this start\n")
        first.wait_until_ready()
        self.assertEqual(first.stop(), 0)
        second = self.start()
        second.wait_for_line(f"database: sqlite {self.data}/ringmaster.db\n")
        self.assertEqual(second.stop(), 0)

    def test_migrate_replaces_no_database_unasked(self):
        self.data.mkdir()
        (self.data / "node-id").write_text("some-node\n")
        for more in ((), ("--dry-run",)):
            self.refuse(1, "the database {}/data/ringmaster.db is missing, but a server with the data folder {}/data had one "
                           "(node-id exists): put the file back or restore a backup; "
                           "`ringmaster serve --new-database` starts with an empty one", "migrate", *more)
        self.assertEqual([path.name for path in self.data.iterdir()], ["node-id"])
        self.succeed("migrate", "--new-database")
        self.assertEqual(self.jobs(), [])

    def test_data_dir_counts_from_the_configuration_file(self):
        config = self.write("etc/ringmaster.toml", 'data_dir = "state"\n')
        environment = {key: value for key, value in self.environment().items() if key != "RINGMASTER_DATA_DIR"}
        done = subprocess.run([self.binary, "migrate", "--config", config], capture_output=True, text=True, cwd="/", check=False,
                              env=environment, timeout=DEADLINE_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / "etc/state/ringmaster.db").exists())
        other = self.write("etc/other.toml", '[database]\nurl = "sqlite:none.db"\n\n')
        done = subprocess.run([self.binary, "job", "list", "--config", other], capture_output=True, text=True, cwd="/",
                              check=False, env=environment, timeout=DEADLINE_S)
        self.assertIn("no database at /var/lib/ringmaster/none.db, named by the default of data_dir", done.stderr)

    def test_files_belong_to_the_owner_of_the_folder(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        nobody = 65534
        self.data.mkdir()
        os.chown(self.data, nobody, nobody)
        self.succeed("migrate")
        server = self.start()
        server.wait_until_ready()
        server.stop()
        owners = {path.name: (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode)) for path in self.data.iterdir()}
        self.assertLessEqual({"ringmaster.db", "lock", "initial-secrets"}, set(owners))
        self.assertEqual({owner for owner, _ in owners.values()}, {nobody}, owners)


class QuestionTest(Terminal):
    def setUp(self):
        super().setUp()
        self.write("jobs.d/a.toml", JOBS)
        self.write("jobs.d/b.toml", job("other", 'schedule = { cron = "0 0 2 * * ?" }\nmisfire = "do_nothing"'))
        self.succeed("apply", f"{self.folder}/jobs.d/*.toml")

    def test_what_goes_is_said_and_asked(self):
        self.write("jobs.d/b.toml", "")
        told = self.run_it("apply", f"{self.folder}/jobs.d/*.toml", "--prune")
        self.assertEqual((told.code, self.jobs()), (2, ["other", "settle"]), told)
        self.assertEqual(told.errors, ["ringmaster: - job pay-worker/other",
                                       "ringmaster: the source apply no longer declares them: 1 will be removed, "
                                       "jobs with their history of sources",
                                       "ringmaster: nothing changed: cannot ask for confirmation without a terminal; add --yes"])
        refused = self.at_terminal("n", "apply", f"{self.folder}/jobs.d/*.toml", "--prune")
        self.assertEqual((refused.code, self.jobs()), (1, ["other", "settle"]), refused)
        self.assertIn("- job pay-worker/other", refused.err)
        done = self.at_terminal("y", "apply", f"{self.folder}/jobs.d/*.toml", "--prune")
        self.assertEqual((done.code, self.jobs()), (0, ["settle"]), done)

    def test_prune_of_a_part_is_refused(self):
        told = self.run_it("apply", f"{self.folder}/jobs.d/a.toml", "--prune", "--yes")
        self.assertEqual(told.code, 1, told)
        self.assertIn("prune would remove 1 object, but files of the source apply are missing: b.toml; apply all", told.err)
        self.assertIn('or add --prune-all (in the API: "prune_all")', told.err)
        self.assertEqual(self.jobs(), ["other", "settle"])
        self.succeed("apply", f"{self.folder}/jobs.d/a.toml", "--prune", "--prune-all", "--yes")
        self.assertEqual(self.jobs(), ["settle"])

    def test_jobs_and_runs(self):
        for arguments, words in ((("job", "remove", "1", "--declared-too"), "1 job will be removed, with its logs"),
                                 (("run", "clear", "--all"), "0 runs of all jobs will be removed permanently")):
            told = self.run_it(*arguments)
            self.assertEqual(told.code, 2, told)
            self.assertIn(words, told.err)
            refused = self.at_terminal("", *arguments)
            self.assertEqual(refused.code, 1, refused)
            self.assertIn(words, refused.err)
        self.assertEqual(self.jobs(), ["other", "settle"])
        self.assertEqual(self.at_terminal("y", "job", "remove", "1", "--declared-too").out, "job 1 removed\n")


class RightsTest(Case):
    def test_rights_and_secrets_without_a_restart(self):
        self.succeed("apply", self.write("jobs.toml", JOBS))
        server = self.start()
        server.wait_until_ready()
        self.succeed("user", "add", "some-user")
        key = self.succeed("key", "add", "laptop", "--user", "some-user").out.strip()

        def ask(*arguments: str, token: str = key) -> Result:
            return self.run_it(*arguments, variables={"RINGMASTER_SERVER": server.address(), "RINGMASTER_TOKEN": token})

        self.assertEqual(ask("job", "show", "1").code, 1)
        self.assertEqual(self.succeed("user", "grant", "some-user", "pay-worker=operator").out,
                         "some-user: pay-worker=operator\n")
        server.wait_for(lambda: ask("job", "show", "1").code == 0, "the right counts")
        self.succeed("user", "revoke", "some-user", "pay-worker")
        server.wait_for(lambda: ask("job", "show", "1").code == 1, "the right is gone")
        self.assertEqual(self.succeed("user", "edit", "some-user", "--admin").out, "some-user: all\n")
        server.wait_for(lambda: ask("user", "list").code == 0, "an administrator")
        self.refuse(2, "nothing to change: give --admin or --no-admin", "user", "edit", "some-user")
        wrong = '"pay-worker=boss" is not a permission; expected GROUP=viewer, GROUP=operator or GROUP=editor'
        self.refuse(2, wrong, "user", "grant", "some-user", "pay-worker=boss")
        self.refuse(2, "--right: " + wrong, "user", "add", "another", "--right", "pay-worker=boss")

        number = json.loads(self.succeed("key", "list", "--json").out)["items"][0]["id"]
        fresh = ask("key", "rotate", str(number)).out.strip()
        self.assertRegex(fresh, r"\Armk_")
        self.assertEqual(ask("user", "list", token=fresh).code, 0)
        server.wait_for(lambda: ask("user", "list").code == 1, "the old key is gone")

        token = ask("group", "rotate-token", "pay-worker", token=fresh).out.removeprefix("access token: ").strip()
        self.assertEqual(self.rows("SELECT token FROM rm_group_token"), [(token,)])
        again = self.succeed("group", "rotate-token", "pay-worker").out.removeprefix("access token: ").strip()
        self.assertEqual(self.rows("SELECT token, previous FROM rm_group_token"), [(again, token)])
        told = {(action, kind) for action, kind in self.rows("SELECT action, object FROM rm_audit")}
        self.assertLessEqual({("update", "user"), ("update", "group"), ("add", "api_key"), ("remove", "api_key")}, told)


class WordsTest(Case):
    def test_did_you_mean(self):
        self.assertIn("'jbo' is unknown; did you mean 'job'?", self.run_it("jbo", "list").err)
        self.assertIn("'trigerr' is unknown; did you mean 'trigger'?", self.run_it("job", "trigerr", "1").err)
        self.assertIn("'--faild' is unknown; did you mean '--failed'?", self.run_it("run", "list", "--faild").err)

    def test_help_has_the_commands_own_options_first(self):
        told = self.succeed("run", "list", "--help").out
        self.assertIn("--since", told)
        self.assertNotIn("--insecure-http ", told.split("Common options")[0])
        self.assertIn("Common options (explained by `ringmaster --help`): --config, --set, --server", told)
        self.assertIn("--token-file FILE: ", self.succeed("--help").out)

    def test_cron_mistakes_are_explained(self):
        for wrong, right in (("0 5 * * 1-5", "0 0 5 ? * 2-6"), ("*/10 * * * *", "0 */10 * * * ?"), ("0 0 9 * * *", "0 0 9 * * ?"),
                             ("0 0 9 ? * ?", "0 0 9 * * ?"), ("0 0 * * 0", "0 0 0 ? * 1")):
            told = self.run_it("cron", "next", wrong)
            if told.code == 0:
                continue  # the expression is valid here
            self.assertIn(f'did you mean "{right}"?', told.err, wrong)
            self.succeed("cron", "next", right)
        self.assertIn("crontab expression with five fields", self.run_it("cron", "next", "0 5 * * *").err)

    def test_cron_with_both_day_fields_has_two_corrections(self):
        for wrong, of_month, of_week in (("0 0 9 1 * MON", "0 0 9 1 * ?", "0 0 9 ? * MON"),
                                         ("0 9 1,15 * 1", "0 0 9 1,15 * ?", "0 0 9 ? * 2")):
            told = self.run_it("cron", "next", wrong)
            self.assertEqual(told.code, 2)
            self.assertIn("either day of month or day of week ", told.err)
            self.assertIn(f'did you mean "{of_month}" (days of the month) or "{of_week}" (days of the week)?', told.err)
            for right in (of_month, of_week):
                self.succeed("cron", "next", right)

    def test_runs_are_filtered_and_named(self):
        self.succeed("apply", self.write("jobs.toml", JOBS))
        self.succeed("job", "trigger", "1")
        self.assertEqual(json.loads(self.succeed("run", "list", "--since", "1h", "--status", "failed", "--group", "pay-worker",
                                                 "--handler", "settle", "--json").out)["items"], [])
        self.refuse(2, '--since: "soon" is not a time; expected a duration before now such as 1h or 7d, or a time such as '
                       "2026-11-21T10:00", "run", "list", "--since", "soon")
        server = self.start()
        run = server.wait_for(lambda: json.loads(self.succeed("run", "list", "--failed", "--json").out)["items"], "it failed")[0]
        line = re.split(r"  +", self.succeed("run", "list", "--since", "1h", "--handler", "settle").out.splitlines()[1])
        self.assertEqual((line[0], line[1], line[3]), (str(run["id"]), "pay-worker/settle", "failed"))
        self.assertEqual(line[-1], "not sent: no executor of group pay-worker is registered")
        trace = ("java.lang.reflect.InvocationTargetException\n\tat a.B.c(B.java:1)\nCaused by: a.Wrapper: b\n"
                 "Caused by: java.lang.IllegalStateException: no such account\n\tat a.B.d(B.java:3)\n\t... 4 more")
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            db.execute("UPDATE xxl_job_log SET trigger_code = 200, handle_code = 500, handle_msg = ? WHERE id = ?",
                       (trace, run["id"]))
            db.commit()
            self.assertIn("  java.lang.IllegalStateException: no such account\n", self.succeed("run", "list", "--failed").out)
            db.execute("UPDATE xxl_job_log SET trigger_code = 500, handle_code = 0, handle_msg = '' WHERE id = ?",
                       (run["id"],))
        self.assertEqual(len(self.succeed("run", "list", "--until", "1h").out.splitlines()), 1)
        self.assertEqual(len(self.succeed("run", "list", "--handler", "other").out.splitlines()), 1)
        shown = self.succeed("run", "show", str(run["id"])).out
        self.assertRegex(shown, r"(?m)^why: +not sent: no executor of group pay-worker is registered$")
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            db.execute("UPDATE xxl_job_log SET trigger_code = 200, handle_code = 200, handle_msg = ? WHERE id = ?",
                       ("two files<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger child job<<<<<<<<<<< </span><br>"
                        "1/2 [Job ID=8], Trigger success, Trigger msg: null <br>2/2 [Job ID=x], Trigger Fail, Trigger msg: "
                        "Job ID is illegal <br>", run["id"]))
        self.assertRegex(self.succeed("run", "show", str(run["id"])).out,
                         r"(?m)^result: +two files\nchildren: +job 8 started\n +job x not started$")
        self.assertRegex(shown, r"(?m)^started by: +manual, by local$")
        self.assertNotIn("<", shown)
        self.assertEqual(self.succeed("names", "jobs").out, "pay-worker/settle\n")
        self.assertIn("server.listen=\n", self.succeed("names", "settings").out)
