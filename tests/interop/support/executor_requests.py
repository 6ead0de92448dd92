"""The requests of each family, replayed from exact_requests.py."""

import http.client
import json
import socket
import time
from pathlib import Path

from support.exact_requests import FAMILIES, Family
from support.own_executor import OwnExecutor
from support.process import free_ports
from support.report import Report
from support.stub_admin import StubAdmin
from support.waiting import wait_until

TOKEN, APP = "requests-token", "requests"
PARAM = "a=1&b=<x> \"q\" 'p' \\ ünï 任务"
DEADLINE_S = 15
OK = {"code": 200}
FIRST_RUN, LOG_RUN, JOB = 501, 502, 7
BUSY_RUN, QUEUED_RUN, BUSY_JOB = 601, 602, 8


class Connection:
    """A connection for raw bytes and replies; kept alive, as Java keeps it."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, *pieces: bytes) -> dict:
        for piece in pieces:
            self.socket.sendall(piece)
        reply = http.client.HTTPResponse(self.socket, method="POST")
        reply.begin()
        length = reply.getheader("Content-Length")
        if reply.status != 200 or length is None or reply.will_close:
            raise RuntimeError(f"status {reply.status}, {reply.getheaders()}")
        return json.loads(reply.read(int(length)))

    def close(self) -> None:
        self.socket.close()


class Requests:
    def __init__(self, family: Family, admin: StubAdmin, executor: OwnExecutor):
        self.family, self.admin, self.executor = family, admin, executor
        self.connection = Connection(executor.port)
        self.now_ms = int(time.time() * 1000)

    def bytes_of(self, operation: str, body: dict | None = None, token: str = TOKEN, app: str = APP) -> bytes:
        return self.family.request(operation, body or {}, self.executor.port, token, app)

    def ask(self, operation: str, body: dict | None = None, **names) -> dict:
        return self.connection.ask(self.bytes_of(operation, body, **names))

    def ask_run(self, run: int, job: int, **fields) -> dict:
        return self.ask("run", run_fields(run, job, self.now_ms, **fields))

    def callback(self, run: int) -> dict:
        """Returns the item as received. Its container is the one that the family's admins read: an array, or an object of 3.5."""
        wait_until(lambda: run in self.admin.results, DEADLINE_S, f"a callback for {run}", self.executor.process.tail)
        for text in self.admin.callbacks:
            body = json.loads(text)
            if isinstance(body, dict) != self.family.app_named:
                raise RuntimeError(f"not the form of {self.family.name}: {text}")
            for item in body["callbackList"] if self.family.app_named else body:
                if item["logId"] == run:
                    return item
        raise RuntimeError("none")

    # -- checks --------------------------------------------------------------------------------------------------------

    def beat(self):
        yield from differ(self.ask("beat"), OK)
        whole = self.bytes_of("idleBeat", {"jobId": JOB})
        cut = whole.index(b"\r\n\r\n") + 4  # some releases send the body separately
        yield from differ(self.connection.ask(whole[:cut], whole[cut:]), OK)

    def tokens(self):
        wrong = {"code": 500, "msg": "The access token is wrong."}
        yield from differ(self.ask("beat", token="other"), wrong)
        yield from differ(self.ask("beat", token=""), wrong)  # an empty header, or none
        if self.family.app_named:
            refused = {"code": 500, "msg": "invalid request, accessToken or appname invalid."}
            yield from differ(self.ask("beat", app="other"), refused)

    def run_and_callback(self):
        yield from differ(self.ask_run(FIRST_RUN, JOB), OK)
        item, date = self.callback(FIRST_RUN), "logDateTime" if self.family.app_named else "logDateTim"
        wanted = {"logId": FIRST_RUN, date: self.now_ms, "handleCode": 200}
        if not self.family.app_named:
            wanted["executeResult"] = {"code": 200}
        yield from differ(item, wanted)
        yield from differ({name: self.executor.journal()[0][name] for name in ("param", "shard_index", "shard_total")},
                          {"param": PARAM, "shard_index": 1, "shard_total": 2})

    def log(self):
        yield from differ(self.ask_run(LOG_RUN, JOB), OK)
        self.callback(LOG_RUN)
        reply = self.ask("log", {"logDateTim": self.now_ms, "logId": LOG_RUN, "fromLineNum": 1})
        chunk = reply["data"]
        yield from differ(reply["content"], chunk)
        lines = chunk["logContent"].splitlines()
        yield from differ([chunk["fromLineNum"], chunk["toLineNum"], chunk["isEnd"]], [1, len(lines), False])
        if [line for line in lines if line.startswith("line ")] != [f"line {n} of {PARAM}" for n in range(1, 6)]:
            yield f"lines: {lines}"
        reply = self.ask("log", {"logDateTim": self.now_ms, "logId": 999, "fromLineNum": 1})
        yield from differ(reply["data"], {"fromLineNum": 1, "toLineNum": 0, "isEnd": True,
                                          "logContent": "readLog fail, logFile not exists"})

    def refusals(self):
        yield from differ(self.ask_run(503, JOB, executorHandler="ghost", executorParams=None, glueSource=None),
                          {"code": 500, "msg": "job handler [ghost] not found."})
        yield from differ(self.ask_run(504, JOB, glueType="GLUE_GROOVY", executorHandler=""),
                          {"code": 500, "msg": "glueType[GLUE_GROOVY] is not valid."})

    def busy_and_kill(self):
        slow = {"executorHandler": "slow", "executorParams": "60000"}
        yield from differ(self.ask_run(BUSY_RUN, BUSY_JOB, **slow), OK)
        yield from differ(self.ask_run(QUEUED_RUN, BUSY_JOB, **slow), OK)
        yield from differ(self.ask("idleBeat", {"jobId": BUSY_JOB}),
                          {"code": 500, "msg": "job thread is running or has trigger queue."})
        yield from differ(self.ask_run(QUEUED_RUN, BUSY_JOB, **slow),
                          {"code": 500, "msg": f"repeat trigger job, logId:{QUEUED_RUN}"})
        yield from differ(self.ask_run(603, BUSY_JOB, executorBlockStrategy="DISCARD_LATER", **slow),
                          {"code": 500, "msg": "block strategy effect：Discard Later"})
        wait_until(lambda: any(entry["log_id"] == BUSY_RUN for entry in self.executor.journal()), DEADLINE_S, "it runs")
        yield from differ(self.ask("kill", {"jobId": BUSY_JOB}), OK)
        yield from differ([self.callback(run)["handleCode"] for run in (BUSY_RUN, QUEUED_RUN)], [500, 500])
        yield from differ(self.ask("kill", {"jobId": 99}), {"code": 200, "msg": "job thread already killed."})


CHECKS = {"beat": Requests.beat, "tokens": Requests.tokens, "run and callback": Requests.run_and_callback, "log": Requests.log,
          "refusals": Requests.refusals, "busy and kill": Requests.busy_and_kill}


def run_fields(run: int, job: int, date_ms: int, **fields) -> dict:
    """Returns the fields in Java's order. A field that is None is left out."""
    all_fields = {"jobId": job, "executorHandler": "logging", "executorParams": PARAM,
                  "executorBlockStrategy": "SERIAL_EXECUTION", "executorTimeout": 0, "logId": run, "logDateTime": date_ms,
                  "glueType": "BEAN", "glueSource": "", "glueUpdatetime": 0, "broadcastIndex": 1, "broadcastTotal": 2} | fields
    return {name: value for name, value in all_fields.items() if value is not None}


def differ(found, wanted) -> list[str]:
    return [] if found == wanted else [f"expected {wanted}, got {found}"]


def run(binary: Path, folder: Path, report: Report) -> None:
    ports = free_ports(len(FAMILIES))
    for family, port in zip(FAMILIES, ports, strict=True):
        admin = StubAdmin(TOKEN, family.app_named)
        executor = OwnExecutor(binary, APP, port, admin.url, TOKEN, folder)
        try:
            executor.wait_registered(admin)
            test = Requests(family, admin, executor)
            for name, body in CHECKS.items():
                report.check(f"{family.name}: {name}", lambda body=body: body(test))
            test.connection.close()
        except (RuntimeError, TimeoutError, OSError) as error:
            report.fail(f"{family.name}: run", [str(error), *executor.process.tail()])
        finally:
            executor.process.kill()
            admin.close()
