"""`ringmaster executor`, asked with the client that each release of xxl-job-core ships for its admin. Needs no database."""

import json
import time
from pathlib import Path

from support.exact_requests import OF_RELEASE, comparable
from support.executor_requests import DEADLINE_S, PARAM, differ, run_fields
from support.java_client import JavaClient
from support.own_executor import OwnExecutor
from support.process import free_ports
from support.recorder import Recorder
from support.report import Report
from support.stub_admin import StubAdmin
from support.waiting import wait_until

PREFIX = "executor: "
TOKEN, APP = "clients-token", "clients"
JOB, BUSY_JOB, OTHER_JOB = 7, 8, 9
OK = {"code": 200, "msg": None, "payload": None, "chunk": None}


class Clients:
    def __init__(self, release: str, binary: Path, port: int, folder: Path):
        self.release, self.now_ms = release, int(time.time() * 1000)
        self.admin = StubAdmin(TOKEN)
        self.executor = OwnExecutor(binary, APP, port, self.admin.url, TOKEN, folder)
        self.client = JavaClient(release, folder / f"client-{release}.out")

    def start(self) -> None:
        self.executor.wait_registered(self.admin)
        self.client.connect(self.executor.address, TOKEN)

    def run(self, run: int, job: int, **fields) -> dict:
        return self.client.ask("run", **run_fields(run, job, self.now_ms, **fields))

    def result(self, run: int) -> list:
        """Returns code and message, as this release reads the callback."""
        wait_until(lambda: run in self.admin.results, DEADLINE_S, f"a callback for {run}", self.executor.process.tail)
        body = next(text for text in self.admin.callbacks if any(item["logId"] == run for item in json.loads(text)))
        return self.client.ask("results", body=body)[str(run)]

    def log_of(self, run: int, line: int = 1) -> dict:
        return self.client.ask("log", logDateTim=self.now_ms, logId=run, fromLineNum=line)

    # -- checks --------------------------------------------------------------------------------------------------------

    def beat(self):
        yield from differ(self.client.ask("beat"), OK)
        yield from differ(self.client.ask("idleBeat", jobId=JOB), OK)

    def token(self):
        try:
            for token in ("other", ""):
                self.client.connect(self.executor.address, token)
                for operation, fields in (("beat", {}), ("kill", {"jobId": JOB})):
                    yield from differ(self.client.ask(operation, **fields), refusal("The access token is wrong."))
        finally:
            self.client.connect(self.executor.address, TOKEN)

    def results(self):
        runs = {11: ("echo", PARAM, 0, [200, None]), 12: ("failing", PARAM, 0, [500, "the program ended with exit code 1"]),
                13: ("slow", "60000", 1, [502, "job execute timeout "])}
        for run, (handler, param, limit_s, _) in runs.items():
            told = self.run(run, run, executorHandler=handler, executorParams=param, executorTimeout=limit_s)
            yield from differ(told, OK)
        for run, (*_, wanted) in runs.items():
            yield from differ(self.result(run), wanted)
        entry = next(entry for entry in self.executor.journal() if entry["log_id"] == 11)
        yield from differ([entry["param"], entry["shard_index"], entry["shard_total"]], [PARAM, 1, 2])

    def log(self):
        yield from differ(self.run(21, JOB), OK)
        self.result(21)
        reply = self.log_of(21)
        chunk = reply["chunk"]
        lines = chunk["content"].splitlines()
        yield from differ([reply["code"], chunk["from"], chunk["to"], chunk["end"]], [200, 1, len(lines), False])
        yield from differ([line for line in lines if line.startswith("line ")], [f"line {n} of {PARAM}" for n in range(1, 6)])
        beyond = self.log_of(21, 1000)["chunk"]
        yield from differ([beyond["from"], beyond["content"], beyond["end"]], [1000, "", False])
        yield from differ(self.log_of(999)["chunk"],
                          {"from": 1, "to": 0, "content": "readLog fail, logFile not exists", "end": True})

    def refusals(self):
        yield from differ(self.run(31, OTHER_JOB, executorHandler="ghost"), refusal("job handler [ghost] not found."))
        yield from differ(self.run(32, OTHER_JOB, glueType="GLUE_GROOVY"), refusal("glueType[GLUE_GROOVY] is not valid."))
        yield from differ(self.run(33, OTHER_JOB, glueType=None), refusal("glueType[null] is not valid."))

    def busy_and_kill(self):
        slow = {"executorHandler": "slow", "executorParams": "60000"}
        yield from differ([self.run(run, BUSY_JOB, **slow) for run in (41, 42)], [OK, OK])
        yield from differ(self.client.ask("idleBeat", jobId=BUSY_JOB), refusal("job thread is running or has trigger queue."))
        yield from differ(self.run(42, BUSY_JOB, **slow), refusal("repeat trigger job, logId:42"))
        yield from differ(self.run(43, BUSY_JOB, executorBlockStrategy="DISCARD_LATER", **slow),
                          refusal("block strategy effect：Discard Later"))
        wait_until(lambda: any(entry["log_id"] == 41 for entry in self.executor.journal()), DEADLINE_S, "it runs")
        yield from differ(self.client.ask("kill", jobId=BUSY_JOB), OK)
        yield from differ(self.result(41), [500, "scheduling center kill job. [job running, killed]"])
        yield from differ(self.result(42), [500, "scheduling center kill job. [job not executed, in the job queue, killed.]"])
        # Admins of every release show the message.
        yield from differ(self.client.ask("kill", jobId=99), OK | {"msg": "job thread already killed."})
        yield from differ(43 in self.admin.results, False)

    def exact_requests(self):
        """Compares the requests of this release with exact_requests.py."""
        recorder, family = Recorder(), OF_RELEASE[self.release]
        few = {"jobId": JOB, "executorHandler": "echo", "executorTimeout": 0, "logId": 5, "logDateTime": 0, "glueUpdatetime": 0,
               "broadcastIndex": 0, "broadcastTotal": 0}  # strings that are null are left out
        asked = [("beat", {}), ("idleBeat", {"jobId": JOB}), ("run", run_fields(51, JOB, self.now_ms)), ("run", few),
                 ("kill", {"jobId": JOB}), ("log", {"logDateTim": self.now_ms, "logId": 51, "fromLineNum": 1})]
        try:
            for token in (TOKEN, ""):
                self.client.connect(f"http://127.0.0.1:{recorder.port}/", token)
                yield from differ([self.client.ask(operation, **body) for operation, body in asked], [OK] * len(asked))
            wanted = [family.request(operation, body, recorder.port, token) for token in (TOKEN, "") for operation, body in asked]
            for found, each in zip(map(comparable, recorder.requests), wanted, strict=True):
                yield from differ(found, each)
        finally:
            recorder.close()
            self.client.connect(self.executor.address, TOKEN)

    def close(self) -> None:
        self.client.close()
        self.executor.process.kill()
        self.admin.close()


CHECKS = {"beat and idleBeat": Clients.beat, "token": Clients.token, "results": Clients.results, "log": Clients.log,
          "refusals": Clients.refusals, "busy and kill": Clients.busy_and_kill, "requests to the byte": Clients.exact_requests}


def refusal(message: str) -> dict:
    return OK | {"code": 500, "msg": message}


def names(releases: tuple[str, ...]) -> list[str]:
    return [f"{PREFIX}{release}: {name}" for release in releases for name in CHECKS]


def run(binary: Path, folder: Path, releases: tuple[str, ...], report: Report) -> None:
    if not any(map(report.wants, names(releases))):
        return
    folder.mkdir()
    for release, port in zip(releases, free_ports(len(releases)), strict=True):
        test = Clients(release, binary, port, folder)
        try:
            test.start()
            for name, body in CHECKS.items():
                report.check(f"{PREFIX}{release}: {name}", lambda test=test, body=body: body(test))
        except (RuntimeError, TimeoutError, OSError) as error:
            report.fail(f"{PREFIX}{release}: run", [str(error), *test.executor.process.tail()])
        finally:
            test.close()
