"""Groups with a Java executor and two of `ringmaster executor` in each, one by HTTP and one by a native link, on one server:
all must behave alike."""

import signal
import time
from itertools import cycle
from pathlib import Path

from support.declared import Job, jobs_file
from support.executor import Executor
from support.own_executor import LinkedExecutor, LinkFiles, OwnExecutor
from support.process import free_ports
from support.release_jobs import ROWS_DEADLINE_S, SPECIAL_PARAMS, finished_rows, kept_problems, registered
from support.report import Report
from support.routes import RULES
from support.rows import brief, differences, executed_problems, finished, gap_problems, instant, unfinished_problems
from support.stage import TOKEN, Stage, app_name
from support.store import Store
from support.waiting import wait_until

PREFIX = "mixed group: "
STORES = ("sqlite",)  # the database is irrelevant here
AT_REST = PREFIX + "nothing left open"
REMOVE_DEADLINE_S = 20
START_DEADLINE_S = 45


def jobs_of(release: str) -> list[Job]:
    group = app_name(release)
    return [Job(group, "round", params=SPECIAL_PARAMS, route="ROUND"),
            Job(group, "shard", "shard", route="SHARDING_BROADCAST"),
            Job(group, "failing", "failing", "no luck", every_s=2, route="ROUND"),
            Job(group, "timeout", "slow", "4000", every_s=3, route="ROUND", timeout_s=1),
            Job(group, "logging", "logging", "this run", every_s=4, route="ROUND", keep_logs=True)]


class MixedStage(Stage):
    """A stage in which the first HTTP executor, by address, differs from group to group; the linked executor is the last."""

    def __init__(self, binary: Path, folder: Path, store: Store, releases: tuple[str, ...]):
        folder.mkdir()
        self.files = LinkFiles(folder / "links")
        self.node = f"127.0.0.1:{free_ports(1)[0]}"
        jobs = [job for release in releases for job in jobs_of(release)]
        super().__init__(binary, folder / "stage", store, releases, 3, jobs, self.files.table("node", self.node))
        self.makers = cycle((self.java, self.own, self.linked, self.own, self.java, self.linked))

    def start_jobs(self) -> None:
        """Begins when the linked executors have found the server again: their registrations are older than their links."""
        before = self.links_seen()
        self.server.start(jobs_file(self.groups, [job.stopped() for job in self.jobs]))
        wait_until(lambda: self.links_seen() >= before + len(self.releases), START_DEADLINE_S, "all links are up",
                   self.server.tail)
        self.server.jobs_file.write_text(jobs_file(self.groups, self.jobs), encoding="utf-8")
        self.server.process.child.send_signal(signal.SIGHUP)

    def links_seen(self) -> int:
        return self.server.output.read_text(encoding="utf-8").count("has a native link")

    def executor(self, release: str) -> Executor | OwnExecutor:
        return next(self.makers)(release)

    def java(self, release: str) -> Executor:
        return super().executor(release)

    def own(self, release: str) -> OwnExecutor:
        return OwnExecutor(self.server.binary, app_name(release), self.ports.pop(0), self.server.admin, TOKEN, self.folder)

    def linked(self, release: str) -> LinkedExecutor:
        return LinkedExecutor(self.server.binary, app_name(release), self.ports.pop(0), self.node, self.files, TOKEN, self.folder)

    def own_of(self, release: str) -> OwnExecutor:
        return next(executor for executor in self.executors[release] if isinstance(executor, OwnExecutor))


def both(stage: Stage, release: str, key: str, count: int, codes: tuple[int, int]):
    """Checks that each executor has finished `count` rows of the job, and that all finished rows are right."""
    job, addresses = stage.job(release, key), stage.addresses(release)

    def enough(rows: list[dict]) -> bool:
        return all(sum(finished(row) for row in rows if row["executor_address"] == each) >= count for each in addresses)

    rows = stage.wait_rows(job, enough, ROWS_DEADLINE_S, f"{count} finished rows of each executor")
    done = list(filter(finished, rows))
    for row in done:
        yield from differences(row, {"trigger_code": codes[0], "handle_code": codes[1]})
    yield from executed_problems(job, done, stage.executions(release))
    yield from unfinished_problems(rows)


def routed(key: str, count: int, codes: tuple[int, int]):
    def problems(stage: Stage, release: str):
        yield from both(stage, release, key, count, codes)
        job = stage.job(release, key)
        rows = stage.store.rows(job)
        if job.route == "SHARDING_BROADCAST":
            rows = [row for row in rows if instant(row) < time.time() - 2]  # its rows appear one after the other
        else:
            yield from gap_problems(job, rows)
        yield from RULES[job.route](rows, stage.addresses(release), stage.ids[job.name].job_id)
    return problems


def kept_logs(stage: Stage, release: str):
    """Checks that the admin reads the log of each executor."""
    yield from both(stage, release, "logging", 1, (200, 200))
    job = stage.job(release, "logging")
    for address in stage.addresses(release):
        row = next(row for row in finished_rows(stage, release, job.key, 2) if row["executor_address"] == address)
        yield from kept_problems(stage, release, row, job.params)


def own_leaves(stage: MixedStage, release: str):
    """Stops Ringmaster's executor gracefully: it is removed, and the others continue alone."""
    leaving = stage.own_of(release)
    others = [address for address in stage.addresses(release) if address != leaving.address]
    if (code := leaving.process.terminate()) != 0:
        yield f"the executor ended with {code}: {leaving.process.tail(5)}"
    app = app_name(release)
    wait_until(lambda: stage.store.address_list(app) == ",".join(others), REMOVE_DEADLINE_S, f"the group has {others} alone",
               lambda: stage.store.address_list(app))
    since = time.time()
    rows = stage.wait_rows(stage.job(release, "round"),
                           lambda rows: sum(finished(row) and instant(row) > since + 1 for row in rows) >= 3, ROWS_DEADLINE_S,
                           "finished rows of the others")
    for row in [row for row in rows if finished(row) and instant(row) > since + 1]:
        yield from differences(row, {"trigger_code": 200, "handle_code": 200})
        if row["executor_address"] not in others:
            yield f"expected one of {others}: {brief(row)}"


RUNNING = {"registered": registered, "round robin": routed("round", 5, (200, 200)),
           "broadcast": routed("shard", 5, (200, 200)), "failing": routed("failing", 2, (200, 500)),
           "timeout": routed("timeout", 2, (200, 502)), "kept logs": kept_logs, "ours leaves": own_leaves}


def executed_once(stage: Stage, release: str):
    return stage.repeated(release)


QUIET = {"no log id executed twice": executed_once}


def name_of(release: str, scenario: str) -> str:
    return f"{PREFIX}{release}: {scenario}"


def names(releases: tuple[str, ...]) -> list[str]:
    return [*[name_of(release, scenario) for scenario in (*RUNNING, *QUIET) for release in releases], AT_REST]


def check_all(stage: MixedStage, scenarios: dict, report: Report) -> None:
    for scenario, body in scenarios.items():
        for release in stage.releases:
            report.check(name_of(release, scenario), lambda release=release, body=body: body(stage, release))


def run(binary: Path, folder: Path, store: Store, releases: tuple[str, ...], report: Report) -> None:
    stage = MixedStage(binary, folder, store, releases)
    try:
        stage.start()
        check_all(stage, RUNNING, report)
        stage.stop_cleanly()
        open_at_end = stage.restart_quiet()
        report.check(AT_REST, lambda: open_at_end)
        check_all(stage, QUIET, report)
        stage.stop_cleanly()
    except Exception as error:
        report.fail(PREFIX + "run", [f"{type(error).__name__}: {error}", *stage.server.tail(6)])
    finally:
        stage.close()
