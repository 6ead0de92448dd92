"""`ringmaster key`: its output and effects, and a server that admits clients with the keys."""

import json
import subprocess
import urllib.error
import urllib.request

from command_case import DEADLINE_S, Case


class KeyTest(Case):
    def setUp(self):
        super().setUp()
        # Creates the administrator.
        self.server = self.start()
        self.server.wait_until_ready()

    def call(self, method: str, path: str, key: str | None, body: dict | None = None) -> tuple[int, dict]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(f"{self.server.address()}/api/v1{path}", method=method, headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                text = reply.read()
                return reply.status, json.loads(text) if text else {}
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def keys(self, *arguments: str) -> list[dict]:
        return json.loads(self.succeed("key", "list", "--json", *arguments).out)["items"]

    def test_a_key_lets_a_program_in_until_it_is_removed(self):
        made = self.succeed("key", "add", "ci", "--user", "ADMIN")
        self.assertRegex(made.out, r"\Armk_[A-Za-z0-9_-]{43}\n\Z")
        key = made.out.strip()
        status, session = self.call("GET", "/session", key)
        self.assertEqual((status, session["name"], session["admin"], session["by"]), (200, "admin", True, "key"))
        self.assertEqual(self.call("GET", "/session", None)[0], 401)
        self.assertEqual(self.call("GET", "/session", key[:-1] + ("a" if key[-1] != "a" else "b"))[0], 401)
        # A client can create another key and remove it.
        status, second = self.call("POST", "/keys", key, {"name": "second"})
        self.assertEqual(status, 201)
        self.assertEqual(self.call("GET", "/session", second["key"])[0], 200)
        self.assertEqual(self.call("DELETE", f"/keys/{second['id']}", second["key"])[0], 204)
        self.assertEqual(self.call("GET", "/session", second["key"])[0], 401)
        listed = self.keys()
        self.assertEqual([(each["name"], each["user_name"], each["expires_ms"]) for each in listed], [("ci", "admin", None)])
        self.assertIsNotNone(listed[0]["used_ms"])
        self.assertIn("key 1 removed", self.succeed("key", "remove", str(listed[0]["id"])).out)
        self.assertEqual(self.keys(), [])
        # The server reloads keys within a second.
        self.server.wait_for(lambda: self.call("GET", "/session", key)[0] == 401, "the key is over")

    def test_what_is_stored_and_logged_is_no_secret(self):
        key = self.succeed("key", "add", "ci", "--user", "admin", "--expires", "90d").out.strip()
        self.call("GET", "/session", key)
        name, length, span = self.rows("SELECT name, length(digest), expires_ms - created_ms FROM rm_api_key")[0]
        self.assertEqual((name, length), ("ci", 64))
        # Relative to the time of the request, a moment before the creation.
        self.assertTrue(0 <= 90 * 24 * 3600 * 1000 - span < 60_000, span)
        self.assertNotIn(key[4:], self.server.text())
        for table in ("rm_api_key", "rm_audit"):
            self.assertNotIn(key[4:], repr(self.rows(f"SELECT * FROM {table}")))
        table = self.succeed("key", "list").out.splitlines()
        self.assertRegex(table[0], r"^ID +NAME +USER +CREATED +EXPIRES +LAST USED$")
        self.assertRegex(table[1], r"^1 +ci +admin +\d{4}-.*")
        self.assertEqual(self.keys("--user", "admin")[0]["id"], 1)

    def lose(self, *arguments: str) -> list[str]:
        """Returns the errors of a command whose output cannot be written."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([self.binary, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=DEADLINE_S, stdin=subprocess.DEVNULL, env=self.environment())
        self.assertEqual(done.returncode, 1, arguments)
        return done.stderr.splitlines()

    def test_what_was_made_is_told_when_it_cannot_be_shown(self):
        why = ", but could not be printed: cannot write to standard output: No space left on device; "
        for more in ((), ("--json",)):
            lines = self.lose("key", "add", "ci", "--user", "admin", *more)
            made = max(each["id"] for each in self.keys())
            self.assertEqual(lines, [f"ringmaster: key {made} was created{why}remove it with `ringmaster key remove {made}`"])
        other = "set another one with `ringmaster user reset-password anna`"
        self.assertEqual(self.lose("user", "add", "anna"),
                         [f"ringmaster: user anna was created with a password{why}{other}"])
        before = self.rows("SELECT password FROM xxl_job_user WHERE username = 'anna'")
        self.assertEqual(self.lose("user", "reset-password", "anna"),
                         [f"ringmaster: the password of anna was changed{why}{other}"])
        self.assertNotEqual(self.rows("SELECT password FROM xxl_job_user WHERE username = 'anna'"), before)

    def test_what_is_wrong(self):
        self.refuse(1, "unknown user stranger", "key", "add", "ci", "--user", "stranger")
        self.refuse(1, "unknown user stranger", "key", "list", "--user", "stranger")
        self.refuse(1, "there is no such API key", "key", "remove", "7")
        for arguments in (("add", "ci"), ("add", "--user", "admin"), ("remove",), ("remove", "x"), ("remove", "0"),
                          ("remove", "9223372036854775808"), ("add", "", "--user", "admin"),
                          ("add", "ci", "--user", "admin", "--expires", "soon"),
                          ("add", "ci", "--user", "admin", "--expires", "0d"), ("add", "x" * 65, "--user", "admin")):
            self.assertEqual(self.run_it("key", *arguments).code, 2, arguments)
        self.assertEqual(self.keys(), [])
