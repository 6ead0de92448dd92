"""Actions of users at the server over HTTP: by `/api/v1` with a key, and by XXL's own endpoints with a session."""

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from support.process import environment
from support.server import Server
from support.waiting import wait_until

DEADLINE_S = 30


class Refused(Exception):
    def __init__(self, status: int, said: str):
        super().__init__(f"HTTP {status}: {said}")
        self.status, self.said = status, said


class Console:
    def __init__(self, server: Server):
        self.server = server
        made = subprocess.run([str(server.binary), "key", "add", "interop", "--user", "admin", "--config", str(server.config)],
                              capture_output=True, text=True, check=True, timeout=DEADLINE_S, env=environment())
        self.key = made.stdout.strip()
        self.cookie = self.sign_in()

    def sign_in(self) -> str:
        secrets = (self.server.folder / "data" / "initial-secrets").read_text(encoding="utf-8").splitlines()
        password = next(line.split(" = ", 1)[1] for line in secrets if line.startswith("admin_password = "))
        body = urllib.parse.urlencode({"userName": "admin", "password": password}).encode()
        with urllib.request.urlopen(f"{self.server.admin}/login", body, timeout=DEADLINE_S) as reply:
            return reply.headers["Set-Cookie"].split(";")[0]

    # -- /api/v1 -------------------------------------------------------------------------------------------------------

    def ask(self, method: str, path: str, body=None, **headers: str):
        """Returns the JSON of the answer; raises Refused."""
        sent = None if body is None else json.dumps(body).encode()
        more = {"Authorization": f"Bearer {self.key}"} | ({"Content-Type": "application/json"} if sent else {}) | headers
        request = urllib.request.Request(f"{self.server.url}/api/v1{path}", sent, more, method=method)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                return json.loads(reply.read() or "null")
        except urllib.error.HTTPError as refused:
            raise Refused(refused.code, refused.read().decode(errors="replace")) from None

    def begin(self, job: int, params: str | None = None, addresses: list[str] | None = None) -> list[int]:
        """Triggers manually; returns the runs, one or one per shard."""
        wish = ({} if params is None else {"params": params}) | ({} if addresses is None else {"addresses": addresses})
        intent = self.ask("POST", f"/jobs/{job}/trigger", wish)["intent"]
        return wait_until(lambda: self.ask("GET", f"/intents/{intent}")["runs"], DEADLINE_S, f"intent {intent} claimed")

    def run(self, run: int) -> dict:
        return self.ask("GET", f"/runs/{run}")

    def wait_run(self, run: int, *states: str) -> dict:
        """Waits for `succeeded` or `failed`, or for the given states."""
        wanted = states or ("succeeded", "failed")
        wait_until(lambda: self.run(run)["status"] in wanted, DEADLINE_S, f"run {run} {' or '.join(wanted)}",
                   lambda: self.run(run))
        return self.run(run)

    def log(self, run: int, from_line: int = 1, wait_s: int = 0) -> dict:
        return self.ask("GET", f"/runs/{run}/log?from_line={from_line}&wait_s={wait_s}")

    def kill(self, run: int) -> str:
        return self.ask("POST", f"/runs/{run}/kill")["message"]

    # -- XXL's endpoints -----------------------------------------------------------------------------------------------

    def form(self, path: str, **values) -> dict:
        request = urllib.request.Request(self.server.admin + path, urllib.parse.urlencode(values).encode(),
                                         {"Cookie": self.cookie})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    def xxl_log(self, run: int, from_line: int = 1) -> dict:
        """Calls `/joblog/logDetailCat`."""
        reply = self.form("/joblog/logDetailCat", logId=run, fromLineNum=from_line)
        if reply["code"] != 200:
            raise Refused(reply["code"], reply["msg"])
        return reply["content"]

    def xxl_kill(self, run: int) -> dict:
        """Calls `/joblog/logKill`."""
        return self.form("/joblog/logKill", id=run)
