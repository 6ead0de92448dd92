"""A client with the token of one group, against executors of other groups: the real binary and real sockets."""

import json

from stub_executor import StubExecutor
from web_case import CONTEXT, WebCase
from web_forms import JOB

TOKEN_A = "the-token-of-group-a"
REFUSED = {"code": 500, "msg": "The access token is wrong."}


class Executor(StubExecutor):
    """An executor before release 3.5: has no /trigger. Refuses every token but its own; without one it refuses all."""

    def __init__(self, case, token: str | None):
        self.token = token
        self.calls: list[tuple[str, str, str]] = []
        super().__init__(case)

    def answer_to(self, path, asked, headers):
        token = headers.get("XXL-JOB-ACCESS-TOKEN", "")
        self.calls.append((path, token, headers.get("XXL-JOB-APPNAME", "")))
        if token != self.token:
            return REFUSED
        if path == "/trigger":
            return {"code": 500, "msg": "invalid request, uri-mapping(/trigger) not found."}
        return {"code": 200, "msg": None}

    def tokens(self) -> set[str]:
        return {token for _, token, _ in self.calls}


class GroupTokenTest(WebCase):
    def setUp(self):
        super().setUp()
        self.serve()
        self.common = self.secret("access_token")
        self.admin = self.sign_in("2.x")
        for group in ({"appname": "app-a", "accessToken": TOKEN_A}, {"appname": "app-b"}):
            form = {"title": group["appname"], "addressType": "0"} | group
            self.assertEqual(self.admin.form("/jobgroup/save", form).json["code"], 200)
        self.groups = dict(self.rows("SELECT app_name, id FROM xxl_job_group"))
        self.jobs = {}
        for app in ("app-a", "app-b"):
            made = self.admin.form("/jobinfo/add", JOB | {"jobGroup": str(self.groups[app]), "jobDesc": app}).json
            self.assertEqual(made["code"], 200, made)
            self.jobs[app] = int(made["content"])

    def api(self, operation: str, body: dict, token: str, app: str | None = None) -> dict:
        headers = {"XXL-JOB-ACCESS-TOKEN": token} | ({"XXL-JOB-APPNAME": app} if app else {})
        return self.client().ask("POST", f"{CONTEXT}/api/{operation}", json.dumps(body), headers).json

    def register(self, app: str, address: str, token: str, header: str | None = None) -> dict:
        return self.api("registry", {"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": address}, token, header)

    def await_registration(self, app: str, address: str, token: str) -> None:
        """A server loads a group's token a moment after it was set, or after its own start."""
        self.server.wait_for(lambda: self.register(app, address, token)["code"] == 200, f"the token of {app} counts")

    def addresses(self, app: str) -> str:
        return self.rows(f"SELECT address_list FROM xxl_job_group WHERE app_name = '{app}'")[0][0] or ""

    def await_addresses(self, app: str, addresses: str) -> None:
        self.server.wait_for(lambda: self.addresses(app) == addresses, f"{app} has {addresses}")

    def run_job(self, app: str, token: str | None = None) -> tuple[int, int, str]:
        """Returns id, trigger code and address of the resulting run."""
        last = self.rows("SELECT coalesce(max(id), 0) FROM xxl_job_log")[0][0]
        if token:
            self.assertEqual(self.api("triggerJob", {"id": self.jobs[app]}, token)["code"], 200)
        else:
            self.admin.form("/jobinfo/trigger", {"id": str(self.jobs[app]), "executorParam": "", "addressList": ""})
        done = f"SELECT id, trigger_code, executor_address FROM xxl_job_log WHERE id > {last} AND trigger_code <> 0"
        return self.server.wait_for(lambda: self.rows(done), f"a run of {app}")[0]

    def test_who_has_only_a_groups_token_never_sees_that_of_all_nor_runs_stops_or_cuts_another_groups_executor(self):
        mallory = Executor(self, None)
        victim = Executor(self, self.common)
        self.assertEqual(self.register("app-b", victim.address, self.common)["code"], 200)
        self.await_addresses("app-b", victim.address)
        self.await_registration("app-a", mallory.address, TOKEN_A)
        self.await_addresses("app-a", mallory.address)

        # After a refusal of the group's token no other token is sent.
        self.assertEqual(self.run_job("app-a", TOKEN_A)[1], 500)
        # The same holds for a query about a run, with or without a registration.
        mallory.token = TOKEN_A
        run, code, _ = self.run_job("app-a", TOKEN_A)
        self.assertEqual(code, 200)
        mallory.token = None
        ask_log = {"logId": str(run), "fromLineNum": "1", "executorAddress": mallory.address, "triggerTime": "0"}
        for _ in range(2):
            asked = len(mallory.calls)
            self.admin.form("/joblog/logDetailCat", ask_log)
            self.admin.form("/joblog/logKill", {"id": str(run)})
            self.assertGreater(len(mallory.calls), asked)
            self.api("registryRemove", {"registryGroup": "EXECUTOR", "registryKey": "app-a", "registryValue": mallory.address},
                     TOKEN_A)
            self.await_addresses("app-a", "")
        self.assertEqual(mallory.tokens(), {TOKEN_A})

        # The executor of another group is not registered, in any spelling of its address.
        port = victim.http.server_port
        for address in (victim.address, victim.address.rstrip("/"), f"HTTP://127.0.0.1:{port}//", f"http://localhost:{port}",
                        f"http://127.1:{port}/", f"http://[::ffff:127.0.0.1]:{port}/", f"http://127.0.0.1:{port}/run?",
                        f"http://127.0.0.1:{port}/x/..", "ringmaster://app-b/one", "ringmaster://app-a/one"):
            for header in (None, "app-a"):
                self.assertEqual(self.register("app-a", address, TOKEN_A, header)["code"], 500, address)
        self.assertEqual(self.register("app-b", mallory.address, TOKEN_A)["code"], 500)
        self.assertEqual(self.api("triggerJob", {"id": self.jobs["app-a"], "addressList": victim.address}, TOKEN_A)["code"], 500)
        self.assertEqual(self.api("triggerJob", {"id": self.jobs["app-b"]}, TOKEN_A)["code"], 500)
        self.assertEqual(victim.calls, [])

        # It continues, and its results are accepted as its own.
        run, code, address = self.run_job("app-b")
        self.assertEqual((code, address), (200, victim.address))
        self.assertEqual(victim.calls[-1], ("/run", self.common, "app-b"))
        self.api("callback", [{"logId": run, "logDateTim": 1, "handleCode": 500, "handleMsg": "forged"}], TOKEN_A)
        self.api("callback", [{"logId": run, "logDateTim": 1, "handleCode": 200, "handleMsg": "mine"}], self.common)
        results = f"SELECT handle_code, handle_msg FROM xxl_job_log WHERE id = {run} AND handle_code <> 0"
        self.assertEqual(self.server.wait_for(lambda: self.rows(results), "a result"), [(200, "mine")])

        # The protection survives a restart.
        self.await_registration("app-a", mallory.address, TOKEN_A)
        self.await_addresses("app-a", mallory.address)
        self.assertEqual(self.server.stop(), 0)
        self.serve()
        self.admin = self.sign_in("2.x")
        self.await_registration("app-a", mallory.address, TOKEN_A)
        self.assertEqual(self.run_job("app-a", TOKEN_A)[1], 500)
        self.assertEqual(self.run_job("app-b")[1:], (200, victim.address))
        self.assertEqual(mallory.tokens(), {TOKEN_A})
        self.assertEqual(victim.tokens(), {self.common})

    def test_an_address_that_a_groups_token_took_first_goes_to_the_common_token(self):
        executor = Executor(self, self.common)
        self.await_registration("app-a", executor.address, TOKEN_A)
        self.await_addresses("app-a", executor.address)
        self.assertEqual(self.register("app-b", executor.address, self.common)["code"], 200)
        self.await_addresses("app-b", executor.address)
        self.await_addresses("app-a", "")
        self.server.wait_for_line("the address belongs to app-b")
        self.assertEqual(self.run_job("app-b")[1:], (200, executor.address))
        self.assertEqual(executor.tokens(), {self.common})

    def test_executors_stay_usable_while_their_group_gets_a_token(self):
        executor = Executor(self, self.common)
        self.register("app-b", executor.address, self.common)
        self.await_addresses("app-b", executor.address)
        changed = {"id": str(self.groups["app-b"]), "appname": "app-b", "title": "T", "addressType": "0",
                   "accessToken": "of-group-b"}
        self.assertEqual(self.admin.form("/jobgroup/update", changed).json["code"], 200)
        # It was registered before the group had a token, so it used the common one.
        self.assertEqual(self.run_job("app-b")[1], 200)
        executor.token = "of-group-b"
        self.await_registration("app-b", executor.address, "of-group-b")
        self.assertEqual(self.run_job("app-b")[1], 200)
        self.assertEqual(executor.tokens(), {self.common, "of-group-b"})
