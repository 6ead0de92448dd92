"""kill -9 of the server under load, restart, and an account of every instant."""

import math
import random
import time
from pathlib import Path

from support.accounting import Books, Outage, account
from support.declared import Job
from support.report import Report
from support.stage import Stage, app_name
from support.store import Store
from support.waiting import wait_for_clock, wait_until

PREFIX = "kill server: "
# Points within a second at which the server dies, and the time that it stays away: a claim is made up to 200 ms before its
# instant.
KILLS = ((-0.120, 0), (0.004, 0), (0.030, 0), (0.500, 7))
JITTER_S = 0.003
SECONDS_BETWEEN = 3
PROGRESS_DEADLINE_S = 20
SCENARIOS = ("graceful stop leaves no claim", "every instant accounted for", "no log id executed twice",
             "nothing left open", "results of all executed runs")


def jobs_of(release: str) -> list[Job]:
    group = app_name(release)
    return [
        *[Job(group, f"echo-{n}", params=f"number {n}") for n in range(1, 4)],
        Job(group, "rate", params="by rate", by_rate=True),
        Job(group, "slow", "slow", "400"),
        Job(group, "shard", "shard", route="SHARDING_BROADCAST"),
        Job(group, "once", params="fire once", misfire="FIRE_ONCE_NOW"),
    ]


class KillServer:
    def __init__(self, binary: Path, folder: Path, store: Store, releases: tuple[str, ...], report: Report):
        jobs = [job for release in releases for job in jobs_of(release)]
        self.stage = Stage(binary, folder, store, releases, 1, jobs)
        self.report = report
        self.outages: list[Outage] = []
        self.claims_after_stop = -1
        self.open_at_end: list[str] = []

    def run(self) -> None:
        self.stage.start()
        self.wait_progress(time.time())
        for offset_s, away_s in KILLS:
            self.kill_and_restart(offset_s, away_s)
            self.wait_progress(self.stage.server.ready_at)
        self.stop_and_settle()
        for name, body in zip(SCENARIOS, (self.no_claim, self.accounted, self.executed_once, self.at_rest,
                                          self.results), strict=True):
            self.report.check(PREFIX + name, body)

    def kill_and_restart(self, offset_s: float, away_s: float) -> None:
        jitter = random.uniform(-JITTER_S, JITTER_S)
        wait_for_clock(math.ceil(time.time() + 0.5) + offset_s + jitter)
        down = self.stage.server.kill()
        wait_for_clock(down + away_s)
        self.stage.start_jobs()
        ready = self.stage.server.ready_at
        self.outages.append(Outage(down, ready))
        self.report.note(f"{PREFIX}killed at {down % 1:.3f} of its second, ready again after {ready - down:.2f} s")

    def wait_progress(self, since: float) -> None:
        """Waits until every job has finished a run of an instant some seconds after `since`."""
        def behind() -> list[str]:
            done = self.stage.store.jobs_finished_since(since + SECONDS_BETWEEN)
            return [job.name for job in self.stage.jobs if job.name not in done]
        wait_until(lambda: not behind(), PROGRESS_DEADLINE_S, "every job runs again", behind)

    def stop_and_settle(self) -> None:
        down = time.time()
        self.stage.stop_cleanly()
        self.claims_after_stop = self.stage.store.count("rm_claim")
        self.open_at_end = self.stage.restart_quiet()
        self.outages.append(Outage(down, self.stage.server.ready_at))
        self.stage.stop_cleanly()

    def no_claim(self):
        if self.claims_after_stop:
            yield f"rm_claim holds {self.claims_after_stop} rows after SIGTERM"

    def accounted(self):
        for release in self.stage.releases:
            books, executions = Books(), self.stage.executions(release)
            for job in [job for job in self.stage.jobs if job.group == app_name(release)]:
                account(job, self.stage.store.rows(job), executions, self.outages, books)
            self.report.note(f"{PREFIX}{release}: {books.text()}")
            yield from books.problems

    def executed_once(self):
        for release in self.stage.releases:
            yield from self.stage.repeated(release)

    def at_rest(self):
        return self.open_at_end

    def results(self):
        """Checks that every run of an executor is in the log, with its result."""
        rows = {row["id"]: row for row in self.stage.store.query("SELECT * FROM xxl_job_log")}
        for release in self.stage.releases:
            for log_id in self.stage.executions(release):
                if log_id not in rows or rows[log_id]["handle_code"] == 0:
                    yield f"log {log_id} was executed, its row: {rows.get(log_id)}"


def names(releases: tuple[str, ...]) -> list[str]:
    """Runs once for all releases: each check covers all of them."""
    return [PREFIX + name for name in SCENARIOS]


def run(binary: Path, folder: Path, store: Store, releases: tuple[str, ...], report: Report) -> None:
    test = KillServer(binary, folder, store, releases, report)
    try:
        test.run()
    except Exception as error:
        report.fail(PREFIX + "run", [f"{type(error).__name__}: {error}", *test.stage.server.tail(6)])
        for name in names(releases):
            report.skip(name, "the run ended early")
    finally:
        test.stage.close()
