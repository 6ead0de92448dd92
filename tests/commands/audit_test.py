"""Every route that changes data writes one row of the audit log: user, address, action, before and after, and no secret."""

import contextlib
import json
import sqlite3
import urllib.request

from command_case import DEADLINE_S
from web_case import CONTEXT, Route, WebCase, route_table
from web_forms import GROUP, JOB, PASSWORD, USER
from xss_test import EchoExecutor

NEW_PASSWORD = "another secret"
GROUP_TOKEN = "a-token-of-a-group"
# Status reports of clients are not changes by a user; the end of a session leaves nothing to check; a test message, the checks
# of the doctor and the end of a task change nothing; settings of the console change nothing but what their user sees.
WITHOUT = {"/api/registry", "/api/registryRemove", "/api/callback", "/logout", "/auth/logout", "DELETE /api/v1/session",
           "POST /api/v1/alarms/channels/{name}/test", "POST /api/v1/doctor", "POST /api/v1/tasks/{id}/abort",
           "POST /api/v1/schedule/what_if", "POST /api/v1/elastic/preview", "PUT /api/v1/users/me/settings"}
DRAFT = {"group": 1, "name": "by api", "author": "ann", "handler": "h", "schedule": {"type": "NONE"}}
GROUP_DRAFT = {"app_name": "api-group", "title": "A", "address_type": "manual", "addresses": ["http://127.0.0.1:9"],
               "access_token": GROUP_TOKEN}
MANAGED = {"jobGroup": 1, "name": "managed", "author": "ann", "scheduleType": "NONE", "executorRouteStrategy": "FIRST",
           "misfireStrategy": "DO_NOTHING", "executorBlockStrategy": "SERIAL_EXECUTION", "executorHandler": "h",
           "glueType": "BEAN"}


class SilentExecutor(EchoExecutor):
    """Accepts runs and never reports their results."""

    def answer(self, path: str, asked: dict) -> dict:
        return {"code": 200}


class AuditTest(WebCase):
    def setUp(self):
        super().setUp()
        self.serve("--set", "security.glue=true", "--set", "gateway.job_management=all")
        self.executor = SilentExecutor(self)
        self.clients = {dialect: self.sign_in(dialect) for dialect in ("2.x", "3.3+")}
        self.api = self.key_client()
        self.ids: dict[str, int] = {}
        self.walked: set[str] = set()
        self.new_rows()

    def new_rows(self) -> list[dict]:
        last = self.ids.get("last", 0)
        names = ["id", "user_name", "remote", "action", "object", "object_id", "object_name", "changes"]
        found = self.rows(f"SELECT {', '.join(names)} FROM rm_audit WHERE id > {last} ORDER BY id")
        rows = [dict(zip(names, row)) for row in found]
        self.ids["last"] = max([last, *(row["id"] for row in rows)])
        return rows

    def step(self, path: str, asked, action: str, kind: str, *said: str, who: str = "admin") -> dict:
        """`asked`: the reply to one request to the route `path`. `said`: parts of before and after."""
        self.walked.add(path)
        accepted = asked["code"] == 200 if isinstance(asked, dict) else asked.status < 300 and (
            path.split(" ")[-1].startswith("/api/v1/") or asked.json["code"] == 200)
        self.assertTrue(accepted, (path, asked))
        rows = self.new_rows()
        self.assertEqual(len(rows), 1, (path, rows))
        row = rows[0]
        self.assertEqual((row["user_name"], row["remote"], row["action"], row["object"]), (who, "127.0.0.1", action, kind),
                         (path, row))
        for each in said:
            self.assertIn(each, row["changes"], (path, row))
        self.assertTrue(row["object_id"] > 0 or kind in ("run", "elastic_host"), (path, row))
        return row

    def form(self, path: str, values: dict, action: str, kind: str, *said: str, who: str = "admin") -> dict:
        """In the first dialect that has the route: the effect is the same in both."""
        route = next(each for each in route_table() if each.path == path)
        return self.step(path, self.clients[route.dialects[0]].form(path, values), action, kind, *said, who=who)

    def send(self, method: str, path: str, value, action: str, kind: str, *said: str, **headers: str) -> dict:
        parts = path.split("/")
        pattern = "/".join("{name}" if before == "hosts" else "{id}" if part.isdigit() else part
                           for before, part in zip(["", *parts], parts))
        return self.step(f"{method} /api/v1{pattern}", self.api.send(method, path, value, **headers), action, kind, *said)

    def send_task(self, path: str, value, action: str, kind: str) -> dict:
        """Begins a task and waits for its end."""
        begun = self.api.send("POST", path, value)
        ended = self.server.wait_for(lambda: self.api.send("GET", f"/tasks/{begun.json['task']}").json["state"] == "done",
                                     "the task has ended")
        self.assertTrue(ended)
        return self.step(f"POST /api/v1{path}", begun, action, kind)

    def write_rows(self, *statements: str) -> None:
        """Writes what only hosts and coordinators write."""
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db", timeout=10)) as db, db:
            for statement in statements:
                db.execute(statement)

    def manage(self, operation: str, value: dict, action: str, *said: str) -> dict:
        request = urllib.request.Request(f"{self.server.address()}{CONTEXT}/api/{operation}", json.dumps(value).encode(),
                                         {"Content-Type": "application/json", "XXL-JOB-ACCESS-TOKEN": self.secret("access_token"),
                                          "XXL-JOB-APPNAME": "app-1"})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return self.step(f"/api/{operation}", json.loads(reply.read()), action, "job", *said, who="openapi:app-1")

    def running(self, job: int) -> int:
        """Returns a run that an executor accepted."""
        sql = f"SELECT id FROM xxl_job_log WHERE job_id = {job} AND trigger_code = 200 AND handle_code = 0 ORDER BY id DESC"
        return self.server.wait_for(lambda: self.rows(sql), "the executor has a run")[0][0]

    # -- what there is --------------------------------------------------------------------------------------------------------

    def walk_groups(self) -> None:
        for path, name in (("/jobgroup/save", "app-1"), ("/jobgroup/insert", "app-2")):
            made = self.form(path, GROUP | {"appname": name, "addressList": self.executor.address, "accessToken": GROUP_TOKEN},
                             "add", "group", name)
        self.form("/jobgroup/update", GROUP | {"id": made["object_id"], "appname": "app-2", "title": "Newer"}, "update", "group",
                  "New", "Newer")
        self.form("/jobgroup/remove", {"id": made["object_id"]}, "remove", "group", "app-2")
        made = self.form("/jobgroup/insert", GROUP | {"appname": "app-3"}, "add", "group", "app-3")
        self.form("/jobgroup/delete", {"ids[]": made["object_id"]}, "remove", "group", "app-3")
        made = self.send("POST", "/groups", GROUP_DRAFT, "add", "group", "api-group")
        group = f"/groups/{made['object_id']}"
        etag = self.api.send("GET", group).headers["etag"]
        self.send("PUT", group, GROUP_DRAFT | {"title": "B"}, "update", "group", "A", "B", **{"If-Match": etag})
        self.send("DELETE", group, None, "remove", "group", "api-group")

    def walk_jobs(self) -> None:
        job = self.form("/jobinfo/add", JOB, "add", "job", "nightly")["object_id"]
        other = self.form("/jobinfo/insert", JOB | {"glueType": "GLUE_SHELL", "glueSource": "true"}, "add", "job")["object_id"]
        self.form("/jobinfo/update", JOB | {"id": job, "jobDesc": "daily", "scheduleType": "CRON", "scheduleConf": "0 0 1 * * ?"},
                  "update", "job", "nightly", "daily")
        self.form("/jobinfo/start", {"id": job}, "start", "job")
        self.form("/jobinfo/stop", {"id": job}, "stop", "job")
        self.form("/jobcode/save", {"id": other, "glueSource": "echo", "glueRemark": "a remark"}, "source", "job", "a remark")
        self.form("/jobinfo/trigger", {"id": job, "executorParam": "p"}, "trigger", "job")
        self.form("/joblog/logKill", {"id": self.running(job)}, "kill", "run")
        self.form("/joblog/clearLog", {"jobGroup": 1, "jobId": job, "type": 9}, "clear", "run")
        self.form("/jobinfo/remove", {"id": job}, "remove", "job", "daily")
        self.form("/jobinfo/delete", {"ids[]": other}, "remove", "job")

    def walk_api_jobs(self) -> None:
        job = self.send("POST", "/jobs", DRAFT, "add", "job", "by api")["object_id"]
        etag = self.api.send("GET", f"/jobs/{job}").headers["etag"]
        timed = DRAFT | {"name": "newer", "schedule": {"type": "CRON", "conf": "0 0 1 * * ?"}}
        self.send("PUT", f"/jobs/{job}", timed, "update", "job", "by api", "newer", **{"If-Match": etag})
        for one, many in (("start", "start"), ("stop", "stop")):
            self.send("POST", f"/jobs/{job}/{one}", None, one, "job")
            self.api.send("POST", f"/jobs/{job}/{'stop' if one == 'start' else 'start'}")
            self.new_rows()
            self.send("POST", f"/jobs/{many}", {"ids": [job]}, many, "job")
        self.send("POST", "/jobs/trigger", {"ids": [job]}, "trigger", "job")
        self.running(job)
        self.send("POST", f"/jobs/{job}/trigger", {}, "trigger", "job")
        self.send_task("/runs/rerun", {"ids": [self.running(job)]}, "trigger", "job")
        self.send("POST", f"/runs/{self.running(job)}/kill", None, "kill", "run")
        self.send_task("/runs/kill", {"ids": [self.running(job)]}, "kill", "run")
        self.send("POST", "/runs/clear", {"job": job, "all": True}, "clear", "run")
        self.send("DELETE", f"/jobs/{job}", None, "remove", "job", "newer")
        other = self.send("POST", "/jobs", DRAFT, "add", "job")["object_id"]
        self.send_task("/jobs/delete", {"ids": [other]}, "remove", "job")
        script = self.send("POST", "/jobs", DRAFT | {"glue_type": "GLUE_SHELL", "glue_source": "true"}, "add", "job")["object_id"]
        self.send("PUT", f"/jobs/{script}/source", {"source": "echo", "remark": "a remark"}, "source", "job", "a remark")
        declared = '[[job]]\ngroup = "app-1"\nkey = "declared"\nname = "by file"\nhandler = "h"\n'
        self.send("POST", "/apply", {"source": "audit", "files": [{"name": "jobs.toml", "text": declared}]}, "apply", "job",
                  "create", "audit")

    def walk_elastic_jobs(self) -> None:
        declared = '[[elastic_job]]\ngroup = "app-1"\nname = "sums"\nhandler = "h"\ntotal = 2\ncron = "0 0 1 * * ?"\n'
        job = self.send("POST", "/apply", {"source": "audit-2", "files": [{"name": "elastic.toml", "text": declared}]}, "apply",
                        "elastic_job", "create", "audit-2")["object_id"]
        self.send("POST", f"/elastic/jobs/{job}/disable", None, "disable", "elastic_job")
        self.send("POST", f"/elastic/jobs/{job}/enable", None, "enable", "elastic_job")
        self.send("POST", f"/elastic/jobs/{job}/disable", {"item": 0}, "disable", "elastic_job", "item: 0")
        self.send("POST", f"/elastic/jobs/{job}/trigger", {"param": "p"}, "trigger", "elastic_job")
        self.send("POST", f"/elastic/jobs/{job}/shutdown", None, "shutdown", "elastic_job")
        self.send("POST", f"/elastic/jobs/{job}/restart", None, "restart", "elastic_job", "runs cancelled: 0")
        self.send("POST", f"/elastic/jobs/{job}/drain", None, "drain", "elastic_job")
        # A host that is silent, and a run that is open on it.
        self.write_rows(
            "INSERT INTO ej_node (num, id, app_name, incarnation, ended_inc, process, folder, boot, pid, pid_ns, start_ticks,"
            " ip, labels, capacity, state, keeper, keeper_inc, keeper_no, change_no) VALUES (5, 'h1', 'app-1', 1, 0, 'p', 'f',"
            " 'b', 1, 1, 1, '10.0.0.1', '', 1, 1, '', 0, 0, 1)",
            "INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
            f" granted_ms, started_ms, ended_ms, state) VALUES (7, {job}, 1, 0, 1000, 0, 0, 9, 1, 5, 1, 1000, 0, 0, 1)",
            f"UPDATE ej_item SET state = 1, run = 7, fence = 9, host = 5, host_inc = 1 WHERE job = {job} AND item = 1")
        self.send("POST", "/elastic/runs/7/cancel", None, "cancel", "elastic_job", "run: 7")
        for verb in ("disable", "enable"):
            self.send("POST", f"/elastic/jobs/{job}/hosts/h1/{verb}", None, verb, "elastic_job", "server: h1")
        self.write_rows(f"UPDATE ej_item SET state = 0, run = 0 WHERE job = {job}", "UPDATE ej_run SET state = 4 WHERE id = 7")
        for verb in ("disable", "drain", "enable", "remove"):
            self.send("POST", f"/elastic/hosts/10.0.0.1/{verb}", None, verb, "elastic_host")
        draft = {"group": 1, "name": "totals", "handler": "h", "total": 2}
        made = self.send("POST", "/elastic/jobs", draft, "add", "elastic_job", "totals")["object_id"]
        etag = self.api.send("GET", f"/elastic/jobs/{made}").headers["etag"]
        self.send("PUT", f"/elastic/jobs/{made}", draft | {"total": 5}, "update", "elastic_job", "total: 2 -> 5",
                  **{"If-Match": etag})
        self.send("DELETE", f"/elastic/jobs/{made}", None, "remove", "elastic_job", "totals")

    def walk_users(self) -> None:
        for add, update, remove, ids in (("/user/add", "/user/update", "/user/remove", "id"),
                                         ("/user/insert", "/user/update", "/user/delete", "ids[]")):
            user = self.form(add, USER, "add", "user")["object_id"]
            self.form(update, USER | {"id": user, "password": "", "permission": "1"}, "update", "user", "2", "1")
            self.form(remove, {ids: user}, "remove", "user")
        draft = {"name": "apiuser", "password": PASSWORD, "admin": False}
        user = self.send("POST", "/users", draft, "add", "user")["object_id"]
        rights = [{"group": 1, "right": "viewer"}]
        edited = {"admin": False, "password": NEW_PASSWORD, "rights": rights}
        etag = self.api.send("GET", f"/users/{user}").headers["etag"]
        self.send("PUT", f"/users/{user}", edited, "update", "user", "viewer", **{"If-Match": etag})
        self.send("DELETE", f"/users/{user}", None, "remove", "user")
        key = self.send("POST", "/keys", {"name": "second"}, "add", "api_key")["object_id"]
        self.send("DELETE", f"/keys/{key}", None, "remove", "api_key")
        self.sign_in("2.x")
        self.new_rows()
        newest = self.api.send("GET", "/sessions?limit=1").json["items"][0]
        self.send("DELETE", f"/sessions/{newest['id']}", None, "update", "user", "sessions: 1 ended")

    def walk_managed_jobs(self) -> None:
        job = self.manage("addJob", MANAGED, "add", "managed")["object_id"]
        timed = MANAGED | {"id": job, "name": "newer", "scheduleType": "CRON", "scheduleConf": "0 0 1 * * ?"}
        self.manage("updateJob", timed, "update", "managed", "newer")
        for operation, action in (("startJob", "start"), ("stopJob", "stop"), ("triggerJob", "trigger"), ("removeJob", "remove")):
            self.manage(operation, {"id": job}, action)

    def walk_own_password(self) -> None:
        """Last, because it ends all sessions."""
        old = self.secret("admin_password")
        for dialect, path, sign_in in (("2.x", "/user/updatePwd", "/login"), ("3.3+", "/auth/updatePwd", "/auth/doLogin")):
            new = NEW_PASSWORD if old != NEW_PASSWORD else NEW_PASSWORD + "!"
            self.form(path, {"oldPassword": old, "password": new}, "password", "user")
            reply = self.client().form(sign_in, {"userName": "admin", "password": new})
            self.step(sign_in, reply, "sign_in", "user")
            self.clients["3.3+"].headers["Cookie"] = "xxl_job_login_token=" + reply.cookies[0].split(";")[0].split("=")[1]
            old = new
        self.send("PUT", "/users/me/password", {"old_password": old, "password": NEW_PASSWORD + "?"}, "password", "user")
        reply = self.client().send("POST", "/session", {"name": "admin", "password": NEW_PASSWORD + "?"})
        self.step("POST /api/v1/session", reply, "sign_in", "user")

    def test_each_change_is_on_record(self):
        self.walk_groups()
        self.walk_jobs()
        self.walk_api_jobs()
        self.walk_elastic_jobs()
        self.walk_users()
        self.walk_managed_jobs()
        self.walk_own_password()
        changing = {self.name_of(route) for route in route_table() if route.changes} - WITHOUT
        self.assertEqual(changing - self.walked, set(), "each route that changes something has a step here")
        told = repr(self.rows("SELECT * FROM rm_audit"))
        for secret in (PASSWORD, NEW_PASSWORD, GROUP_TOKEN, self.secret("admin_password"), self.secret("access_token"), "rmk_"):
            self.assertNotIn(secret, told)
        shown = self.api.send("GET", "/audit?limit=500").json["items"]
        self.assertGreaterEqual(len(shown), len(changing))
        values = {(field["name"], field["before"], field["after"]) for each in shown for field in each["fields"]}
        for each in (("title", "A", "B"), ("name", "by api", "newer"), ("password: changed", None, None)):
            self.assertIn(each, values)
        for secret in (PASSWORD, NEW_PASSWORD, GROUP_TOKEN):
            self.assertNotIn(secret, repr(shown))
        self.assertEqual(self.server.stop(), 0, self.server.text())

    @staticmethod
    def name_of(route: Route) -> str:
        return f"{route.methods} {route.path}" if route.path.startswith("/api/v1/") else route.path
