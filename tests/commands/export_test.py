"""`ringmaster export`: `apply` reads its output, from any database, and it reports what a file cannot express."""

import contextlib
import json
import os
import sqlite3
import stat
import subprocess
import time
import urllib.error
import urllib.request

from command_case import DEADLINE_S, JOBS, Case, job
from mariadb_case import MariadbCase
from web_case import WebCase

EVERYTHING = JOBS + """
[[group]]
app_name = "mail-worker"
title = "邮件 \\"quoted\\" 🚀"
addresses = ["http://10.0.0.7:9999/"]

[[job]]
group = "pay-worker"
key = "full"
name = "Full '''of''' \\\\ it"
author = "ann"
alarm_email = "ann@example.org"
schedule = { rate = "90s" }
handler = "h"
params = "line\\n\\ttab \\u0001 \\"end\\""
route = "failover"
block = "cover_early"
misfire = "fire_once_now"
on_unknown = "skip"
timeout = "30m"
retry = 3
children = ["settle", "mail-worker/send"]
start_at = 2030-01-02T03:04:05.678Z
jitter_ms = 10

[[job]]
group = "pay-worker"
key = "quick"
handler = "h"
interval_ms = 250
enabled = false

[[job]]
group = "mail-worker"
key = "send"
handler = "send"

[[elastic_job]]
group = "pay-worker"
namespace = "billing"
name = "sums"
handler = "sum"
total = 3
schedule = { cron = "0 0 2 * * ?" }
item_params = "0=a,1=b"
failover = true
misfire = false
timeout = "90s"
enabled = false

[[alarm]]
key = "on-call"
group = "pay-worker"
job = "full"
dedup = "5m"
on = "last_attempt"
recovered = true
"""


def spoken(text: str) -> str:
    """Returns the text without comments."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


class WithMail(Case):
    """Job alarms have a mail server, so `apply` gives no warning."""

    def environment(self, more: dict[str, str] | None = None) -> dict[str, str]:
        return super().environment({"RINGMASTER_MAIL_HOST": "127.0.0.1", "RINGMASTER_MAIL_FROM": "r@example.org"} | (more or {}))


class ExportTest(WithMail):
    def fresh(self) -> dict[str, str]:
        """Returns the environment of another, empty database."""
        self.copies = getattr(self, "copies", 0) + 1
        return {"RINGMASTER_DATABASE_URL": f"sqlite:{self.folder}/copy-{self.copies}.db"}

    def export_again(self, text: str) -> str:
        """Returns the export of an empty database after this text was applied to it."""
        path, copy = self.write("exported.toml", text), self.fresh()
        self.make_database(copy)
        self.succeed("apply", path, variables=copy)
        return self.succeed("export", "--source", "apply", variables=copy).out

    def test_what_was_applied_is_exported_and_applied_again(self):
        self.succeed("apply", self.write("jobs.toml", EVERYTHING))
        exported = self.succeed("export", "--source", "apply").out
        self.assertEqual(self.export_again(exported), exported)
        self.assertIn("0 created, 0 updated, 0 removed, 8 unchanged",
                      self.succeed("apply", self.write("again.toml", exported), "--dry-run").out)
        self.assertEqual(exported, self.succeed("export", "--source", "apply").out)

    def test_parts(self):
        self.succeed("apply", self.write("jobs.toml", EVERYTHING))
        self.assertEqual(spoken(self.succeed("export", "--group", "mail-worker").out),
                         '\n[[group]]\napp_name = "mail-worker"\ntitle = "邮件 \\"quoted\\" 🚀"\n'
                         'addresses = ["http://10.0.0.7:9999/"]\n'
                         '\n[[job]]\ngroup = "mail-worker"\nkey = "send"\nhandler = "send"\n')
        self.assertEqual(spoken(self.succeed("export", "--source", "none").out), "")
        self.refuse(2, "unknown group none", "export", "--group", "none")

    def test_a_file(self):
        self.succeed("apply", self.write("jobs.toml", EVERYTHING))
        path = self.folder / "out.toml"
        self.assertEqual(self.succeed("export", "--output", str(path)).out, "")
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text, self.succeed("export").out)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)  # parameters may be secrets
        path.chmod(0o640)
        path.write_text("mine", encoding="utf-8")
        self.refuse(1, "{}/out.toml already exists; --force overwrites it", "export", "--output", str(path))
        self.assertEqual(path.read_text(encoding="utf-8"), "mine")
        self.succeed("export", "--output", str(path), "--force")
        self.assertEqual(path.read_text(encoding="utf-8"), text)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.refuse(1, "{}/none/out.toml cannot be written: No such file or directory", "export", "--output",
                    f"{self.folder}/none/out.toml")
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["data", "jobs.toml", "out.toml"])

    def test_json(self):
        self.succeed("apply", self.write("jobs.toml", EVERYTHING))
        text = self.succeed("export").out
        self.assertEqual(json.loads(self.succeed("export", "--json").out), {"text": text, "remarks": []})
        path = self.folder / "out.toml"
        self.assertEqual(json.loads(self.succeed("export", "--json", "--output", str(path)).out),
                         {"file": str(path), "remarks": []})
        self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_a_pipe_is_written_to_and_a_link_stays_one(self):
        self.succeed("apply", self.write("jobs.toml", JOBS))
        text = self.succeed("export").out
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        for more in ([], ["--force"]):
            self.succeed("export", "--output", str(pipe), *more)
            self.assertEqual(os.read(reader, 1 << 16).decode(), text)
            self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        link, there = self.folder / "link.toml", self.write("there.toml", "mine")
        link.symlink_to(there)
        self.refuse(1, "{}/link.toml already exists; --force overwrites it", "export", "--output", str(link))
        self.succeed("export", "--output", str(link), "--force")
        self.assertTrue(link.is_symlink())
        self.assertEqual((self.folder / "there.toml").read_text(encoding="utf-8"), text)
        self.refuse(1, "{} cannot be written: Is a directory", "export", "--output", str(self.folder))

    def test_a_failure_leaves_no_file(self):
        result = self.run_it("export", "--output", str(self.folder / "out.toml"))
        self.assertEqual((result.code, result.out), (1, ""), result)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_disk_that_is_full(self):
        self.succeed("apply", self.write("jobs.toml", EVERYTHING))
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([self.binary, "export"], stdout=full, stderr=subprocess.PIPE, env=self.environment(),
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    def test_a_hundred_thousand_jobs(self):
        self.succeed("apply", self.write("jobs.toml", JOBS))
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db, db:
            columns = [row[1] for row in db.execute("PRAGMA table_info(xxl_job_info)") if row[1] != "id"]
            listed = ", ".join(columns)
            chosen = listed.replace("job_desc", "'job number ' || n")
            db.execute(f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000) "
                       f"INSERT INTO xxl_job_info ({listed}) SELECT {chosen} FROM xxl_job_info, numbers")
        exported = self.succeed("export", limit_s=10 * DEADLINE_S).out
        self.assertEqual(exported.count("[[job]]"), 100_001)
        self.assertIn('key = "job-number-100000"', exported)


class JavaExportTest(WithMail, MariadbCase):
    """A database that only Java admins have used."""

    def prepare(self, generation: int) -> None:
        self.make_xxl_tables(generation)
        self.sql("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list)"
                 " VALUES (1, 'java-worker', 'Java', 0, NULL), (2, 'java-worker', 'Twice', 0, NULL), (3, 'ab', 'Short', 0, NULL),"
                 " (4, 'java-fixed', 'Fixed', 1, 'http://10.0.0.1:9999/, http://10.0.0.2:9999/')")

    def add_jobs(self) -> None:
        self.add_job(10, job_desc="Nightly run", child_jobid="11,12,99,10")
        self.add_job(11, job_desc="夜间", executor_param='{"a": "b"}\nc', trigger_status=0, job_group=4)
        self.add_job(12, job_desc="A script", glue_type="GLUE_SHELL", glue_source="echo secret", executor_handler="")
        self.add_job(13, job_desc="Nightly run", schedule_type="FIX_RATE", schedule_conf="030", executor_timeout=-1)
        self.add_job(14, job_desc="Odd", executor_route_strategy="SIDEWAYS")
        self.add_job(15, job_desc="In the second", job_group=2)
        self.add_job(16, job_desc="Nowhere", job_group=77)
        self.add_job(17, job_desc="Over", schedule_conf="0 0 0 1 1 ? 2020")

    def test_every_generation(self):
        # A read-only account is sufficient.
        self.reader = self.account("reader", "SELECT")
        for generation in (4, 5, 6, 7):
            with self.subTest(generation):
                self.sql(f"DROP DATABASE {self.database}", database=None)
                self.sql(f"CREATE DATABASE {self.database} DEFAULT CHARACTER SET utf8mb4", database=None)
                self.prepare(generation)
                self.add_jobs()
                self.check()

    def test_the_renamed_columns_of_generation_8(self):
        self.make_xxl_tables(8)
        self.sql("INSERT INTO xxl_job_group (id, app_name, name, address_type) VALUES (1, 'java-worker', 'Java', 0)")
        self.sql("INSERT INTO xxl_job_info (id, job_group, name, glue_type, executor_handler, schedule_type, schedule_conf,"
                 " executor_route_strategy, executor_block_strategy, misfire_strategy, trigger_status) VALUES (7, 1, 'Nightly',"
                 " 'BEAN', 'h', 'CRON', '0 0 1 * * ?', 'FIRST', 'SERIAL_EXECUTION', 'DO_NOTHING', 1)")
        before = self.picture()
        self.assertEqual(self.succeed("export").out.split("\n\n", 1)[1],
                         '[[group]]\napp_name = "java-worker"\ntitle = "Java"\n\n# manually created as job 7: the key is new\n'
                         '[[job]]\ngroup = "java-worker"\nkey = "Nightly"\nschedule = { cron = "0 0 1 * * ?" }\n'
                         'handler = "h"\nmisfire = "do_nothing"\n')
        self.assertEqual(self.picture(), before)

    def check(self) -> None:
        def everything():
            return self.picture(), self.sql("SELECT * FROM xxl_job_info"), self.sql("SELECT * FROM xxl_job_group")

        before = everything()
        result = self.run_it("export", variables={"RINGMASTER_DATABASE_URL": self.reader})
        self.assertEqual(result.code, 0, result)
        self.assertEqual(everything(), before)
        said = [line.removeprefix("ringmaster: ") for line in result.errors]
        for line in ('group 2 "java-worker" cannot be declared: group 1 has the same app_name',
                     'job 10 "Nightly run": child 99 does not exist',
                     'job 10 "Nightly run": child 12 is not in this file',
                     'job 12 "A script" cannot be declared: glue_type: GLUE_SHELL: not supported by this release; '
                     'only BEAN jobs can be declared',
                     'job 12 "A script": its script is not in this file',
                     'job 13 "Nightly run": timeout -1 is exported as 0, with the same meaning',
                     'job 14 "Odd" cannot be declared: route: "SIDEWAYS" is unknown',
                     'job 15 "In the second" cannot be declared: its group 2 cannot be declared',
                     'job 16 "Nowhere" cannot be declared: group 77 does not exist',
                     'job 17 "Over": enabled in the database, but its schedule never fires again'):
            self.assertIn(line, said)
            self.assertIn("# " + line + "\n", result.out)
        self.assertTrue(any(line.startswith('group 3 "ab" cannot be declared: app_name: ') for line in said), said)
        self.assertNotIn("secret", result.out)
        self.assertIn('key = "Nightly-run"\nname = "Nightly run"\nschedule = { cron = "0 0 1 * * ?" }\nhandler = "h"\n'
                      'misfire = "do_nothing"\nchildren = ["java-fixed/job-11"]\n', result.out)
        self.assertIn('key = "Nightly-run-13"\nname = "Nightly run"\nschedule = { rate = "30s" }\n', result.out)
        self.assertIn('params = "{\\"a\\": \\"b\\"}\\nc"\nmisfire = "do_nothing"\nenabled = false\n', result.out)
        path, copy = self.write("exported.toml", result.out), f"sqlite:{self.folder}/copy-{time.monotonic_ns()}.db"
        self.make_database({"RINGMASTER_DATABASE_URL": copy})
        self.succeed("apply", path, variables={"RINGMASTER_DATABASE_URL": copy})
        again = self.succeed("export", "--source", "apply", variables={"RINGMASTER_DATABASE_URL": copy}).out
        self.assertEqual([line for line in spoken(again).splitlines() if line],
                         [line for line in spoken(result.out).splitlines() if line])


class MariadbExportTest(WithMail, MariadbCase):
    def test_what_was_applied_is_exported_and_applied_again(self):
        self.succeed("migrate")
        path = self.write("jobs.toml", EVERYTHING)
        self.succeed("apply", path)
        exported = self.succeed("export", "--source", "apply").out
        copy = {"RINGMASTER_DATABASE_URL": f"sqlite:{self.folder}/copy.db"}
        self.make_database(copy)
        self.succeed("apply", self.write("exported.toml", exported), variables=copy)
        self.assertEqual(self.succeed("export", "--source", "apply", variables=copy).out, exported)


class ServedTest(Case):
    """The same tests through a server."""

    def setUp(self):
        super().setUp()
        self.server = self.start()
        self.server.wait_until_ready()
        self.key = self.succeed("key", "add", "ci", "--user", "admin").out.strip()

    def call(self, path: str, body: dict | None = None) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.server.address()}/api/v1{path}", headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def apply(self, text: str, name: str = "jobs.toml", **more) -> tuple[int, dict]:
        status, body = self.call("/apply", {"files": [{"name": name, "text": text}]} | more)
        return status, json.loads(body)

    def test_apply_and_export(self):
        status, tried = self.apply(EVERYTHING, dry_run=True)
        self.assertEqual((status, tried["dry_run"], len(tried["changes"])), (200, True, 8), tried)
        self.assertEqual(self.jobs(), [])
        status, done = self.apply(EVERYTHING)
        self.assertEqual((status, done["dry_run"], done["on_their_way"]), (200, False, 0), done)
        self.assertEqual({each["kind"] for each in done["changes"]}, {"create"})
        # Compared with the output of the command on the same files.
        path = self.write("jobs.toml", EVERYTHING)
        said = json.loads(self.succeed("apply", path, "--json", "--dry-run").out)
        self.assertEqual(said, self.apply(EVERYTHING, path, dry_run=True)[1])
        self.assertEqual(self.call("/export"), (200, self.succeed("export").out))
        group = self.rows("SELECT id FROM xxl_job_group WHERE app_name = 'mail-worker'")[0][0]
        self.assertEqual(self.call(f"/export?group={group}"), (200, self.succeed("export", "--group", "mail-worker").out))
        self.assertEqual(self.call("/export?group=999")[0], 404)
        self.assertEqual(set(self.rows("SELECT user_name FROM rm_audit WHERE action = 'apply'")), {("admin",)})
        # Omitted objects are removed only with prune.
        self.assertEqual(self.apply(JOBS)[1]["changes"][0]["kind"], "unchanged")
        self.assertEqual(len(self.jobs()), 4)
        self.assertEqual({each["kind"] for each in self.apply(JOBS, prune=True)[1]["changes"]}, {"unchanged", "remove"})
        self.assertEqual(self.jobs(), ["settle"])

    def test_mistakes(self):
        status, problem = self.apply(JOBS + job("x", 'route = "roundd"\nglue_type = "GLUE_SHELL"'))
        self.assertEqual((status, problem["type"]), (400, "urn:ringmaster:invalid_argument"))
        self.assertEqual([each["file"] for each in problem["errors"]], ["jobs.toml"] * 2)
        self.assertTrue(problem["errors"][0]["detail"].startswith('route: "roundd" is unknown'), problem)
        self.assertIn("only BEAN jobs can be declared", problem["errors"][1]["detail"])
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.apply(JOBS, source="ops")[0], 200)
        status, problem = self.apply(JOBS)
        self.assertEqual((status, problem["errors"][0]["line"]), (409, 1), problem)
        self.assertEqual(self.call("/apply", {"files": []})[0], 400)


class DeclaredApiTest(WebCase):
    """Sources of declared files, what differs from them, and jobs as tables, in /api/v1."""

    def setUp(self):
        super().setUp()
        self.file = self.write("jobs.toml", JOBS + job("report", 'children = ["settle"]'))
        self.serve("--set", f"deploy.files={self.file}")
        self.api = self.key_client()

    def drift(self, source: str = "deploy") -> dict:
        reply = self.api.send("GET", f"/declared/{source}/drift")
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def changed(self) -> dict:
        return {each["object"]: each["fields"] for each in self.drift()["changes"] if each["kind"] != "unchanged"}

    def test_sources(self):
        self.succeed("apply", self.write("mail.toml", '[[group]]\napp_name = "mail-worker"\n'), "--source", "mail")
        one, other = self.api.send("GET", "/declared").json["items"]
        self.assertEqual((one["source"], one["objects"], one["files"], one["has_files"]),
                         ("deploy", {"groups": 1, "jobs": 2, "alarms": 0, "elastic_jobs": 0}, ["jobs.toml"], True))
        self.assertIsNotNone(one["applied_ms"])
        self.assertEqual((other["source"], other["objects"]["groups"], other["has_files"]), ("mail", 1, False))

    def test_drift(self):
        self.assertEqual(self.changed(), {})
        self.assertEqual(self.api.send("POST", "/jobs/1/stop", {}).status, 200)
        self.assertEqual(self.changed(), {}, "a stop by a user is no drift: it stays")
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=30)) as db, db:
            db.execute("UPDATE xxl_job_info SET executor_fail_retry_count = 5 WHERE id = 1")
        self.assertEqual(self.changed(), {"job pay-worker/settle": ["retry: 5 -> 0"]})
        self.write("jobs.toml", JOBS)
        self.assertEqual(self.drift()["warnings"],
                         ["job pay-worker/report is no longer in the files; it stays, because deploy.prune is off"])
        self.write("jobs.toml", JOBS + job("odd", 'route = "roundd"'))
        reply = self.api.send("GET", "/declared/deploy/drift")
        self.assertEqual(reply.status, 409)
        self.assertTrue(reply.json["errors"][0]["file"].endswith("jobs.toml"), reply)
        self.assertEqual(self.api.send("GET", "/declared/none/drift").status, 404)

    def test_the_drift_of_files_from_elsewhere_is_unknown(self):
        self.succeed("apply", self.write("mail.toml", '[[group]]\napp_name = "mail-worker"\n'), "--source", "mail")
        reply = self.api.send("GET", "/declared/mail/drift")
        self.assertEqual(reply.status, 409)
        self.assertIn("this node has no files of the source mail", reply.json["detail"])

    def test_a_job_as_a_table(self):
        whole = self.api.send("GET", "/export").text
        for each in self.api.send("GET", "/jobs?limit=100").json["items"]:
            text = self.api.send("GET", f"/jobs/{each['id']}/declaration").text
            self.assertTrue(text.startswith("[[job]]\n"), text)
            self.assertIn("\n\n" + text, whole)
        for name, key in (("Nightly run", "Nightly-run"), ("settle", "settle-4")):
            added = self.api.send("POST", "/jobs", {"group": 1, "name": name, "author": "ann", "handler": "h",
                                                   "schedule": {"type": "NONE"}}).json["id"]
            text = self.api.send("GET", f"/jobs/{added}/declaration").text
            self.assertTrue(text.startswith(f"# manually created as job {added}: the key is new\n[[job]]\n"), text)
            self.assertIn(f'\nkey = "{key}"\n', text)
        reply = self.api.send("GET", "/jobs/99/declaration")
        self.assertEqual(reply.status, 404)
