"""Bad input to every endpoint of XXL-JOB's web API and of /api/v1, through the real binary: a refusal with a reason, no 500, and
no write."""

import json
import sqlite3
import urllib.parse

from web_case import CONTEXT, COOKIES, FORM, Client, Reply, Route, WebCase, route_table
from web_forms import FORMS, NUMBERS, PASSWORD, fill, form_of

MEGA = 1_000_000
# Already percent-encoded, sent unchanged. None of these is a number.
NO_NUMBERS = ["x", "1.5", "9" * 30, "0x10", "NaN", "Infinity", "1e3", "%20", "1%201", "%5B1%5D", "%7B%7D", "null", "true",
              "1%3B2", "-", "--1", "1'--", "%D9%A1"]
# Refused in every place.
NO_TEXTS = ["%00", "a%00b", "%FF%FE", "%C0%80", "%ED%A0%80", "%F4%90%80%80", "%80", "%", "%z", "%zz", "%e4%b8"]
ODD = ["", "0", "-1", "-2147483648", "2147483647", "2147483648", "-9223372036854775809", "+1", "%2B1", "1%2C2",
       "'%20OR%201=1%20--%20", "%3Cscript%3E", "..%2F..%2Fetc%2Fpasswd", "%E2%80%AE", "%0D%0ASet-Cookie:%20a=b", "%F0%9F%98%80",
       "%24%7Bjndi:ldap:%2F%2Fx%2Fy%7D", "http:%2F%2F169.254.169.254%2F", "%25n%25s", "x" * 70_000]
LAST = ("/remove", "/delete", "/trigger")
# Written after the answer, by work that was started before.
BEHIND = {"rm_intent", "rm_schedule", "rm_failed_run", "rm_asked_run", "xxl_job_log", "xxl_job_info"}


class Witness:
    """Detects writes: first by SQLite's version of the whole file, then by comparing the rows."""

    def __init__(self, case: WebCase):
        self.case = case
        self.db = sqlite3.connect(f"file:{case.data}/ringmaster.db?mode=ro", uri=True, timeout=30, isolation_level=None)
        case.addCleanup(self.db.close)
        self.but: set[str] = set()
        self.renew()

    def version(self) -> int:
        return self.db.execute("PRAGMA data_version").fetchone()[0]

    def renew(self) -> None:
        self.seen, self.digest = self.version(), self.case.digest(self.but)

    def changed(self) -> list[str]:
        if (now := self.version()) == self.seen:
            return []
        digest = self.case.digest(self.but)
        changed = [name for name in digest if digest[name] != self.digest.get(name)]
        self.seen, self.digest = now, digest
        return changed


def is_accepted(reply: Reply) -> bool:
    if reply.status == 302 or reply.type == "text/html":
        return True
    return reply.status == 200 and reply.json.get("code", 200) == 200


class CorpusCase(WebCase):
    def setUp(self):
        super().setUp()
        self.serve("--set", "security.glue=true")
        self.admin = fill(self)
        self.clients = {"2.x": self.admin, "3.3+": self.sign_in("3.3+")}
        self.witness = Witness(self)
        self.asked = 0

    def tearDown(self):
        if self.server.child.poll() is None:
            self.assertEqual(self.client().ask("GET", "/readyz").status, 200)
            self.assertEqual(self.server.stop(), 0, self.server.text())
        self.assertNotRegex(self.server.text(), r"\[error\]|AddressSanitizer|runtime error:|Assertion")

    def routes(self) -> list[tuple[Route, str]]:
        walked = [(route, dialect) for route in route_table() for dialect in route.dialects]
        self.assertEqual({route.path for route, _ in walked} - set(FORMS), set(), "a form of each route is in web_forms.py")
        return sorted(walked, key=lambda each: each[0].path.endswith(LAST))

    def refused_in_words(self, reply: Reply, dialect: str, what) -> None:
        self.assertEqual(reply.type, "application/json", (what, reply))
        said = reply.json
        self.assertEqual(said.get("code"), 500, (what, reply))
        self.assertTrue(isinstance(said["msg"], str) and said["msg"].strip(), (what, reply))
        self.assertEqual(set(said), {"code", "msg", "content"} if dialect == "2.x" else {"code", "msg", "data", "success"}, what)

    def check(self, reply: Reply, dialect: str, what, must_refuse: bool = False) -> None:
        self.asked += 1
        self.assertLess(reply.status, 500, (what, reply.status, reply.body[:300]))
        if is_accepted(reply) and not must_refuse:
            if self.witness.changed() and what[0].endswith("/trigger"):
                self.witness.but = BEHIND
            self.witness.renew()
            return
        self.refused_in_words(reply, dialect, what)
        self.assertEqual(self.witness.changed(), [], (what, reply))


class WebCorpusTest(CorpusCase):
    def send(self, route: Route, dialect: str, form: dict[str, str], raw: str) -> Reply:
        """`raw` is appended to the encoded form."""
        client = self.clients[dialect] if not route.path.endswith("logout") else self.client()
        text = urllib.parse.urlencode(form)
        return client.form(route.path, text + ("&" if text and raw else "") + raw)

    def try_values(self, route: Route, dialect: str, name: str) -> None:
        form = form_of(route, dialect)
        rest = {each: value for each, value in form.items() if each != name}
        own = urllib.parse.quote(name)
        for value in NO_TEXTS + (NO_NUMBERS if name in NUMBERS else []) + ODD:
            must = value in NO_TEXTS or (name in NUMBERS and value in NO_NUMBERS and name in form)
            self.check(self.send(route, dialect, rest, f"{own}={value}"), dialect, (route.path, dialect, name, value[:40]),
                       must and route.who != "anyone")
        for raw in (f"{own}[]=1&{own}[0]=2", f"{own}[a]=1", f"{own}=1&{own}=2&{own}=", f"{own}={'x' * MEGA}", "", f"={own}&&&="):
            self.check(self.send(route, dialect, rest, raw), dialect, (route.path, dialect, name, raw[:40]))

    def test_every_parameter_of_every_route(self):
        for route, dialect in self.routes():
            for name in form_of(route, dialect):
                self.try_values(route, dialect, name)
        self.assertGreater(self.asked, 5000)

    def test_what_is_no_form(self):
        bodies = [(FORM, "=".join("&" * 5000)), (FORM, "x=%ff"), (FORM + "; charset=utf-16", "i\0d\0=\0001\0"),
                  ("application/json", '{"id":1,"id":2}'), ("application/json", "[" * 100_000), ("text/plain", "id=1"),
                  ("", "id=1"), ("multipart/form-data", "id=1"), ("multipart/form-data; boundary=x", "--x\r\n"),
                  ("multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\n1'),
                  ("multipart/form-data; boundary=" + "x" * 4000, "--x--"), ("application/xml", "<!DOCTYPE a [<!ENTITY b SYSTEM "
                                                                            '"file:///etc/passwd">]><a>&b;</a>'),
                  ("application/x-java-serialized-object", "\xac\xed\0\5sr")]
        for route, dialect in self.routes():
            client = self.client() if route.path.endswith("logout") else self.clients[dialect]
            for kind, body in bodies:
                reply = client.ask("POST", CONTEXT + route.path, body, {"Content-Type": kind})
                what = (route.path, dialect, kind, body[:30])
                if "POST" in route.methods:
                    self.check(reply, dialect, what)
                else:
                    self.assertEqual(reply.status, 405, what)

    def test_methods_that_a_route_does_not_take(self):
        for route, dialect in self.routes():
            allowed = set(route.methods.split(", ")) | ({"HEAD"} if "GET" in route.methods else set())
            text = urllib.parse.urlencode(form_of(route, dialect))
            for method in {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"} - allowed:
                reply = self.clients[dialect].ask(method, f"{CONTEXT}{route.path}?{text}", None, {})
                what = (route.path, dialect, method)
                self.assertEqual(reply.status, 405, (what, reply))
                self.assertEqual(set(reply.headers["allow"].split(", ")), allowed, what)
                if method != "HEAD":
                    self.refused_in_words(reply, dialect, what)
                self.assertEqual(self.witness.changed(), [], what)


class WebStrangerTest(CorpusCase):
    def stale(self, dialect: str) -> str:
        client = self.sign_in(dialect)
        self.assertEqual(client.form("/logout" if dialect == "2.x" else "/auth/logout").json["code"], 200)
        return client.headers["Cookie"]

    def cookies(self, dialect: str) -> dict[str, str]:
        name = COOKIES[dialect]
        forged_2x = json.dumps({"id": 1, "username": "admin", "password": "e10adc3949ba59abbe56e057f20f883e", "role": 1}).encode()
        return {"none": "", "empty": name + "=", "random": name + "=" + "A" * 43, "stale": self.stale(dialect),
                # A user's row as XXL-JOB up to 3.2 writes it.
                "made from a password": name + "=" + forged_2x.hex(), "long": name + "=" + "x" * 15_000,
                "quoted": name + '="' + "A" * 43 + '"', "sql": name + "=' OR '1'='1", "many": "; ".join([name + "=x"] * 500),
                "bytes": name + "=\xff\xfe", "other": "other=" + self.clients[dialect].headers["Cookie"].split("=")[1]}

    def stranger(self, cookie: str) -> Client:
        """Uses its own address: lookups of unknown sessions are limited per address and minute."""
        self.strangers = getattr(self, "strangers", 0) + 1
        return self.client({"Cookie": cookie} if cookie else {}, f"127.1.{self.strangers // 250}.{self.strangers % 250 + 1}")

    def test_unknown_sessions_are_slowed_down(self):
        stranger = self.stranger(COOKIES["2.x"] + "=" + "A" * 43)
        statuses = {stranger.send("GET", "/jobs").status for _ in range(120)}
        self.assertEqual(statuses, {401, 429})

    def test_who_has_no_session(self):
        for dialect in ("2.x", "3.3+"):
            for kind, cookie in self.cookies(dialect).items():
                self.witness.renew()
                for route, each in self.routes():
                    if each == dialect and route.who not in ("anyone", "executor"):
                        self.turned_away(self.stranger(cookie), route, dialect, kind)
                for route in route_table():
                    if route.path.startswith("/api/v1/") and route.who != "anyone":
                        path = route.path[7:].replace("{id}", "1").replace("{name}", "mail").replace("{version}", "1")
                        reply = self.stranger(cookie).send(route.methods, path)
                        self.assertEqual(reply.status, 401, (route, kind, reply))
                self.assertEqual(self.witness.changed(), [], (dialect, kind))

    def turned_away(self, stranger: Client, route: Route, dialect: str, kind: str) -> None:
        reply = stranger.form(route.path, form_of(route, dialect))
        if reply.status == 302:
            self.assertEqual(reply.headers["location"], CONTEXT + "/toLogin")
        else:
            self.assertIn("not login", reply.json["msg"], (route, dialect, kind))
            # A cookie of neither dialect gets replies in the dialect of the tables' release.
            self.refused_in_words(reply, "3.3+" if "data" in reply.json else "2.x", (route, dialect, kind))

    def test_foreign_groups(self):
        """Edda is editor of group 2; all forms are of group 1."""
        for dialect in ("2.x", "3.3+"):
            edda = self.sign_in(dialect, "edda", PASSWORD)
            self.witness.renew()
            for route, each in self.routes():
                if each != dialect or route.who in ("anyone", "any_user", "first_of_all"):
                    continue
                reply = edda.form(route.path, form_of(route, dialect))
                self.refused_in_words(reply, dialect, (route, dialect))
                self.assertEqual(self.witness.changed(), [], (route, dialect))

    @staticmethod
    def ended_task(client, task: int):
        """Returns the progress of a task that has ended; otherwise nothing."""
        told = client.send("GET", f"/tasks/{task}").json
        return told if told["state"] != "running" else None

    def test_foreign_groups_of_the_api(self):
        """Objects of group 1 do not exist for edda, or she cannot change them."""
        made = self.succeed("key", "add", "edda's", "--user", "edda").out.strip()
        edda = self.client({"Authorization": f"Bearer {made}"})
        job = {"group": 1, "name": "x"}
        elastic = {"group": 1, "name": "x", "total": 1}
        bodies = {"/jobs": job, "/jobs/{id}": job, "/runs/clear": {"group": 1, "all": True},
                  "/elastic/jobs": elastic, "/elastic/jobs/{id}": elastic, "/elastic/preview": elastic,
                  "/jobs/{id}/source": {"source": "echo", "remark": "a remark"},
                  "/schedule/what_if": {"job": 1, "schedule": {"type": "NONE"}}}
        queries = {"/runs/{id}/log/search": "?q=x"}
        many = {"/jobs/start", "/jobs/stop", "/jobs/trigger"}
        tasks = {"/jobs/delete", "/runs/kill", "/runs/rerun"}
        self.witness.renew()
        for route in route_table():
            path = route.path[7:]
            if not route.path.startswith("/api/v1/") or route.who not in ("viewer", "operate", "editor", "admin"):
                continue
            if route.methods == "GET" and "{id}" not in path and route.who != "admin":
                reply = edda.send("GET", path + "?group=1")
                self.assertTrue(reply.status == 403 or reply.json["items"] == [], (route, reply))
            elif path in many:
                told = edda.send("POST", path, {"ids": [1]}).json["items"]
                self.assertEqual([each["status"] for each in told], [403], (route, told))
            elif path in tasks:
                begun = edda.send("POST", path, {"ids": [1]}).json["task"]
                told = self.server.wait_for(lambda: self.ended_task(edda, begun), "the task has ended")
                self.assertEqual((told["done"], told["failed"]), (0, 1), (route, told))
                self.assertIn(told["problems"][0]["code"], ("forbidden", "not_found"), (route, told))
            else:
                seen = {"If-Match": "*"} if route.takes_if_match else {}
                body = bodies.get(path, {}) if route.changes else None
                place = path.replace("{id}", "1").replace("{name}", "mail").replace("{version}", "1")
                reply = edda.send(route.methods, place + queries.get(path, ""), body, **seen)
                self.assertIn(reply.status, (403, 404) if route.who != "admin" else (403,), (route, reply))
            self.assertEqual(self.witness.changed(), [], route)

    def test_a_job_cannot_be_taken_into_or_out_of_a_foreign_group(self):
        edda = self.sign_in("2.x", "edda", PASSWORD)
        self.witness.renew()
        job = form_of(Route("POST", "/jobinfo/update", "editor", "both"), "2.x")
        for form in (job | {"id": "2", "jobGroup": "1"}, job | {"id": "1", "jobGroup": "2"},
                     job | {"id": "2", "jobGroup": "2", "childJobId": "1"}):
            self.refused_in_words(edda.form("/jobinfo/update", form), "2.x", form)
        self.refused_in_words(edda.form("/jobinfo/trigger", {"id": "2", "addressList": "http://127.0.0.1:1"}), "2.x", "address")
        self.assertEqual(self.witness.changed(), [])


class ExecutorCorpusTest(CorpusCase):
    """Endpoints for executors: always HTTP 200, as their clients require."""

    BODIES = [b"", b"\0", b"{", b"[", b"null", b"1", b'"x"', b"<x/>", b"[" * 100_000, b'{"a":' * 5000, b'[[[[]]]]', b"\xff\xfe",
              b'{"registryGroup":["EXECUTOR"],"registryKey":{},"registryValue":1}', b'{"registryGroup":"EXECUTOR"}',
              b'{"registryGroup":"EXECUTOR","registryKey":"\\u0000","registryValue":"http://127.0.0.1:9/"}',
              b'{"registryGroup":"EXECUTOR","registryKey":"' + b"x" * MEGA + b'","registryValue":"http://127.0.0.1:9/"}',
              b'[{"logId":"x"}]', b'[{"logId":1e400,"handleCode":200}]', b'[{"logId":-1,"handleCode":200,"handleMsg":"x"}]',
              b'[{"logId":99999999999999999999,"handleCode":200}]', b'[{"logId":2147483647,"handleCode":[]}]', b"[null,1,{}]",
              b'{"id":-1}', b'{"id":"x"}', b'{"id":1.5}', b'{"id":99999999999999999999}', b'{"id":[1]}', b'{"id":2147483647}',
              b'{"jobGroup":-1,"name":"x"}', b'{"jobGroup":1,"name":["x"]}', b'{"jobGroup":1,"name":"' + b"x" * MEGA + b'"}']

    def test_bodies(self):
        token = {"XXL-JOB-ACCESS-TOKEN": self.secret("access_token")}
        client = self.client()
        for route in route_table():
            if route.who != "executor":
                continue
            for body in self.BODIES:
                reply = client.ask("POST", CONTEXT + route.path, body, token)
                self.assertEqual(reply.status, 200, (route, body[:40]))
                self.assertIn(reply.json["code"], (200, 500), (route, body[:40], reply))
                self.assertTrue(reply.json["code"] == 200 or reply.json["msg"], (route, body[:40], reply))
            for method in ("GET", "PUT", "DELETE"):
                self.assertLess(client.ask(method, CONTEXT + route.path, b"{}", token).status, 500)
        # Registrations are written after their answer, one after the other.
        good = {"registryGroup": "EXECUTOR", "registryKey": "app-1", "registryValue": "http://127.0.0.1:9/"}
        self.assertEqual(client.ask("POST", CONTEXT + "/api/registry", json.dumps(good), token).json["code"], 200)
        self.server.wait_for(lambda: self.rows("SELECT 1 FROM xxl_job_registry WHERE registry_value = 'http://127.0.0.1:9/'"),
                             "a registration is written")
        self.assertEqual([name for name in self.witness.changed() if name != "xxl_job_registry"], [])


class ApiCorpusTest(CorpusCase):
    BODIES = [b"", b"\0", b"{", b"[]", b"null", b"1", b'"x"', b"{}", b"<x/>", b"[" * 100_000, b'{"a":' * 5000, b"{'group':1}",
              b"\xef\xbb\xbf{}x", b'{"name":"a","name":"b"}', b'{"name":"\xff\xfe"}', b'{"name":"\0"}', b'{"name":"\\ud800"}',
              b'{"name":"' + b"x" * MEGA + b'"}', b'{"id":1e400}', b'{"group":99999999999999999999}',
              b'{"group":-1,"name":"x"}', b'{"group":[1],"name":"x"}', b'{"group":1,"name":{"a":1}}', b'{"group":1,"name":"x",}',
              b'{"ids":[]}', b'{"ids":[0,-1]}', b'{"ids":"1"}', b'{"__proto__":{"admin":true}}', b'{"all":"true"}',
              b'{"all":true,"until_ms":1}']
    IDS = ["0", "-1", "+1", "1.5", "x", "%00", "%31", "1%2F2", "99999999999999999999999", "9223372036854775808", "2147483648",
           "01", "%ff", "..", "1;a=b"]

    # An absent setting of a user has its default.
    COMPLETE = {("/users/me/settings", b"{}")}

    def refused(self, reply: Reply, what) -> None:
        self.assertTrue(400 <= reply.status < 500, (what, reply))
        self.assertEqual(reply.type, "application/problem+json", (what, reply))
        said = reply.json
        self.assertEqual(said["status"], reply.status, what)
        self.assertTrue(said["detail"] and said["type"].startswith("urn:ringmaster:"), (what, reply))
        self.assertEqual(self.witness.changed(), [], (what, reply))

    def test_bodies_and_ids(self):
        client = self.key_client()
        self.witness.renew()
        for route in route_table():
            if not route.path.startswith("/api/v1/"):
                continue
            path = route.path[7:]
            for number in self.IDS if "{id}" in path else []:
                self.refused(client.send(route.methods, path.replace("{id}", number).replace("{name}", "mail")), (route, number))
            # Checks of the doctor have no id and read no body.
            for body in self.BODIES if route.methods in ("POST", "PUT") and path != "/doctor" else []:
                if (path, body) in self.COMPLETE:
                    continue
                self.try_body(client, route, path.replace("{id}", "2147483647").replace("{name}", "mail"), body)

    def try_body(self, client: Client, route: Route, path: str, body: bytes) -> None:
        headers = {"Content-Type": "application/json"} | ({"If-Match": "*"} if route.takes_if_match else {})
        reply = client.ask(route.methods, "/api/v1" + path, body, headers)
        # The id 2147483647 does not exist, and no body is a complete request, except for empty lists.
        self.refused(reply, (route, body[:40]))
        if body:
            for kind in ("text/plain", FORM, "application/xml", "", "application/jsonx", "multipart/form-data"):
                self.refused(client.ask(route.methods, "/api/v1" + path, body, headers | {"Content-Type": kind}), (route, kind))

    def test_queries(self):
        client = self.key_client()
        document = client.send("GET", "/openapi.json").json
        self.witness.renew()
        for path, methods in document["paths"].items():
            for each in methods.get("get", {}).get("parameters", []):
                if each["in"] != "query":
                    continue
                for value in NO_TEXTS:
                    target = path.replace("{id}", "1") + f"?{each['name']}={value}"
                    self.refused(client.ask("GET", target), target)
                for value in ODD + NO_NUMBERS:
                    target = path.replace("{id}", "1") + f"?{each['name']}={value[:9000]}"
                    self.assertLess(client.ask("GET", target).status, 500, target[:200])
        self.assertEqual(self.witness.changed(), [])


