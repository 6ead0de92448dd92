"""Administration commands give the same output and the same effect through a server and directly on its database."""

import json
import os
import pathlib

from command_case import JOBS, Case, job

class BothWaysTest(Case):
    """Runs every command on the database and through the server next to it."""

    def setUp(self):
        super().setUp()
        self.server = self.start()
        self.server.wait_until_ready()
        poll = job("poll", 'interval_ms = 86400000\nmisfire = "do_nothing"')
        self.succeed("apply", self.write("jobs.toml", JOBS + job("child") + poll))
        self.keys = 0
        self.token = self.key_of("admin")

    def key_of(self, user: str, *more: str) -> str:
        self.keys += 1
        path = self.write(f"key-{self.keys}", self.succeed("key", "add", f"key-{self.keys}", "--user", user, *more).out)
        os.chmod(path, 0o600)
        return path

    def remote(self, *arguments: str, token: str | None = None):
        return self.run_it(*arguments, "--server", self.server.address(), "--token-file", token or self.token)

    def both(self, *arguments: str) -> dict:
        here = self.succeed(*arguments, "--json").out
        there = self.remote(*arguments, "--json")
        self.assertEqual((there.code, there.err), (0, ""), there)
        self.assertEqual(there.out, here)
        table = self.remote(*arguments)
        self.assertEqual((table.code, table.out), (0, self.succeed(*arguments).out))
        return json.loads(here)

    def test_what_is_read_is_the_same(self):
        self.assertEqual(self.both("job", "list")["total"], 3)
        self.assertEqual(self.both("job", "list", "--group", "pay-worker", "--scheduled", "--limit", "1")["total"], 2)
        self.assertEqual(self.both("job", "show", "pay-worker/settle")["key"], "settle")
        self.assertEqual(self.both("group", "list")["total"], 1)
        self.assertEqual(self.both("group", "show", "pay-worker")["app_name"], "pay-worker")
        self.both("run", "list", "--job", "pay-worker/settle", "--failed")
        self.assertEqual(self.both("user", "list")["items"][0]["name"], "admin")
        # The use of a key is recorded once a minute.
        self.assertEqual(self.both("key", "list", "--user", "admin")["items"][0]["name"], "key-1")

    def test_jobs_are_changed_alike(self):
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("job", "stop", "pay-worker/settle", "3").out, "pay-worker/settle stopped\njob 3 stopped\n")
            items = json.loads(ask("job", "start", "1", "2", "77", "--json").out)["items"]
            self.assertEqual([(each["id"], each["status"]) for each in items], [(1, 200), (2, 400), (77, 404)])
            self.assertEqual(ask("job", "start", "2").code, 2)
            self.assertEqual(ask("job", "start", "77").code, 1)
            self.assertRegex(ask("job", "trigger", "1", "--param", "x").out, r"\Ajob 1 will run now(: run \d+)?\n\Z")
            self.assertEqual(ask("job", "remove", "1", "--yes").code, 1)
        self.assertEqual(self.remote("job", "remove", "1", "--declared-too").code, 2)

    def test_refusals_have_the_same_words(self):
        for arguments in (("run", "show", "999999"), ("job", "start", "pay-worker/child"), ("job", "stop", "77"),
                          ("job", "show", "77")):
            here, there = self.run_it(*arguments), self.remote(*arguments)
            self.assertEqual((there.code, there.err), (here.code, here.err), arguments)
        self.assertEqual(self.remote("log", "999999").err, "ringmaster: run 999999 does not exist\n")
        self.assertEqual(self.remote("run", "kill", "999999", "--yes").err, "ringmaster: run 999999 does not exist\n")
        self.assertEqual(self.remote("user", "remove", "admin").err,
                         "ringmaster: users cannot change or remove their own account this way\n")

    def test_files_are_applied_alike(self):
        self.write("jobs.d/a.toml", JOBS)
        more = self.write("jobs.d/b.toml", job("child", "retry = 2") + job("late"))
        files = f"{self.folder}/jobs.d/*.toml"
        for arguments in ((files, "--dry-run"), (files, "--dry-run", "--prune"), (files, "--dry-run", "--json"),
                          (files, "--dry-run", "--source", "ops")):
            here, there = self.run_it("apply", *arguments), self.remote("apply", *arguments)
            self.assertEqual((there.code, there.out, there.err), (here.code, here.out, here.err), arguments)
        self.assertNotIn("late", self.jobs())
        applied = self.remote("apply", files, "--revision", "7", "--json")
        self.assertEqual((applied.code, json.loads(applied.out)["dry_run"]), (0, False), applied)
        self.assertEqual(self.jobs(), ["child", "late", "poll", "settle"])
        self.write("jobs.d/b.toml", job("child", "retrys = 2") + job("odd", 'block = "discard"'))
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("apply", files, "--revision", "6").code, 2)
            result = ask("apply", files)
            self.assertEqual((result.code, len(result.errors)), (2, 2), result)
            self.assertIn(f"{more}:6: unknown key 'retrys'", result.err)
        self.write("jobs.d/b.toml", job("child"))
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("apply", files, "--revision", "6").errors,
                             ["ringmaster: revision 6 of the source apply is older than revision 7, which was applied before"])
        # The source has another file, jobs.toml, whose jobs it would lose.
        for ask in (self.run_it, self.remote):
            result = ask("apply", files, "--revision", "7", "--prune", "--yes")
            self.assertEqual((result.code, result.out), (1, ""), result)
            self.assertIn("jobs.toml", result.err)
        self.assertIn("late", self.jobs())
        pruned = self.remote("apply", files, "--revision", "7", "--prune", "--prune-all", "--yes")
        self.assertIn("- job pay-worker/late\n", pruned.out, pruned)
        self.assertEqual(self.jobs(), ["child", "settle"])
        self.assertEqual(self.rows("SELECT DISTINCT user_name FROM rm_audit WHERE object_name LIKE '%late' AND remote <> ''"),
                         [("admin",)])

    def test_what_is_exported_is_the_same(self):
        for arguments in ((), ("--group", "pay-worker"), ("--source", "apply"), ("--source", "none"),
                          ("--group", "pay-worker", "--source", "apply")):
            here, there = self.run_it("export", *arguments), self.remote("export", *arguments)
            self.assertEqual((there.code, there.out, there.err), (0, here.out, ""), arguments)
        for ask in (self.run_it, self.remote):
            result = ask("export", "--group", "none")
            self.assertEqual((result.code, result.errors), (2, ["ringmaster: unknown group none"]))
        path = self.folder / "out.toml"
        self.assertEqual(self.remote("export", "--output", str(path)).code, 0)
        self.assertEqual(path.read_text(encoding="utf-8"), self.run_it("export").out)
        self.assertEqual(self.remote("export", "--output", str(path)).code, 1)

    def test_nodes(self):
        for ask in (self.run_it, self.remote):
            told = json.loads(ask("node", "list", "--json").out)
            node, = told["items"]
            self.assertEqual((node["state"], told["mode"], node["self"]), ("alive", "native", ask == self.remote), told)
            self.assertLess(node["beat_age_ms"], 30000)
            table = ask("node", "list").out.splitlines()
            self.assertEqual(table[0].split(), ["NODE", "STATE", "LAST", "HEARTBEAT", "INCARNATION", "ADDRESS"])
            self.assertTrue(table[1].startswith(node["id"]), table)
            self.assertIn("native mode; ", table[2])
        self.assertEqual(self.server.stop(), 0)
        told = json.loads(self.succeed("node", "list", "--json").out)
        self.assertEqual([(each["state"], each["beat_age_ms"]) for each in told["items"]], [("stopped", None)])

    def test_a_node_that_was_killed_is_dead(self):
        self.server.child.kill()
        self.server.child.wait()
        told = json.loads(self.succeed("node", "list", "--json").out)
        self.assertEqual([each["state"] for each in told["items"]], ["dead"])
        self.assertGreaterEqual(told["items"][0]["beat_age_ms"], told["dead_after_ms"])

    def test_groups_and_users_are_changed_alike(self):
        for ask, name in ((self.run_it, "here"), (self.remote, "there")):
            added = ask("group", "add", f"worker-{name}", "--address", "http://127.0.0.1:9/")
            self.assertEqual(added.code, 0, added)
            shown = self.both("group", "show", f"worker-{name}")
            self.assertEqual((shown["title"], shown["addresses"]), (f"worker-{name}", ["http://127.0.0.1:9/"]))
            made = ask("user", "add", f"user-{name}", "--right", f"worker-{name}=operator", "--json")
            self.assertEqual(set(json.loads(made.out)), {"id", "user", "password"}, made)
            self.assertIn(f"worker-{name}=operator", ask("user", "list").out)
            self.assertRegex(ask("user", "reset-password", f"user-{name}").out, r"\Apassword: \S{20}\n\Z")
            self.assertIn(f"worker-{name}=operator", ask("user", "list").out)
            self.assertEqual(ask("user", "remove", f"user-{name}").code, 0)
            self.assertEqual(ask("user", "remove", f"user-{name}").code, 1)
            self.assertEqual(ask("group", "remove", f"worker-{name}").code, 0)
            self.assertEqual(ask("group", "remove", "pay-worker").code, 1)
            self.assertEqual(ask("user", "add", "some", "--right", "pay-worker=emperor").code, 2)
            self.assertEqual(ask("user", "add", "some", "--right", "pay-worker").code, 2)

    def test_the_last_administrator_stays(self):
        for ask in (self.run_it, self.remote):
            self.assertEqual(ask("user", "remove", "admin").code, 1)
        told = self.run_it("user", "remove", "admin")
        self.assertEqual(told.errors, ["ringmaster: user admin is the last administrator: add another one first"], told)
        self.assertEqual(self.run_it("user", "add", "second", "--admin").code, 0)
        self.assertEqual(self.run_it("user", "remove", "second").code, 0)
        self.assertIn("all", self.run_it("user", "list").out)

    def test_runs_are_cleared_alike(self):
        for ask in (self.run_it, self.remote):
            self.assertEqual(json.loads(ask("run", "clear", "--older-than", "30d", "--yes", "--json").out), {"removed": 0})
            self.assertEqual(ask("run", "clear", "--job", "1", "--keep-newest", "10", "--yes").code, 0)
            self.assertEqual(ask("run", "clear").code, 2)
            self.assertEqual(ask("run", "clear", "--all", "--keep-newest", "1").code, 2)
            self.assertEqual(ask("run", "show", "12345").code, 1)
        self.assertEqual(self.remote("run", "kill", "12345").code, 1)
        self.assertEqual(self.remote("log", "12345").code, 1)

    def test_keys_are_changed_alike(self):
        made = json.loads(self.remote("key", "add", "another", "--json").out)
        self.assertEqual(set(made), {"id", "key"})
        self.assertEqual(self.remote("key", "remove", str(made["id"])).out, f"key {made['id']} removed\n")
        self.assertEqual(self.remote("key", "remove", str(made["id"])).code, 1)
        self.assertEqual(self.run_it("key", "add", "ownerless").code, 2)

    def test_keys_that_are_none(self):
        wrong = self.write("wrong", "rmk_" + "w" * 43)
        os.chmod(wrong, 0o600)
        over = self.key_of("admin", "--expires", "500ms")
        self.server.wait_for(lambda: self.remote("job", "list", token=over).code == 1, "the key is over")
        for token in (wrong, over):
            result = self.remote("job", "list", token=token)
            self.assertEqual((result.code, result.out), (1, ""), result)
            self.assertIn(f"{self.server.address()}: unknown or expired API key: ", result.err)
            self.assertNotIn(pathlib.Path(token).read_text().strip(), result.err)

    def test_a_viewer_may_look(self):
        self.succeed("user", "add", "viewer", "--right", "pay-worker=viewer")
        token = self.key_of("viewer")
        self.assertEqual(self.remote("job", "list", token=token).code, 0)
        self.assertEqual(json.loads(self.remote("job", "stop", "1", "--json", token=token).out)["items"][0]["status"], 403)
        for command in (("job", "stop", "1"), ("job", "trigger", "1"), ("job", "remove", "1", "--yes"),
                        ("group", "add", "worker-x"),
                        ("group", "remove", "pay-worker"), ("user", "list"), ("user", "add", "some"),
                        ("run", "clear", "--all", "--yes"),
                        ("export",), ("apply", f"{self.folder}/jobs.toml")):
            result = self.remote(*command, token=token)
            self.assertEqual((result.code, len(result.errors)), (1, 1), (command, result))

    def test_a_server_that_is_gone(self):
        address = self.server.address()
        self.assertEqual(self.server.stop(), 0)
        result = self.run_it("job", "list", "--server", address, "--token-file", self.token)
        self.assertEqual(result.code, 1)
        self.assertIn(f"{address} is unreachable: ", result.err)
