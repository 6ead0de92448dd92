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
        wrong = self.write("wrong.toml", ELASTIC + 'listeners = "l"\ntotl = 3\n')
        refused = self.run_it("apply", wrong)
        self.assertEqual(refused.code, 2)
        self.assertIn(f"{wrong}:21: listeners: not supported by this release", refused.err)
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
        self.assertEqual([(run["run"], run["source"], run["message"]) for run in runs], [(5, "failover", "gone")])
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
            self.assertEqual((triggered.code, triggered.out), (0, "elastic job sums will run\n".replace(
                "elastic", "item 2 of elastic", 1)), triggered)
            self.assertEqual(ask("elastic", "shutdown", "averages").code, 0)
            self.assertEqual(ask("elastic", "enable", "sums", "--item", "3").code, 1)
            self.assertEqual(ask("elastic", "show", "none").errors, ["ringmaster: unknown elastic job none"])
            self.assertEqual(ask("elastic", "show", "77").code, 1)
            self.assertEqual(ask("elastic", "trigger", "sums", "--policy", "later").code, 2)
        by = dict(self.rows("SELECT action, COUNT(*) FROM rm_audit WHERE object = 'elastic_job' AND remote <> ''"
                            " GROUP BY action"))
        self.assertEqual((by["trigger"], by["disable"], by["enable"]), (1, 2, 2), by)

    def test_a_stop_by_a_user_stays(self):
        self.succeed("elastic", "disable", "sums")
        self.succeed("apply", self.write("elastic.toml", ELASTIC.replace("total = 3", "total = 4")))
        shown = json.loads(self.succeed("elastic", "show", "sums", "--json").out)
        self.assertEqual((shown["total"], shown["status"]), (4, "disabled"))
        pruned = self.succeed("apply", self.write("elastic.toml", '[[group]]\napp_name = "shard-worker"\n'), "--prune", "--yes")
        self.assertIn("- elastic_job sums\n", pruned.out)
        self.assertEqual(json.loads(self.succeed("elastic", "list", "--json").out)["total"], 0)
        self.assertEqual(self.server.stop(), 0, self.server.text())
