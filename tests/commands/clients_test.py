"""Administration commands against a running server: which servers they trust, their requests, and possible failures."""

import json
import os
import pathlib
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from command_case import JOBS, Case, job


class Stranger:
    """An HTTP server with fixed answers, one for all requests or one after the other; `seen` holds the requests."""

    def __init__(self, case: Case, status: int, kind: str, bodies: bytes | list[bytes], headers: dict[str, str] | None = None,
                 certificate: tuple[str, str] | None = None):
        seen = self.seen = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length", "0"))
                seen.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
                body = bodies if isinstance(bodies, bytes) else bodies[min(len(seen), len(bodies)) - 1]
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.http.handle_error = lambda *_: None
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        case.addCleanup(self.http.server_close)
        case.addCleanup(self.http.shutdown)
        self.address = f"http{'s' if certificate else ''}://127.0.0.1:{self.http.server_port}"


KEY = "rmk_" + "k" * 43


class StrangerTest(Case):
    """Against servers that are not Ringmaster."""

    apply_finds_database = False

    def ask(self, server: Stranger, *arguments: str, **more):
        return self.run_it(*(arguments or ("job", "list")), "--server", server.address,
                           variables={"RINGMASTER_TOKEN": KEY, **more})

    def assert_said(self, result, code: int, line: str) -> None:
        self.assertEqual((result.code, result.out, result.errors), (code, "", [f"ringmaster: {line}"]), result)

    def test_who_does_not_speak_our_api(self):
        for kind, body in (("text/html", b"<html>"), ("application/json", b"<html>"), ("application/json", b"[1]"),
                           ("application/json", b"")):
            server = Stranger(self, 200, kind, body)
            self.assert_said(self.ask(server), 1, f"{server.address} does not respond like Ringmaster (HTTP 200, {kind}): is "
                             "this the address of a server?")
        server = Stranger(self, 500, "text/html\x1b[2J", b"<h1>")
        result = self.ask(server)
        self.assertEqual(result.code, 1)
        self.assertNotIn("\x1b", result.err)

    def test_documents_of_another_shape(self):
        for body in (b"{}", b'{"items":7}', b'{"items":[7,null,{"id":"x","schedule":[]}],"next":5}'):
            server = Stranger(self, 200, "application/json", body)
            for command in (("job", "list"), ("run", "list"), ("run", "show", "1"), ("user", "list"), ("key", "list"),
                            ("group", "list"), ("node", "list"), ("log", "1")):
                self.assertEqual(self.ask(server, *command).code, 0, (body, command))

    def test_a_server_that_never_ends(self):
        server = Stranger(self, 200, "application/json", b'{"items":[{"id":1}],"next":"p1"}')
        result = self.ask(server, "job", "list", "--limit", "3", "--json")
        self.assertEqual(len(json.loads(result.out)["items"]), 2)
        self.assertEqual(self.ask(server, "job", "list", "--limit", "3").code, 0)
        self.assertEqual(self.ask(server, "job", "stop", "a/b").code, 1)

    def test_a_huge_answer(self):
        server = Stranger(self, 200, "application/json", b" " * (65 * 1024 * 1024))
        self.assert_said(self.ask(server), 1, f"{server.address}: the response exceeds 64 MiB")

    def test_a_redirection_does_not_get_the_key(self):
        other = Stranger(self, 200, "application/json", b'{"items":[]}')
        server = Stranger(self, 302, "text/html", b"", {"Location": other.address + "/x"})
        self.assert_said(self.ask(server), 1, f"{server.address} redirects to another address (HTTP 302, {other.address}/x); "
                         "the API key was not sent there: use that server's address")
        self.assertEqual((len(server.seen), other.seen), (1, []))

    def test_nobody_there(self):
        server = Stranger(self, 200, "application/json", b"{}")
        server.http.shutdown()
        server.http.server_close()
        result = self.ask(server)
        self.assertEqual(result.code, 1)
        self.assertIn(f"{server.address} is unreachable: ", result.err)

    def test_problems(self):
        body = json.dumps({"type": "urn:ringmaster:x", "detail": "words\x1b[2J\n" + "w" * 5000}).encode()
        for status, code in ((400, 2), (403, 1), (404, 1), (409, 1), (429, 1), (503, 1), (500, 1)):
            result = self.ask(Stranger(self, status, "application/problem+json", body))
            self.assertEqual((result.code, len(result.errors)), (code, 1), result)
            self.assertTrue(result.err.startswith("ringmaster: words [2J w"), result)
            self.assertLess(len(result.err), 1100)

    def test_an_edit_says_what_it_has_seen(self):
        """The list may be outdated when the user is changed, and a PUT replaces the permissions."""
        listed = json.dumps({"items": [{"id": 4, "name": "edda", "admin": False, "rights": []}], "next": None}).encode()
        found = json.dumps({"id": 4, "name": "edda", "admin": True, "rights": []}).encode()
        server = Stranger(self, 200, "application/json", [listed, found, b"{}"], {"ETag": '"a1"'})
        self.assertEqual(self.ask(server, "user", "reset-password", "edda").code, 0)
        self.assertEqual([each[:2] for each in server.seen[1:]], [("GET", "/api/v1/users/4"), ("PUT", "/api/v1/users/4")])
        self.assertEqual(server.seen[2][2]["If-Match"], '"a1"')
        self.assertTrue(json.loads(server.seen[2][3])["admin"])
        self.assertNotIn("If-Match", server.seen[1][2])

    def test_what_is_sent(self):
        server = Stranger(self, 200, "application/json", b'{"items":[]}')
        self.assertEqual(self.ask(server, "user", "reset-password", "a b&c=ü").code, 1)
        method, path, headers, _ = server.seen[0]
        self.assertEqual((method, path), ("GET", "/api/v1/users?name=a%20b%26c%3D%C3%BC&limit=500"))
        self.assertEqual(headers["Authorization"], f"Bearer {KEY}")
        self.assertEqual(headers["Accept-Language"], "en")
        self.ask(server, "job", "stop", "7", "9")
        method, path, headers, body = server.seen[1]
        self.assertEqual((method, path, json.loads(body)), ("POST", "/api/v1/jobs/stop", {"ids": [7, 9]}))
        self.assertEqual(headers["Content-Type"], "application/json")

    def test_addresses_go_one_by_one(self):
        server = Stranger(self, 200, "application/json", b'{"items":[]}')
        self.ask(server, "job", "trigger", "7", "--address", "http://a:1/, http://b:1/", "--address", "http://c:1/")
        self.assertEqual(json.loads(server.seen[0][3]), {"addresses": ["http://a:1/", "http://b:1/", "http://c:1/"], "ids": [7]})

    def test_what_is_no_text_is_not_sent(self):
        server, odd = Stranger(self, 200, "application/json", b'{"items":[]}'), os.fsdecode(b"a\xff\xfe")
        for name, *command in (("--param", "job", "trigger", "1", "--param", odd), ("JOB", "job", "stop", "1", odd),
                               ("--address", "job", "trigger", "1", "--address", "http://a:1/", "--address", odd),
                               ("--group", "job", "list", "--group", odd), ("--cursor", "job", "list", "--cursor", odd),
                               ("--job", "run", "list", "--job", odd), ("GROUP", "group", "show", odd),
                               ("--title", "group", "add", "mail", "--title", odd), ("NAME", "user", "reset-password", odd),
                               ("NAME", "key", "add", odd), ("--right", "user", "add", "anna", "--right", odd),
                               ("--source", "export", "--source", odd), ("--source", "apply", "x.toml", "--source", odd)):
            self.assert_said(self.ask(server, *command), 2, f"{name}: invalid UTF-8")
            self.refuse(2, f"{name}: invalid UTF-8", *command)
        self.assertEqual((server.seen, self.data.exists()), ([], False))

    def test_a_file_may_have_any_name(self):
        answer = {"dry_run": True, "changes": [], "on_their_way": 0}
        server = Stranger(self, 200, "application/json", json.dumps(answer).encode())
        path = os.fsdecode(os.fsencode(self.folder) + b"/a\xff.toml")
        pathlib.Path(path).write_text(JOBS, encoding="utf-8")
        self.assertEqual(self.ask(server, "apply", path, "--dry-run").code, 0)
        self.assertEqual(json.loads(server.seen[0][3])["files"], [{"name": f"{self.folder}/a\ufffd.toml", "text": JOBS}])
        # Also on the database, only valid text is printed and stored.
        pathlib.Path(path).write_text(JOBS.replace('misfire = "do_nothing"\n', ""), encoding="utf-8")
        shown = f"{self.folder}/a\ufffd.toml:4: job pay-worker/settle: "
        tried = self.run_it("apply", path, "--dry-run")
        self.assertEqual(tried.code, 0, tried)
        self.assertTrue(tried.err.startswith(f"ringmaster: warning: {shown}"), tried)
        self.assertTrue(json.loads(self.run_it("apply", path, "--dry-run", "--json").out)["warnings"][0].startswith(shown))
        self.make_database()
        self.assertEqual(self.run_it("apply", path).code, 0)
        self.assertEqual(self.rows("SELECT file_name FROM rm_source_file"), [("a\ufffd.toml",)])
        pathlib.Path(path).write_text("x = 1\n", encoding="utf-8")
        self.assertEqual(self.run_it("apply", path).err, f"ringmaster: {self.folder}/a\ufffd.toml:1: unknown key 'x'\n")
        os.unlink(os.fsencode(path))
        self.assertEqual(self.run_it("apply", path).err,
                         f"ringmaster: PATH: cannot read {self.folder}/a\ufffd.toml: No such file or directory\n")

    def test_what_turns_a_line_round_is_not_shown(self):
        marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        body = json.dumps({"to_line": 1, "content": f"a{marks}b\u200bשלום\u2065\x85", "end": True}).encode()
        told = self.ask(Stranger(self, 200, "application/json", body), "log", "1").out
        self.assertEqual(told, "a" + " " * len(marks) + "b\u200bשלום\u2065 \n")

    def test_columns_of_wide_characters(self):
        rows = [{"id": 1, "name": "结算員🚀", "admin": True}, {"id": 2, "name": "ann", "admin": True},
                {"id": 3, "name": "e\u0301ve", "admin": True}]
        body = json.dumps({"items": rows}).encode()
        told = self.ask(Stranger(self, 200, "application/json", body), "user", "list").out
        self.assertEqual(told.splitlines(), ["ID  NAME      PERMISSIONS", "1   结算員🚀  all", "2   ann       all",
                                             "3   e\u0301ve       all"])

    def test_many_jobs_go_in_parts(self):
        server = Stranger(self, 200, "application/json", b'{"items":[]}')
        self.assertEqual(self.ask(server, "job", "start", *map(str, range(1, 1202))).code, 0)
        self.assertEqual([len(json.loads(each[3])["ids"]) for each in server.seen], [500, 500, 201])

    def test_a_log_is_followed_to_its_end(self):
        parts = [{"run": 1, "from_line": 1, "to_line": 2, "content": "a\x1b[2Jb\r\n<br>\n", "end": False},
                 {"run": 1, "from_line": 3, "to_line": 2, "content": "", "end": False},
                 {"run": 1, "from_line": 3, "to_line": 3, "content": "last", "end": True}]
        bodies = [json.dumps(part).encode() for part in parts]
        server = Stranger(self, 200, "application/json", bodies)
        self.assertEqual(self.ask(server, "log", "1", "--follow").out, "a [2Jb\n<br>\nlast\n")
        self.assertEqual([each[1].split("/api/v1")[1] for each in server.seen],
                         [f"/runs/1/log?from_line={line}&wait_s=20" for line in (1, 3, 3)])
        once = Stranger(self, 200, "application/json", bodies)
        self.assertEqual(self.ask(once, "log", "1").out, "a [2Jb\n<br>\n")
        self.assertEqual(len(once.seen), 1)
        told = self.ask(Stranger(self, 200, "application/json", bodies), "log", "1", "--json").out
        self.assertEqual(json.loads(told), parts[0])

    def test_files_are_sent_as_they_are(self):
        self.write("jobs.d/a.toml", JOBS)
        self.write("jobs.d/b.toml", job("ü"))
        pattern = f"{self.folder}/jobs.d/*.toml"
        answer = {"dry_run": True, "changes": [{"kind": "update", "object": "job a/b", "fields": ["retry: 0 -> 2"]},
                                               {"kind": "unchanged", "object": "group a", "fields": []}], "on_their_way": 2}
        server = Stranger(self, 200, "application/json", json.dumps(answer).encode())
        told = self.ask(server, "apply", pattern, "--dry-run", "--prune", "--source", "ops", "--revision", "17")
        self.assertEqual((told.code, told.out),
                         (0, "~ job a/b\n    retry: 0 -> 2\nwould be: 0 created, 1 updated, 0 removed, 1 unchanged\n"
                             "2 earlier claimed runs are still being sent\n"), told)
        method, path, _, body = server.seen[0]
        self.assertEqual((method, path), ("POST", "/api/v1/apply"))
        sent = json.loads(body)
        files = sent.pop("files")
        self.assertEqual(sent, {"source": "ops", "revision": 17, "dry_run": True, "prune": True})
        self.assertEqual([(each["name"], each["text"]) for each in files],
                         [(f"{self.folder}/jobs.d/a.toml", JOBS), (f"{self.folder}/jobs.d/b.toml", job("ü"))])
        self.ask(server, "apply", pattern)
        sent = json.loads(server.seen[1][3])
        self.assertEqual((sent["source"], sent["revision"], sent["dry_run"], sent["prune"]), ("apply", 0, False, False))

    def test_files_that_are_not_sent(self):
        server = Stranger(self, 200, "application/json", b"{}")
        long, odd = self.write("long.toml", "#" * (8 * 1024 * 1024)), self.folder / "odd.toml"
        odd.write_bytes(b"# \xff\n")
        self.assertEqual(self.ask(server, "apply", long).code, 1)
        self.assert_said(self.ask(server, "apply", str(odd)), 2, f"{odd}: the file is not valid UTF-8")
        self.assert_said(self.ask(server, "apply", "/nowhere.toml"), 2,
                         "PATH: cannot read /nowhere.toml: No such file or directory")
        self.assert_said(self.ask(server, "apply", f"{self.folder}/*.none"), 2, f"PATH: no file matches {self.folder}/*.none")
        self.assertEqual(server.seen, [])

    def test_mistakes_in_files_are_told_line_by_line(self):
        path = self.write("jobs.toml", JOBS)
        errors = [{"file": "a.toml", "line": 3, "detail": "no\x1b[2J"}, {"file": None, "line": None, "detail": "and so on"}, 7]
        body = json.dumps({"detail": "a.toml:3: no (and more)", "errors": errors}).encode()
        result = self.ask(Stranger(self, 400, "application/problem+json", body), "apply", path)
        self.assertEqual((result.code, result.errors), (2, ["ringmaster: a.toml:3: no [2J", "ringmaster: and so on"]), result)
        self.assertEqual(self.ask(Stranger(self, 409, "application/problem+json", body), "apply", path).code, 1)

    def test_an_answer_that_is_none_to_an_apply(self):
        path = self.write("jobs.toml", JOBS)
        for body in (b"{}", b'{"changes":7}', b'{"changes":[7]}', b'{"changes":[{"kind":"explode"}]}'):
            self.assert_said(self.ask(Stranger(self, 200, "application/json", body), "apply", path), 1,
                             "unexpected answer of the server to an apply: it is unknown whether the files were applied")

    def test_an_export_that_is_none(self):
        server = Stranger(self, 200, "application/json", b'{"items":[]}')
        self.assert_said(self.ask(server, "export"), 1, f"{server.address} does not respond like Ringmaster (HTTP 200, "
                         "application/json): is this the address of a server?")
        output = self.folder / "out.toml"
        self.assertEqual(self.ask(server, "export", "--output", str(output)).code, 1)
        self.assertFalse(output.exists())
        self.assert_said(self.ask(server, "export", "--group", "a", "--group", "b"), 2,
                         "a server exports either everything or a single --group")
        told = Stranger(self, 200, "application/toml", "# ü\n".encode())
        self.assertEqual(self.ask(told, "export", "--source", "a b").out, "# ü\n")
        self.assertEqual(told.seen[0][1], "/api/v1/export?source=a%20b")

    def test_a_run_by_hand_is_waited_for(self):
        going = {"id": 9, "trigger_code": 200, "handle_code": 0}
        answers = [{"items": [{"id": 1, "status": 200, "done": {"job": 1, "intent": 5}}]}, {"waiting": True, "runs": []},
                   {"waiting": False, "runs": [9, 10]}, going, going | {"handle_code": 200},
                   going | {"id": 10, "trigger_code": 500}]
        bodies = [json.dumps(each).encode() for each in answers]
        server = Stranger(self, 200, "application/json", bodies)
        result = self.ask(server, "job", "trigger", "1", "--wait", "--json")
        self.assertEqual((result.code, [each["id"] for each in json.loads(result.out)["items"]]), (1, [9, 10]), result)
        self.assertEqual([each[1].split("/api/v1")[1] for each in server.seen],
                         ["/jobs/trigger", "/intents/5", "/intents/5", "/runs/9", "/runs/9", "/runs/10"])
        never = Stranger(self, 200, "application/json", [bodies[0], b'{"waiting":true,"runs":[]}'])
        self.assert_said(self.ask(never, "job", "trigger", "1", "--wait", "--timeout", "300ms"), 1,
                         "no node took the request; is a server running?")
        dropped = Stranger(self, 200, "application/json", [bodies[0], b'{"waiting":false,"runs":[]}'])
        self.assert_said(self.ask(dropped, "job", "trigger", "1", "--wait"), 1,
                         "the run was dropped: its job or its row was removed")

    def test_a_run_is_ended(self):
        server = Stranger(self, 200, "application/json", b'{"message":"killed<br>\\u001b now"}')
        self.assertEqual(self.ask(server, "run", "kill", "7").out, "run 7 ended: killed   now\n")
        self.assertEqual(server.seen[-1][:2], ("POST", "/api/v1/runs/7/kill"))
        silent = Stranger(self, 200, "application/json", b'{"message":""}')
        self.assertEqual(self.ask(silent, "run", "kill", "7").out, "run 7 ended\n")

    def test_a_proxy_does_not_see_the_key(self):
        proxy = Stranger(self, 200, "application/json", b'{"items":[]}')
        server = Stranger(self, 200, "application/json", b'{"items":[]}')
        self.assertEqual(self.ask(server, http_proxy=proxy.address, ALL_PROXY=proxy.address).code, 0)
        self.assertEqual((len(server.seen) > 0, proxy.seen), (True, []))

    def test_https(self):
        key, certificate = str(self.folder / "key.pem"), str(self.folder / "certificate.pem")
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                               "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                               "subjectAltName=IP:127.0.0.1"], capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("openssl makes no certificate here")
        server = Stranger(self, 200, "application/json", b'{"items":[]}', certificate=(certificate, key))
        refused = self.ask(server)
        self.assertEqual((refused.code, server.seen), (1, []), refused)
        self.assertIn("certificate", refused.err)
        self.assertEqual(self.ask(server, "job", "list", "--ca-file", certificate).code, 0)
        self.assertEqual(self.ask(server, "job", "list", "--ca-file", "/nowhere").code, 2)


class TokenTest(Case):
    """The source of the key, and the servers that receive it."""

    def setUp(self):
        super().setUp()
        self.server = Stranger(self, 200, "application/json", b'{"items":[]}')

    def list(self, *arguments: str, **variables: str):
        return self.run_it("job", "list", "--server", self.server.address, *arguments, variables=variables)

    def keep(self, text: str, mode: int = 0o600) -> str:
        path = self.write("token", text)
        os.chmod(path, mode)
        return path

    def refused(self, result, line: str) -> None:
        self.assertEqual((result.code, result.errors), (2, [f"ringmaster: {line}".replace("{}", str(self.folder))]), result)
        self.assertEqual(self.server.seen, [])

    def test_places_in_their_order(self):
        argued, named, known = ("rmk_" + letter * 43 for letter in "fvk")
        path = self.keep(f" {argued}\n")
        other = self.write("other", named)
        os.chmod(other, 0o400)
        for arguments, variables, key in (
            (("--token-file", path), {"RINGMASTER_TOKEN_FILE": other, "RINGMASTER_TOKEN": known}, argued),
            ((), {"RINGMASTER_TOKEN_FILE": other, "RINGMASTER_TOKEN": known}, named),
            ((), {"RINGMASTER_TOKEN_FILE": "", "RINGMASTER_TOKEN": known}, known),
        ):
            self.server.seen.clear()
            self.assertEqual(self.list(*arguments, **variables).code, 0)
            self.assertEqual({each[2]["Authorization"] for each in self.server.seen}, {f"Bearer {key}"})

    def test_no_key(self):
        self.refused(self.list(), "the server needs an API key: give --token-file, RINGMASTER_TOKEN_FILE or RINGMASTER_TOKEN; "
                                  "`ringmaster key add NAME --user USER` creates one")

    def test_what_is_no_key(self):
        for text in ("", "secret", KEY + "\nX-Evil: 1", KEY[:-1], "k" * 4000):
            self.refused(self.list("--token-file", self.keep(text)),
                         "{}/token does not contain an API key; a key is rmk_ and 43 characters")
        self.refused(self.list("--token-file", self.keep(" " * 5000)), "{}/token: contains more than an API key")
        self.refused(self.list("--token-file", str(self.folder)), "{}: Is a directory")
        self.refused(self.list("--token-file", "/nowhere"), "/nowhere: No such file or directory")
        self.refused(self.list(RINGMASTER_TOKEN="secret"),
                     "RINGMASTER_TOKEN does not contain an API key; a key is rmk_ and 43 characters")

    def test_a_file_that_others_may_read(self):
        for mode in (0o644, 0o640, 0o604, 0o620):
            self.refused(self.list("--token-file", self.keep(KEY, mode)), f"{{}}/token: other users can read this API key (mode "
                         f"{mode:04o}); run chmod 600, and replace the key if they may have read it")

    def test_the_clear_is_for_this_machine_alone(self):
        for url in ("http://192.0.2.1:8080", "http://localhost.example:1/x", "http://[2001:db8::1]:1", "http://0.0.0.0:1"):
            result = self.run_it("job", "list", "--server", url, variables={"RINGMASTER_TOKEN": KEY})
            self.assertEqual(result.code, 2, result)
            self.assertIn(f"the API key would be sent unencrypted to {url}: use https://", result.err)

    def test_what_is_no_address(self):
        for url in ("localhost", "127.0.0.1:80", "ftp://127.0.0.1", "file:///etc/passwd", "http://u:p@127.0.0.1",
                    "http://127.0.0.1/?a=b", "http://127.0.0.1/#x"):
            result = self.run_it("job", "list", f"--server={url}", variables={"RINGMASTER_TOKEN": KEY})
            self.assertEqual((result.code, len(result.errors)), (2, 1), result)
            self.assertNotIn("u:p", result.err)

    def test_a_configuration_on_the_command_line_means_the_database(self):
        variables = {"RINGMASTER_SERVER": self.server.address, "RINGMASTER_TOKEN": KEY}
        self.succeed("job", "list", "--json", variables=variables)
        self.assertEqual(len(self.server.seen), 1)
        self.assertEqual(self.run_it("job", "list", "--set", "log.level=info", variables=variables).code, 1)
        self.assertEqual(len(self.server.seen), 1)
        self.assertEqual(self.list("--set", "log.level=info").code, 2)

    def test_what_only_servers_do(self):
        for command in (("log", "1"), ("run", "kill", "1")):
            self.refuse(2, "only a running server can do this, because it needs the executors: give --server or "
                        "RINGMASTER_SERVER", *command)
