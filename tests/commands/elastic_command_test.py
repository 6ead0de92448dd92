"""`ringmaster elastic`: elastic jobs on the database and through a server, with the same output."""

import contextlib
import json
import os
import sqlite3

from command_case import Case

ELASTIC = """[[group]]
app_name = "shard-worker"

[[elastic_job]]
group = "shard-worker"
name = "sums"
handler = "sum"
total = 3
cron = "0 0 1 * * ?"
item_params = "0=a,1=b"
failover = true
timeout = "90s"

[[elastic_job]]
group = "shard-worker"
namespace = "billing"
name = "averages"
handler = "average"
total = 1
enabled = false
"""


class ElasticCommandTest(Case):
    def setUp(self):
        super().setUp()
        self.server = self.start()
        self.server.wait_until_ready()
        self.path = self.write("elastic.toml", ELASTIC)
        self.applied = self.succeed("apply", self.path)
        self.token = self.write("key", self.succeed("key", "add", "key", "--user", "admin").out)
        os.chmod(self.token, 0o600)

    def remote(self, *arguments: str):
        return self.run_it(*arguments, "--server", self.server.address(), "--token-file", self.token)

    def both(self, *arguments: str) -> dict:
        here, there = self.succeed(*arguments, "--json"), self.remote(*arguments, "--json")
        self.assertEqual((there.code, there.out, there.err), (0, here.out, ""), there)
        table = self.remote(*arguments)
        self.assertEqual((table.code, table.out), (0, self.succeed(*arguments).out), table)
        return json.loads(here.out)

    def test_files(self):
        self.assertIn("elastic_job sums", self.applied.out)
        again = self.succeed("apply", self.path, "--dry-run").out
        self.assertIn("0 created, 0 updated, 0 removed, 3 unchanged", again)
        exported = self.succeed("export").out
        self.assertIn('[[elastic_job]]\ngroup = "shard-worker"\nname = "sums"\nhandler = "sum"\ntotal = 3\n', exported)
        self.assertIn('timeout = "90s"\n', exported)
        wrong = self.write("wrong.toml", ELASTIC + 'calendar = "c"\ntotl = 3\n')
        refused = self.run_it("apply", wrong)
        self.assertEqual(refused.code, 2)
        self.assertIn(f"{wrong}:21: calendar: not supported by this release", refused.err)
        self.assertIn(f"{wrong}:22: unknown key 'totl'", refused.err)

    def test_what_is_read_is_the_same(self):
        listed = self.both("elastic", "list")
        self.assertEqual([(each["name"], each["status"]) for each in listed["items"]],
                         [("sums", "enabled"), ("averages", "disabled")])
        self.assertEqual(self.both("elastic", "list", "--status", "disabled", "--group", "shard-worker")["total"], 1)
        shown = self.both("elastic", "show", "sums")
        self.assertEqual((shown["total"], shown["options"]["timeout_ms"], shown["source"]), (3, 90000, "apply"))
        self.assertEqual(self.both("elastic", "show", "billing/averages")["id"], self.both("elastic", "show", "averages")["id"])
        items = self.both("elastic", "items", "sums", "--limit", "2")
        self.assertEqual([(each["item"], each["state"], each["param"]) for each in items["items"]],
                         [(0, "idle", "a"), (1, "idle", "b")])
        self.assertEqual(items["total"], 3)
        self.assertEqual(self.both("elastic", "hosts")["items"], [])
        self.assertEqual(self.both("elastic", "history", "sums"), {"items": [], "next": None, "total": None,
                                                                   "total_is_capped": False})
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            db.execute("INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
                       " granted_ms, started_ms, ended_ms, state, message) VALUES (5, ?, 2, 2, 1000, 0, 0, 1, 2, 0, 0, 2000, 0,"
                       " 3000, 4, 'gone')", [shown["id"]])
        runs = self.both("elastic", "history", "sums", "--item", "2", "--state", "lost", "--since", "1970-01-01T00:00")["items"]
        self.assertEqual([(run["run"], run["source"], run["fence"], run["message"]) for run in runs],
                         [(5, "failover", 1, "gone")])
        self.assertEqual(self.both("elastic", "history", "sums", "--since", "1h")["items"], [])
        self.assertEqual(self.run_it("elastic", "history", "sums", "--since", "soon").code, 2)
        self.assertEqual(self.both("elastic", "plan", "sums")["items"][0]["gap"], "no_host")

    def test_orders_do_the_same(self):
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("elastic", "disable", "sums").out, "elastic job sums disabled\n")
            self.assertEqual(ask("elastic", "disable", "sums").out, "elastic job sums disabled already\n")
            self.assertRegex(ask("elastic", "enable", "sums").out, r"\Aelastic job sums enabled; next at .* 01:00:00 ")
            self.assertEqual(ask("elastic", "disable", "sums", "--item", "0").out, "item 0 of elastic job sums disabled\n")
            self.assertEqual(self.both("elastic", "show", "sums")["items"]["disabled"], 1)
            self.assertEqual(ask("elastic", "enable", "sums", "--item", "0").out, "item 0 of elastic job sums enabled\n")
            triggered = ask("elastic", "trigger", "sums", "--item", "2", "--param", "p", "--policy", "queue")
            self.assertEqual((triggered.code, triggered.out), (0, "elastic job sums triggered\n".replace(
                "elastic", "item 2 of elastic", 1)), triggered)
            self.assertEqual(ask("elastic", "shutdown", "averages").code, 0)
            self.assertEqual(ask("elastic", "enable", "sums", "--item", "3").code, 1)
            self.assertEqual(ask("elastic", "show", "none").errors, ["ringmaster: unknown elastic job none"])
            self.assertEqual(ask("elastic", "show", "77").code, 1)
            self.assertEqual(ask("elastic", "trigger", "sums", "--policy", "later").code, 2)
        by = dict(self.rows("SELECT action, COUNT(*) FROM rm_audit WHERE object = 'elastic_job' AND remote <> ''"
                            " GROUP BY action"))
        self.assertEqual((by["trigger"], by["disable"], by["enable"]), (1, 2, 2), by)

    def test_runs_and_hosts_are_operated(self):
        job = self.both("elastic", "show", "sums")["id"]
        host = ("INSERT INTO ej_node (num, id, app_name, incarnation, ended_inc, process, folder, boot, pid, pid_ns, start_ticks,"
                " ip, labels, capacity, state, keeper, keeper_inc, keeper_no, change_no) VALUES (?, ?, 'shard-worker', 1, 0, ?,"
                " 'f', 'b', 1, 1, 1, '10.0.0.9', '', 4, ?, '', 0, 0, ?)")
        run = ("INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
               " granted_ms, started_ms, ended_ms, state) VALUES (7, ?, 1, 0, 1000, 0, 0, 9, 1, 6, 1, 1000, 0, 0, 1)")
        item = "UPDATE ej_item SET state = 1, run = 7, fence = 9, host = 6, host_inc = 1 WHERE job = ? AND item = 1"
        self.write_rows((host, [5, "ringmaster://a/b", "p5", 0, 1]), (host, [6, "h6", "p6", 1, 2]), (run, [job]), (item, [job]))
        self.assertEqual(self.both("elastic", "servers")["items"], [
            {"ip": "10.0.0.9", "hosts": ["h6", "ringmaster://a/b"], "up": 1, "silent": 1, "down": 0, "disabled": 0, "running": 1,
             "jobs": 2, "disabled_jobs": 0}])
        self.assertEqual(self.run_it("elastic", "cancel", "7").out, "run 7 cancelled\n")
        self.assertEqual(self.remote("elastic", "cancel", "7").out, "run 7 cancelled already\n")
        self.assertTrue(self.both("elastic", "items", "sums")["items"][1]["cancelled"])
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("elastic", "cancel", "8").errors, ["ringmaster: unknown run 8 of an elastic job"])
            for wrong in ("0", "-1", "x", "99999999999999999999"):
                refused = ask("elastic", "cancel", wrong)
                self.assertEqual((refused.code, refused.errors[0]), (2, f'RUN: "{wrong}" is not a valid number of a run'))
            disabled = ask("elastic", "disable", "sums", "--host", "ringmaster://a/b")
            self.assertEqual(disabled.out, "host ringmaster://a/b disabled for elastic job sums\n", disabled)
            self.assertEqual(self.both("elastic", "show", "sums")["disabled_servers"], ["ringmaster://a/b"])
            self.assertEqual(ask("elastic", "enable", "sums", "--host", "ringmaster://a/b").code, 0)
            self.assertEqual(ask("elastic", "disable", "sums", "--host", "h9").code, 1)
            self.assertEqual(ask("elastic", "disable", "sums", "--host", "h6", "--item", "0").code, 2)
            self.assertEqual(ask("elastic", "drain", "averages").out, "elastic job averages drained\n")
            self.assertEqual(self.both("elastic", "list", "--status", "draining")["total"], 1)
            self.assertEqual(ask("elastic", "restart", "averages").out, "elastic job averages restarted\n")
            self.assertEqual(ask("elastic", "host", "disable", "10.0.0.9").out,
                             "host ringmaster://a/b disabled\nhost h6 disabled\n")
            self.assertEqual(ask("elastic", "host", "drain", "h6").out, "host h6 drained\n")
            self.assertEqual([each["mode"] for each in self.both("elastic", "hosts")["items"]], ["disabled", "draining"])
            self.assertEqual(ask("elastic", "host", "enable", "10.0.0.9").code, 0)
            for refused in ("ringmaster://a/b", "h6"):  # one is up, the other has an open run
                self.assertEqual(ask("elastic", "host", "remove", refused).code, 1)
        dumped = {line["path"]: line["value"] for line in self.both("elastic", "dump", "sums")["items"]}
        self.assertIn("ip=ip1", dumped["/hosts/5"])
        self.assertIn("cancel_run=7", dumped["/items/1"])
        self.assertIn("ip=10.0.0.9", self.succeed("elastic", "dump", "sums", "--unmasked").out)
        self.write_rows(("UPDATE ej_item SET state = 0, run = 0 WHERE job = ?", [job]),
                        ("UPDATE ej_run SET state = 4 WHERE id = 7", []))
        self.assertEqual(self.run_it("elastic", "cancel", "7").errors, ["ringmaster: run 7 of item 1 has ended"])
        self.assertEqual(self.remote("elastic", "host", "remove", "h6").out, "host h6 removed\n")
        self.assertEqual(self.run_it("elastic", "host", "remove", "h6").out, "host h6 removed already\n")
        self.assertEqual([each["id"] for each in self.both("elastic", "hosts")["items"]], ["ringmaster://a/b"])

    def write_rows(self, *statements: tuple[str, list]) -> None:
        """Writes what only hosts and coordinators write."""
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            for statement, values in statements:
                db.execute(statement, values)

    def test_secrets_are_shown_to_administrators_alone(self):
        mail = """[[elastic_job]]
group = "shard-worker"
name = "mailed"
handler = "sum"
total = 1
error_handler = "EMAIL"
props = { "email.to" = "a@b.example", "email.password" = "geheim" }
"""
        path = self.write("mailed.toml", mail)
        self.assertEqual(self.remote("elastic", "add", path).code, 0)
        self.assertEqual(self.both("elastic", "show", "mailed")["props"], {"email.password": None, "email.to": "a@b.example"})
        for ask in (self.run_it, self.remote):  # both are an administrator
            self.assertIn('"email.password" = "geheim"', ask("elastic", "export", "mailed").out)
        changed = self.write("changed.toml", mail.replace("geheim", "******").replace("a@b", "c@d"))
        self.assertEqual(self.remote("elastic", "edit", "mailed", changed).code, 2)  # a file never has stars
        copy = self.write("copy.toml", mail.replace("geheim", "******").replace("mailed", "copy"))
        refused = self.remote("elastic", "add", copy)
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("email.password: ****** stands for a value that is not shown: enter the value", refused.err)
        self.succeed("elastic", "edit", "mailed", self.write("changed.toml", mail.replace("geheim", "neuwert")))
        self.assertIn("neuwert", self.succeed("export").out)
        stated = self.rows("SELECT changes FROM rm_audit WHERE object = 'elastic_job'")
        self.assertNotRegex(repr(stated) + self.server.text(), "geheim|neuwert")
        planned = self.run_it("apply", self.write("own.toml", ELASTIC + mail.replace("mailed", "mailed-2")), "--dry-run")
        self.assertEqual(planned.code, 0, planned)
        self.assertNotIn("geheim", planned.out + planned.err)

    def test_a_user_without_administration_gets_no_secret(self):
        path = self.write("called.toml", """[[elastic_job]]
group = "shard-worker"
name = "called"
handler = "sum"
total = 1
error_handler = "WEBHOOK"
props = { "webhook.url" = "https://hooks.example/geheim" }
""")
        self.succeed("elastic", "add", path)
        self.succeed("user", "add", "anna", "--right", "shard-worker=editor")
        token = self.write("anna.key", self.succeed("key", "add", "key-of-anna", "--user", "anna").out)
        os.chmod(token, 0o600)
        asked = self.run_it("elastic", "export", "called", "--server", self.server.address(), "--token-file", token)
        self.assertEqual(asked.code, 0, asked)
        self.assertIn("cannot be declared: props: webhook.url: ****** stands for a value that is not shown", asked.out)
        self.assertNotIn("geheim", asked.out)
        for line in asked.out.splitlines():
            self.assertTrue(line.startswith("#"), line)

    def test_a_stop_by_a_user_stays(self):
        self.succeed("elastic", "disable", "sums")
        self.succeed("apply", self.write("elastic.toml", ELASTIC.replace("total = 3", "total = 4")))
        shown = json.loads(self.succeed("elastic", "show", "sums", "--json").out)
        self.assertEqual((shown["total"], shown["status"]), (4, "disabled"))
        pruned = self.succeed("apply", self.write("elastic.toml", '[[group]]\napp_name = "shard-worker"\n'), "--prune", "--yes")
        self.assertIn("- elastic_job sums\n", pruned.out)
        self.assertEqual(json.loads(self.succeed("elastic", "list", "--json").out)["total"], 0)
        self.assertEqual(self.server.stop(), 0, self.server.text())

    def test_jobs_are_added_edited_exported_and_removed(self):
        table = ('[[elastic_job]]\ngroup = "shard-worker"\nnamespace = "billing"\nname = "totals"\nhandler = "total"\n'
                 'total = 2\nschedule = { cron = "0 0 2 * * ?" }\nitem_params = "0=a,1=b"\ntimeout = "90s"\n')
        file = self.write("totals.toml", table)
        for ask in (self.run_it, self.remote):
            added = ask("elastic", "add", file)
            self.assertRegex(added.out, r"\Aelastic job billing/totals added with the id \d+\n\Z", added)
            again = ask("elastic", "add", file)
            self.assertEqual((again.code, again.out), (1, ""), again)
            self.assertIn("there is an elastic job totals already", again.err)
            exported = ask("elastic", "export", "billing/totals")
            self.assertEqual((exported.code, exported.out), (0, table), exported)
            edited = ask("elastic", "edit", "totals", self.write("edited.toml", table.replace("total = 2", "total = 4")))
            self.assertRegex(edited.out, r"\Aelastic job totals changed; next at .* 02:00:00 ", edited)
            self.assertEqual(self.both("elastic", "show", "totals")["total"], 4)
            self.assertRegex(ask("elastic", "edit", "totals", self.folder / "edited.toml").out,
                             r"\Aelastic job totals is so already")
            self.assertEqual(ask("elastic", "remove", "totals").code, 2)
            removed = ask("elastic", "remove", "totals", "--yes")
            self.assertEqual((removed.code, removed.out), (0, "elastic job totals removed\n"), removed)
            self.assertEqual(ask("elastic", "show", "totals").code, 1)
        rows = self.rows("SELECT action, changes FROM rm_audit WHERE object = 'elastic_job' AND object_name = 'totals'"
                         " AND action IN ('add', 'update', 'remove')")
        self.assertEqual(sorted(action for action, _ in rows), ["add"] * 2 + ["remove"] * 2 + ["update"] * 2)
        self.assertIn("total: 2 -> 4", dict(rows)["update"])

    def test_what_is_not_one_elastic_job_is_refused(self):
        table = '[[elastic_job]]\ngroup = "shard-worker"\nname = "x"\nhandler = "h"\ntotal = 1\n'
        for ask in (self.run_it, self.remote):
            for text, why in ((ELASTIC, "expected one [[elastic_job]] and nothing else"), ("", "expected one [[elastic_job]]"),
                              (table + 'alarm = 1\n', "unknown key 'alarm'"), ("x", "wrong.toml:1:"),
                              (table + 'schedule = { cron = "0 0 x" }\n', "wrong.toml:6:")):
                refused = ask("elastic", "add", self.write("wrong.toml", text))
                self.assertEqual((refused.code, refused.out), (2, ""), refused)
                self.assertIn(why, refused.err)
            missing = ask("elastic", "add", self.write("wrong.toml", table.replace("shard-worker", "none")))
            self.assertEqual(missing.code, 1, missing)
            self.assertEqual(ask("elastic", "add", self.folder / "no.toml").code, 2)
            # The file of a declared job owns it.
            for words in (("edit", "sums", self.write("sums.toml", table.replace('"x"', '"sums"'))), ("remove", "sums", "--yes")):
                refused = ask("elastic", *words)
                self.assertEqual(refused.code, 1, refused)
                self.assertIn("is declared by the source apply", refused.err)
            self.assertEqual(ask("elastic", "edit", "none", self.folder / "sums.toml").errors,
                             ["ringmaster: unknown elastic job none"])
