"""Markup in every text that a client can send, through the real binary and out again by every route that shows it.

Each line of tests/data/xss_corpus.txt is a payload, as a JSON string.
"""

import json
import re
import threading
import urllib.parse
import urllib.request

from command_case import DEADLINE_S
from stub_executor import StubExecutor
from web_case import CONTEXT, ROOT, Client, Reply, WebCase, route_table
from web_forms import GROUP, JOB, PASSWORD, USER, form_of

CORPUS = [json.loads(line) for line in (ROOT / "tests/data/xss_corpus.txt").read_text(encoding="utf-8").splitlines()]
SPAN = r'<span style="color:#[0-9a-fA-F]{3,8};" ?>'
# docs/http_api.md, "Which texts are HTML".
MARKUP = {"triggerMsg": rf"<br/?>|</span>|{SPAN}", "logContent": r"<br>|</?b>"}
JSON = ("application/json", "application/problem+json")
METRIC = re.compile(r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="(\\[\\n"]|[^"\\\n])*",?)*\})? [^ ]+( \d+)?')


def result_of(run: dict, message: str) -> list[dict]:
    return [{"logId": run["logId"], "logDateTim": run["logDateTime"], "handleCode": 200, "handleMsg": message}]


class EchoExecutor(StubExecutor):
    """Returns the text of the request in every text of its answers. Param `fail:…`: refuses the run with it."""

    def __init__(self, case: WebCase):
        self.case, self.texts = case, {}
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict:
        if path.endswith("/run"):
            text = self.texts[asked["logId"]] = asked["executorParams"].removeprefix("fail:")
            if asked["executorParams"].startswith("fail:"):
                return {"code": 500, "msg": text}
            threading.Thread(target=self.case.call_api, args=("callback", result_of(asked, text)), daemon=True).start()
            return {"code": 200, "msg": text}
        if path.endswith("/log"):
            text = self.texts.get(asked["logId"], "")
            content = {"fromLineNum": asked["fromLineNum"], "toLineNum": 1, "logContent": text + "\n", "isEnd": False}
            return {"code": 200, "msg": text, "content": content, "data": content}
        return {"code": 200}


class XssTest(WebCase):
    def setUp(self):
        super().setUp()
        self.serve("--set", "security.glue=true")
        self.executor = EchoExecutor(self)
        self.clients = {dialect: self.sign_in(dialect) for dialect in ("2.x", "3.3+")}
        self.admin = self.clients["2.x"]
        self.program = self.key_client()
        self.stored: set[str] = set()

    def call_api(self, operation: str, value) -> dict:
        headers = {"Content-Type": "application/json", "XXL-JOB-ACCESS-TOKEN": self.secret("access_token")}
        request = urllib.request.Request(f"{self.server.address()}{CONTEXT}/api/{operation}", json.dumps(value).encode(), headers)
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    # -- what every answer must be -------------------------------------------------------------------------------------------

    def check(self, reply: Reply, what) -> Reply:
        self.assertLess(reply.status, 500, (what, reply))
        self.assertIn(reply.type, (*JSON, "application/toml", "text/plain", "text/html", ""), (what, reply))
        policy = reply.headers["content-security-policy"]
        self.assertNotRegex(policy, r"unsafe-|\*|script-src [^;]*(?:data|http|nonce)", (what, reply))
        self.assertIn("default-src 'self'", policy)
        self.assertEqual((reply.headers["x-content-type-options"], reply.headers["x-frame-options"]), ("nosniff", "DENY"), what)
        for name, value in reply.headers.items():
            self.assertNotRegex(name + value, r"[<>\r\n]|a=b$", (what, reply))
        if reply.type == "text/html":
            self.assertNotRegex(reply.text.lower(), r"script|alert|javascript|onerror|x\.example", (what, reply))
        elif reply.type in JSON and reply.body:
            self.walk(reply.json, what)
        return reply

    def walk(self, value, what) -> None:
        """HTML fields contain no markup except the documented one; other texts are returned unchanged."""
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            if name in MARKUP and inner:
                # XXL-JOB's own text contains `<<<<`, which opens no tag.
                self.assertNotRegex(re.sub(MARKUP[name], "|", inner), r"<[a-zA-Z/!?]", (what, name, inner))
            self.walk(inner, what)

    # -- in ------------------------------------------------------------------------------------------------------------------

    def store(self, path: str, values: dict, payload: str) -> bool:
        reply = self.check(self.admin.form(path, values), (path, payload))
        accepted = reply.status == 200 and reply.json.get("code") == 200
        if accepted:
            self.stored.add(payload)
        return accepted

    def store_groups(self) -> None:
        self.assertTrue(self.store("/jobgroup/save", GROUP | {"appname": "app-1", "addressList": self.executor.address}, "-"))
        for at, payload in enumerate(CORPUS):
            self.store("/jobgroup/save", GROUP | {"appname": payload}, payload)
            self.store("/jobgroup/save", GROUP | {"appname": f"own-{at}", "title": payload}, payload)
            self.store("/jobgroup/save", GROUP | {"appname": f"adr-{at}", "addressList": payload}, payload)
            address = "http://127.0.0.1:9/" + payload
            self.store("/jobgroup/save", GROUP | {"appname": f"url-{at}", "addressList": address}, payload)

    def store_jobs(self) -> None:
        for name in ("jobDesc", "author", "executorHandler", "executorParam", "alarmEmail", "scheduleConf", "glueRemark"):
            for payload in CORPUS:
                self.store("/jobinfo/add", JOB | {name: payload}, payload)
        for payload in CORPUS:
            script = JOB | {"glueType": "GLUE_SHELL", "executorHandler": "", "glueSource": payload, "glueRemark": payload}
            self.store("/jobinfo/add", script, payload)

    def store_people(self) -> None:
        for at, payload in enumerate(CORPUS):
            self.store("/user/add", USER | {"username": payload[:20]}, payload[:20])
            self.check(self.program.send("POST", "/keys", {"name": payload[:64]}), payload)
            user = {"name": payload[:18] + str(at), "password": PASSWORD, "admin": False}
            self.check(self.program.send("POST", "/users", user), payload)

    def run_all(self) -> None:
        job = self.rows("SELECT min(id) FROM xxl_job_info WHERE job_group = 1")[0][0]
        for payload in CORPUS:
            for param in (payload, "fail:" + payload):
                self.assertTrue(self.store("/jobinfo/trigger", {"id": job, "executorParam": param}, payload))
        wanted = 2 * len(CORPUS)
        done = "SELECT count(*) FROM xxl_job_log WHERE handle_code <> 0 OR trigger_code = 500"
        self.server.wait_for(lambda: self.rows(done)[0][0] == wanted, f"{wanted} runs are over")

    def register_all(self) -> None:
        for payload in CORPUS:
            for key, value in ((payload, self.executor.address), ("app-1", payload), ("app-1", f"http://127.0.0.1:9/{payload}")):
                said = self.call_api("registry", {"registryGroup": "EXECUTOR", "registryKey": key, "registryValue": value})
                self.assertIn(said["code"], (200, 500), said)

    def declare_all(self) -> None:
        texts = [each for each in CORPUS if "\r" not in each]
        blocks = ['[[group]]\napp_name = "declared"\n']
        for at, payload in enumerate(texts):
            text = json.dumps(payload, ensure_ascii=False)
            blocks.append(f'[[job]]\ngroup = "declared"\nkey = "j{at}"\nhandler = {text}\nname = {text}\nparams = {text}\n')
        done = self.run_it("apply", self.write("jobs.toml", "\n".join(blocks)))
        self.assertEqual(done.code, 0, done)

    # -- out -----------------------------------------------------------------------------------------------------------------

    def read_lists(self) -> str:
        told = []
        for dialect, client in self.clients.items():
            for route in route_table():
                if dialect not in route.dialects or route.changes or route.who == "anyone":
                    continue
                form = form_of(route, dialect) | ({"length": "1000"} if dialect == "2.x" else {"pagesize": "1000"})
                told.append(self.check(client.form(route.path, form), (route.path, dialect)).text)
        return "".join(told)

    def read_runs(self) -> None:
        for number, in self.rows("SELECT id FROM xxl_job_log"):
            for client in self.clients.values():
                self.check(client.form("/joblog/logDetailCat", {"logId": number, "fromLineNum": 1}), number)
            self.check(self.program.send("GET", f"/runs/{number}"), number)
            self.check(self.program.send("GET", f"/runs/{number}/log"), number)

    def read_api(self) -> None:
        for route in route_table():
            if not route.path.startswith("/api/v1/") or route.changes:
                continue
            for number in range(1, 20) if "{id}" in route.path else ("",):
                path = route.path[7:].replace("{id}", str(number)).replace("{version}", str(number))
                self.check(self.program.send("GET", path + "?limit=500"), route)

    def read_metrics(self) -> None:
        reply = self.client().ask("GET", "/metrics")
        self.assertEqual((reply.type, reply.headers["x-content-type-options"]), ("text/plain", "nosniff"))
        for line in reply.text.splitlines():
            self.assertTrue(line.startswith("# ") or METRIC.fullmatch(line), line)
        self.assertNotIn("<script", reply.text)

    # -- tests ---------------------------------------------------------------------------------------------------------------

    def test_what_is_stored(self):
        self.store_groups()
        self.store_jobs()
        self.store_people()
        self.register_all()
        self.declare_all()
        self.run_all()
        # Nearly all payloads are texts that a user could enter.
        self.assertGreater(len(self.stored), len(CORPUS) * 0.8)
        told = self.read_lists()
        self.read_runs()
        self.read_api()
        self.read_metrics()
        # Plain texts come back unchanged: nothing is lost, and the client that shows them must escape them.
        rows = self.admin.form("/jobinfo/pageList", {"jobGroup": 1, "triggerStatus": -1, "length": 1000}).json["data"]
        shown = {row["jobDesc"] for row in rows} | {row["executorParam"] for row in rows}
        self.assertIn(CORPUS[0], shown)
        self.assertIn("&lt;script&gt;", told)
        self.assertEqual(self.server.stop(), 0, self.server.text())

    def test_what_is_sent_back_at_once(self):
        visitor = self.client()
        for payload in CORPUS:
            text = urllib.parse.quote(payload, safe="")
            raw = re.sub(r"[\s\x00-\x20\x7f-\U0010ffff]", "+", payload)
            for target in (f"/toLogin?{text}={text}", f"/auth/login?userName={text}", f"/toLogin?{raw}", f"/{text}", f"/{raw}",
                           f"/jobinfo/{text}", f"/toLogin/{text}", f"/jobinfo/pageList?jobGroup={text}", f"/joblog/{raw}"):
                self.check(visitor.ask("GET", CONTEXT + target), target)
            for client in self.clients.values():
                self.check(client.form("/jobinfo/pageList", {"jobGroup": payload, "triggerStatus": payload}), payload)
                self.check(client.form("/jobinfo/pageList", {payload: payload, "jobGroup": 1, "triggerStatus": -1}), payload)
                self.check(client.form("/joblog/logDetailCat", {"logId": payload, "fromLineNum": 1}), payload)
                self.check(client.form("/jobinfo/nextTriggerTime", {"scheduleType": payload, "scheduleConf": payload}), payload)
                self.check(client.form("/chartInfo", {"startDate": payload, "endDate": payload}), payload)
            self.check(visitor.form("/login", {"userName": payload, "password": payload}), payload)
            for path in (f"/{text}", f"/jobs/{text}", f"/jobs?group={text}", f"/jobs?{text}", f"/audit?object={text}"):
                self.check(self.program.send("GET", path), path)
            self.check(self.program.send("POST", "/jobs", {payload: payload, "group": payload}), payload)

    def test_where_a_redirect_leads(self):
        for target in ("/jobinfo/pageList", f"{CONTEXT}/jobinfo/pageList", "//x.example/jobinfo/pageList",
                       f"//x.example{CONTEXT}/jobinfo/pageList", f"/\\x.example{CONTEXT}/jobinfo/pageList",
                       f"http://x.example{CONTEXT}/jobinfo/pageList", f"{CONTEXT}/%0d%0aLocation:%20x/jobinfo/pageList",
                       f"{CONTEXT}//x.example/jobinfo/pageList"):
            for host in ("x.example", "<script>", "x.example\tb", ""):
                reply = self.follow(self.client({"Cookie": "XXL_JOB_LOGIN_IDENTITY=x"}), target, host)
                if 300 <= reply.status < 400:
                    self.assertIn(reply.headers["location"], ("/toLogin", CONTEXT + "/toLogin"), (target, host))

    def follow(self, client: Client, target: str, host: str) -> Reply:
        return self.check(client.ask("GET", target, None, {"Host": host, "X-Forwarded-Host": "x.example",
                                                           "X-Forwarded-Prefix": "//x.example"}), (target, host))
