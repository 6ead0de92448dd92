"""`--self-test`: checks that the Java executors behave as the scenarios assume. Needs no Ringmaster."""

import time
from datetime import datetime, timezone
from pathlib import Path

from support.declared import Job
from support.executor import Executor
from support.process import free_ports
from support.report import Report
from support.stage import REGISTER_DEADLINE_S, app_name
from support.stub_admin import StubAdmin
from support.waiting import wait_until

TOKEN = "self-test-token"
RESULT_DEADLINE_S = 15
PARAM = "a=1&b=<x> \"q\" 'p' \\ ünï 任务"

# Job, then shard index and total.
RUNS = {
    "echo": (Job("", "", "echo", PARAM), 0, 1),
    "failing": (Job("", "", "failing", PARAM), 0, 1),
    "slow": (Job("", "", "slow", "200"), 0, 1),
    "slow with timeout": (Job("", "", "slow", "4000", timeout_s=1), 0, 1),
    "shard": (Job("", "", "shard", ""), 1, 2),
    "logging": (Job("", "", "logging", "this run"), 0, 1),
}


class SelfTest:
    def __init__(self, admin: StubAdmin, executor: Executor):
        self.admin, self.executor = admin, executor
        self.log_ids = {name: 101 + number for number, name in enumerate(RUNS)}
        self.started_s = int(time.time())

    def wait_registered(self):
        entry = (self.executor.app, self.executor.address)
        wait_until(lambda: entry in self.admin.registered, REGISTER_DEADLINE_S, f"{entry} registered",
                   lambda: (self.admin.registered, self.executor.process.tail(5)))

    def send_all(self):
        replies = {name: self.admin.post(self.executor.address, "run", self.trigger(name, *run))
                   for name, run in RUNS.items()}
        return [f"{name}: {reply}" for name, reply in replies.items() if reply["code"] != 200]

    def trigger(self, name: str, job: Job, index: int, total: int) -> dict:
        return {"jobId": self.log_ids[name] - 100, "executorHandler": job.handler, "executorParams": job.params,
                "executorBlockStrategy": job.block, "executorTimeout": job.timeout_s, "logId": self.log_ids[name],
                "logDateTime": self.started_s * 1000, "glueType": "BEAN", "glueSource": "", "glueUpdatetime": 0,
                "broadcastIndex": index, "broadcastTotal": total}

    def result(self, name: str):
        job, index, total = RUNS[name]
        log_id = self.log_ids[name]
        wait_until(lambda: log_id in self.admin.results, RESULT_DEADLINE_S, f"a callback for {name}",
                   lambda: (self.admin.results, self.executor.process.tail(5)))
        code, message = self.admin.results[log_id]
        wanted = job.result(f"{index}/{total}")
        if (code, message.strip()) != wanted:
            yield f"result: expected {wanted}, got {(code, message)}"
        yield from self.journal_problems(log_id, job, index, total)

    def journal_problems(self, log_id: int, job: Job, index: int, total: int):
        entries = [entry for entry in self.executor.journal() if entry["log_id"] == log_id]
        wanted = {"handler": job.handler, "param": job.params, "shard_index": index, "shard_total": total,
                  "port": self.executor.port}
        if len(entries) != 1 or any(entries[0][name] != value for name, value in wanted.items()):
            yield f"journal: expected {wanted} once, got {entries}"
        elif entries[0]["job_id"] not in (-1, log_id - 100):
            yield f"journal: expected job {log_id - 100}, got {entries}"

    def log_file(self):
        day = datetime.fromtimestamp(self.started_s, timezone.utc).strftime("%Y-%m-%d")
        content = self.executor.log_file(day, self.log_ids["logging"]).read_text(encoding="utf-8")
        for line in range(1, 6):
            if f"line {line} of this run" not in content:
                yield f"line {line} missing in: {content}"

    def removed(self):
        self.executor.process.terminate()
        entry = (self.executor.app, self.executor.address)
        wait_until(lambda: entry not in self.admin.registered, RESULT_DEADLINE_S, f"{entry} removed",
                   lambda: self.executor.process.tail(5))


def run(folder: Path, releases: tuple[str, ...], report: Report) -> None:
    admin = StubAdmin(TOKEN)
    folder.mkdir()
    ports = free_ports(len(releases))
    executors = {release: Executor(release, app_name(release), port, admin.url, TOKEN, folder)
                 for release, port in zip(releases, ports, strict=True)}
    try:
        for release, executor in executors.items():
            test = SelfTest(admin, executor)
            test.wait_registered()
            refused = test.send_all()
            report.check(f"self test {release}: runs accepted", lambda refused=refused: refused)
            for name in RUNS:
                report.check(f"self test {release}: {name}", lambda name=name: test.result(name))
            report.check(f"self test {release}: log file", test.log_file)
            report.check(f"self test {release}: withdrawn on SIGTERM", test.removed)
            admin.results.clear()
    finally:
        for executor in executors.values():
            executor.process.kill()
        admin.close()
