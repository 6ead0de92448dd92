"""Vulnerabilities of XXL-JOB's admin over the years, tried on the real binary: docs/security.md names the test of each entry.

The data are those of web_forms.py: edda is editor of group 2 but not of group 1, vera has no permissions.
"""

import json
import re
import socket
import urllib.parse

from command_case import Case
from web_case import CONTEXT, COOKIES, ROOT, Reply, WebCase, route_table
from web_corpus_test import CorpusCase
from web_forms import JOB, PASSWORD, USER, form_of

ANOTHER_SITE = ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                {"Origin": "null"}, {"Origin": "http://127.0.0.1.evil.example"})
TEMPLATES = ["${7*7}", "<#assign x=7*7>${x}", "[[${7*7}]]", "#{7*7}", "{{7*7}}", "<%= 7*7 %>", "T(java.lang.Runtime)", "%{7*7}"]
HESSIAN = b"c\x02\x00m\x00\x0eaddJobS\x00\x01xz"
JAVA_OBJECT = b"\xac\xed\x00\x05sr\x00\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16\x60\xd1\x03\x00\x02"


class Trap:
    """Listens at an address that must not be contacted; `touched` tells whether a connection came."""

    def __init__(self, case: Case):
        self.listener = socket.create_server(("127.0.0.1", 0))
        case.addCleanup(self.listener.close)
        self.listener.setblocking(False)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"

    def touched(self) -> bool:
        try:
            self.listener.accept()[0].close()
            return True
        except BlockingIOError:
            return False


class HistoryCase(CorpusCase):
    def setUp(self):
        super().setUp()
        self.edda = self.sign_in("2.x", "edda", PASSWORD)
        self.vera = self.sign_in("2.x", "vera", PASSWORD)
        self.witness.renew()

    def refused(self, reply: Reply, what="") -> None:
        self.refused_in_words(reply, "2.x", what)
        self.assertEqual(self.witness.changed(), [], what)


class RightsTest(HistoryCase):
    def test_cve_2022_36157_cve_2023_33779_what_is_for_others_is_refused(self):
        for path in ("/jobgroup/save", "/jobgroup/update", "/jobgroup/remove", "/user/add", "/user/update", "/user/remove",
                     "/user/pageList", "/jobgroup/pageList", "/jobinfo/add", "/jobinfo/update", "/jobinfo/trigger",
                     "/jobinfo/start", "/jobcode/save"):
            form = form_of(next(each for each in route_table() if each.path == path), "2.x")
            for client in (self.edda, self.vera):
                self.refused(client.form(path, form), path)
        # A user cannot make their own account an administrator.
        self.refused(self.edda.form("/user/update", {"id": "2", "role": "1", "username": "edda"}))

    def test_cve_2023_27087_lists_show_no_foreign_groups(self):
        page = {"length": "100", "triggerStatus": "-1", "jobId": "0", "logStatus": "-1"}
        for path in ("/jobinfo/pageList", "/joblog/pageList"):
            self.refused(self.vera.form(path, page | {"jobGroup": "1"}), path)
        rows = self.edda.form("/jobinfo/pageList", page | {"jobGroup": "0"}).json["data"]
        self.assertEqual({row["jobGroup"] for row in rows}, {2})
        self.assertEqual(self.vera.form("/jobinfo/pageList", page | {"jobGroup": "0"}).json.get("data", []), [])
        for client in (self.edda, self.vera):
            reply = client.form("/joblog/pageList", page | {"jobGroup": "0", "jobId": "1"})
            self.assertEqual(reply.json.get("data") or [], [], reply)

    def test_cve_2023_48087_logs_are_neither_read_nor_cleared_by_others(self):
        for client in (self.edda, self.vera):
            self.refused(client.form("/joblog/clearLog", {"jobGroup": "1", "jobId": "0", "type": "9"}))
            self.refused(client.form("/joblog/clearLog", {"jobGroup": "0", "jobId": "0", "type": "9"}))
            self.refused(client.form("/joblog/clearLog", {"jobGroup": "0", "jobId": "1", "type": "9"}))
            self.refused(client.form("/joblog/logDetailCat", {"logId": "1", "fromLineNum": "1"}))
            self.refused(client.form("/joblog/logKill", {"id": "1"}))

    def test_cve_2024_42681_a_child_of_a_foreign_group_is_refused(self):
        own = JOB | {"jobGroup": "2", "childJobId": "1"}
        self.refused(self.edda.form("/jobinfo/add", own))
        self.refused(self.edda.form("/jobinfo/update", own | {"id": "2"}))

    def test_cve_2025_9263_jobs_of_a_foreign_group_are_not_listed(self):
        for client in (self.edda, self.vera):
            self.refused(client.form("/joblog/getJobsByGroup", {"jobGroup": "1"}))
        self.refused(self.vera.form("/joblog/getJobsByGroup", {"jobGroup": "2"}))

    def test_cve_2025_9264_foreign_objects_are_not_removed(self):
        self.refused(self.edda.form("/jobinfo/remove", {"id": "1"}))
        self.refused(self.edda.form("/jobinfo/remove", {"id": "1", "jobGroup": "2"}))
        self.refused(self.edda.form("/jobgroup/remove", {"id": "1"}))
        self.refused(self.edda.form("/user/remove", {"id": "3"}))

    def test_a_group_is_told_without_its_token_and_to_its_own_alone(self):
        self.assertEqual(self.admin.form("/jobgroup/update", {"id": "2", "appname": "app-2", "title": "T", "addressType": "0",
                                                              "accessToken": "a-group-token"}).json["code"], 200)
        self.witness.renew()
        self.refused(self.edda.form("/jobgroup/loadById", {"id": "1"}))
        self.refused(self.vera.form("/jobgroup/loadById", {"id": "2"}))
        told = self.edda.form("/jobgroup/loadById", {"id": "2"}).text + self.admin.form("/jobgroup/pageList").text
        self.assertIn("app-2", told)
        self.assertNotIn("a-group-token", told)

    def test_cve_2020_23811_no_password_or_token_is_told(self):
        told = self.admin.form("/user/pageList", {"role": "-1", "length": "100"}).text
        told += self.key_client().send("GET", "/users").text
        self.assertIn("edda", told)
        stored = [password for password, in self.rows("SELECT password FROM xxl_job_user")]
        for secret in (*stored, "argon2", self.secret("access_token"), PASSWORD):
            self.assertNotIn(secret, told)


class ForgeryTest(HistoryCase):
    def test_other_sites_change_nothing_by_any_route(self):
        """CVE-2020-24922, CVE-2022-29002, CVE-2026-26718, CVE-2026-106708."""
        for route, dialect in self.routes():
            if not route.changes:
                continue
            for headers in ANOTHER_SITE:
                reply = self.clients[dialect].form(route.path, form_of(route, dialect), **headers)
                self.assertEqual(reply.status, 403, (route, headers, reply))
                self.assertEqual(self.witness.changed(), [], (route, headers))
        for route in route_table():
            if route.path.startswith("/api/v1/") and route.changes:
                # A sign-in has no session yet, and so no CSRF token.
                without_token = () if route.who == "anyone" else ({}, {"X-CSRF-Token": "x"})
                for headers in (*without_token, *ANOTHER_SITE):
                    path = route.path[7:].replace("{id}", "2").replace("{name}", "mail")
                    reply = self.admin.send(route.methods, path, {}, **headers)
                    self.assertEqual(reply.status, 403, (route, headers, reply))
        self.assertEqual(self.witness.changed(), [])

    def test_no_link_changes_anything(self):
        for route, dialect in self.routes():
            if route.changes:
                for method in ("GET", "HEAD"):
                    target = f"{route.path}?{urllib.parse.urlencode(form_of(route, dialect))}"
                    self.assertEqual(self.clients[dialect].ask(method, target).status, 405, route)
        self.assertEqual(self.witness.changed(), [])

    def test_cookies_do_not_leave_with_other_sites_requests(self):
        for dialect, path in (("2.x", "/login"), ("3.3+", "/auth/doLogin")):
            reply = self.client().form(path, {"userName": "edda", "password": PASSWORD})
            for part in ("HttpOnly", "SameSite=Lax", "Path=/"):
                self.assertIn(part, reply.cookies[0], (dialect, reply))

    def test_cve_2025_7789_a_session_is_random_and_not_made_of_the_password(self):
        seen = set()
        for _ in range(5):
            for dialect in COOKIES:
                seen.add(self.sign_in(dialect, "edda", PASSWORD).headers["Cookie"].split("=", 1)[1])
        self.assertEqual(len(seen), 10)
        for value in seen:
            self.assertRegex(value, r"^[A-Za-z0-9_-]{43}$")
        stored = repr(self.rows("SELECT * FROM rm_session"))
        self.assertFalse(any(value in stored for value in seen))


class OutboundTest(HistoryCase):
    def test_cve_2022_43183_a_log_is_asked_for_where_the_run_was(self):
        trap = Trap(self)
        for name in ("executorAddress", "address", "addressList"):
            for client in self.clients.values():
                client.form("/joblog/logDetailCat", {"logId": "1", "fromLineNum": "1", "triggerTime": "0", name: trap.address})
        self.assertFalse(trap.touched())

    def test_cve_2024_24113_no_token_goes_where_an_editor_says(self):
        trap = Trap(self)
        self.refused(self.edda.form("/jobinfo/trigger", {"id": "2", "executorParam": "", "addressList": trap.address}))
        self.assertFalse(trap.touched())
        for address in ("http://169.254.169.254/", "http://[fe80::1]/", "http://8.8.8.8/", "file:///etc/passwd", "gopher://x/",
                        "http://127.0.0.1:9@169.254.169.254/", "http://0xa9fea9fe/", "http://169.254.169.254.nip.io/"):
            self.refused_or_not_sent(address)

    def refused_or_not_sent(self, address: str) -> None:
        """Not even an administrator can have requests sent to addresses that are not executors."""
        reply = self.admin.form("/jobinfo/trigger", {"id": "2", "executorParam": "", "addressList": address})
        if reply.json["code"] != 200:
            return
        last = self.rows("SELECT max(id) FROM rm_intent")[0][0]
        done = "SELECT trigger_code FROM xxl_job_log WHERE trigger_code <> 0 AND job_id = 2 ORDER BY id DESC"
        self.assertIsNotNone(last)
        self.assertEqual(self.server.wait_for(lambda: self.rows(done), address)[0][0], 500, address)

    def test_no_executor_is_registered_at_a_metadata_address(self):
        headers = {"XXL-JOB-ACCESS-TOKEN": self.secret("access_token")}
        for address in ("http://169.254.169.254/", "http://[fe80::1]/", "http://8.8.8.8/", "http://127.0.0.1:9/"):
            value = {"registryGroup": "EXECUTOR", "registryKey": "app-1", "registryValue": address}
            self.client().ask("POST", CONTEXT + "/api/registry", json.dumps(value), headers)
        stored = "SELECT registry_value FROM xxl_job_registry"
        self.server.wait_for(lambda: self.rows(stored), "the one that may be called is stored")
        self.assertEqual(self.rows(stored), [("http://127.0.0.1:9/",)])


class CodeTest(HistoryCase):
    def test_cve_2024_3366_templates_are_texts(self):
        for text in TEMPLATES:
            made = self.admin.form("/jobinfo/add", JOB | {"jobDesc": text, "executorParam": text})
            self.assertEqual(made.json["code"], 200, made)
            for client in (self.admin, self.clients["3.3+"]):
                reply = client.form("/jobinfo/pageList", {"jobGroup": text, "triggerStatus": "-1"})
                self.assertNotIn("49", re.sub(r"[\d:.T+-]{10,}", "", reply.text), text)
        shown = self.admin.form("/jobinfo/pageList", {"jobGroup": "1", "triggerStatus": "-1", "length": "100"}).json["data"]
        self.assertTrue(set(TEMPLATES) <= {row["jobDesc"] for row in shown})
        self.assertTrue(set(TEMPLATES) <= {row["executorParam"] for row in shown})
        self.witness.renew()

    def test_no_object_is_read_from_bytes(self):
        headers = {"XXL-JOB-ACCESS-TOKEN": self.secret("access_token")}
        for path in ("", "/", "/addJob", "/registry", "/callback", "/run"):
            for kind, body in (("x-application/hessian", HESSIAN), ("application/x-java-serialized-object", JAVA_OBJECT)):
                reply = self.client().ask("POST", CONTEXT + "/api" + path, body, headers | {"Content-Type": kind})
                self.assertLess(reply.status, 500, path)
                self.assertFalse(reply.status == 200 and reply.json["code"] == 200, (path, reply))
        self.assertEqual(self.witness.changed(), [])

    def test_the_executors_api_needs_the_token(self):
        for operation in ("registry", "registryRemove", "callback", "addJob", "updateJob", "removeJob", "startJob", "triggerJob"):
            for headers in ({}, {"XXL-JOB-ACCESS-TOKEN": ""}, {"XXL-JOB-ACCESS-TOKEN": "default_token"},
                            {"XXL-JOB-ACCESS-TOKEN": self.secret("access_token") + " x"},
                            {"Cookie": self.admin.headers["Cookie"]}):
                reply = self.client().ask("POST", f"{CONTEXT}/api/{operation}", '{"id":1,"registryGroup":"EXECUTOR",'
                                          '"registryKey":"app-1","registryValue":"http://127.0.0.1:9/"}', headers)
                self.assertEqual((reply.status, reply.json["code"]), (200, 500), (operation, headers))
        self.assertEqual(self.witness.changed(), [])


class DefaultsTest(WebCase):
    def test_the_known_token_stops_the_start(self):
        done = self.run_it("serve", "--set", "security.access_token=default_token", "--set", "server.listen=127.0.0.1:0")
        self.assertEqual(done.code, 2, done)
        self.assertIn("allow_default_token", done.err)

    def test_no_secret_is_the_same_twice_and_none_is_known(self):
        tokens, passwords = set(), set()
        for name in ("one", "two"):
            self.data = self.folder / name
            server = self.serve()
            tokens.add(self.secret("access_token"))
            passwords.add(self.secret("admin_password"))
            for known in ("123456", "admin", "", "e10adc3949ba59abbe56e057f20f883e"):
                reply = self.client().form("/login", {"userName": "admin", "password": known})
                self.assertNotEqual(reply.json["code"], 200, known)
            self.assertEqual((self.data / "initial-secrets").stat().st_mode & 0o777, 0o600)
            self.assertEqual(server.stop(), 0)
        self.assertEqual((len(tokens), len(passwords)), (2, 2))
        self.assertTrue(all(len(each) >= 12 for each in tokens | passwords))

    def test_passwords_are_salted_and_slow(self):
        self.serve()
        admin = self.sign_in("2.x")
        for name in ("usera", "userb"):
            self.assertEqual(admin.form("/user/add", USER | {"username": name, "permission": ""}).json["code"], 200)
        stored = [each for each, in self.rows("SELECT password FROM xxl_job_user")]
        self.assertEqual(len(set(stored)), 3)
        self.assertTrue(all(each.startswith("$argon2id$") for each in stored), stored)

    def test_cve_2023_48089_cve_2022_40929_scripts_are_off(self):
        self.serve()
        admin = self.sign_in("2.x")
        admin.form("/jobgroup/save", {"appname": "app-1", "title": "T", "addressType": "0"})
        script = JOB | {"glueType": "GLUE_SHELL", "glueSource": "id"}
        self.assertNotEqual(admin.form("/jobinfo/add", script).json["code"], 200)
        self.assertEqual(admin.form("/jobinfo/add", JOB).json["code"], 200)
        for path, values in (("/jobcode/save", {"id": "1", "glueSource": "id", "glueRemark": "a remark"}),
                             ("/jobinfo/update", script | {"id": "1"})):
            admin.form(path, values)
        reply = self.key_client().send("POST", "/jobs", {"group": 1, "name": "x", "author": "x", "glue_type": "GLUE_SHELL",
                                                         "glue_source": "id", "schedule": {"type": "NONE"}})
        self.assertIn(reply.status, (400, 403), reply)
        self.assertEqual(self.rows("SELECT DISTINCT glue_type, glue_source FROM xxl_job_info"), [("BEAN", "")])
        self.assertEqual(self.rows("SELECT * FROM xxl_job_logglue"), [])

    def test_it_listens_on_loopback_until_it_is_told_otherwise(self):
        """tests/unit/example_file_test.cpp: the file has the defaults."""
        listen = re.search(r'^listen = "([^"]+)"', (ROOT / "config/ringmaster.example.toml").read_text(encoding="utf-8"), re.M)
        self.assertEqual(listen[1], "127.0.0.1:8080")

    def test_guessing_takes_longer_and_longer(self):
        self.serve()
        guesser = self.client()
        said = [guesser.form("/login", {"userName": "admin", "password": f"guess {at}"}).json["msg"] for at in range(8)]
        self.assertEqual(len(set(said[:5])), 1, said)
        self.assertNotEqual(said[7], said[0], said)
        # The right password must wait too; otherwise guessing could continue through it.
        self.assertNotEqual(guesser.form("/login", {"userName": "admin", "password": self.secret("admin_password")}).json["code"],
                            200)
