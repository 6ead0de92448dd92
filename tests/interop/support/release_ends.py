"""Scenarios that end executors, and the exact accounting when everything is quiet."""

import time

from support.release_jobs import ROUTED
from support.rows import brief, by_itself, differences, epoch, finished, instant, trigger_message
from support.stage import Stage, app_name
from support.waiting import wait_until

FAILOVER_ROWS = 4
UNKNOWN_DEADLINE_S = 75  # a run whose executor cannot be asked ends after 60 s
REMOVE_DEADLINE_S = 20


class Ends:
    """Kills the first executor of each release and later stops the second one; records the times."""

    def __init__(self, stage: Stage):
        self.stage = stage
        self.killed_at = 0.0

    def kill_first(self) -> None:
        self.killed_at = time.time()
        for release in self.stage.releases:
            self.stage.executors[release][0].process.kill()

    def failover(self, release: str):
        """Checks that FAILOVER continues with the live executor."""
        job, living = self.stage.job(release, ROUTED["FAILOVER"]), self.stage.addresses(release)[1]
        self.stage.wait_rows(job, lambda rows: len(self.after_kill(rows, 2)) >= FAILOVER_ROWS, 20,
                             "finished rows after the kill")
        for row in self.after_kill(self.stage.store.rows(job), 2):
            yield from differences(row, {"executor_address": living, "trigger_code": 200, "handle_code": 200})

    def dead_recorded(self, release: str):
        """Checks that runs for the dead executor have a trigger code, and refused ones are failures with a reason."""
        dead, job = self.stage.addresses(release)[0], self.stage.job(release, "echo")
        self.stage.wait_rows(job, lambda rows: any(row["trigger_code"] not in (0, 200) for row in rows), 20,
                             f"a failed trigger towards {dead}")
        wait_until(lambda: not self.open_rows(dead), UNKNOWN_DEADLINE_S, f"no row (0, 0) towards {dead}",
                   lambda: [brief(row) for row in self.open_rows(dead)])
        for row in self.after_kill(self.stage.store.rows(job), 1):
            if row["executor_address"] == dead and not (row["trigger_code"] == 500 and trigger_message(row)):
                yield f"expected trigger_code 500 with a reason: {brief(row)}"

    def open_rows(self, address: str) -> list[dict]:
        rows = self.stage.store.query("SELECT * FROM xxl_job_log WHERE executor_address = ? AND trigger_code = 0"
                                      " AND handle_code = 0", address)
        return [row for row in rows if instant(row) < time.time() - 5]

    def after_kill(self, rows: list[dict], seconds: int) -> list[dict]:
        return [row for row in rows if finished(row) and instant(row) > self.killed_at + seconds]

    def removed(self, release: str):
        """Checks that an executor that stops gracefully is removed from the registry."""
        app, leaving = app_name(release), self.stage.executors[release][1]
        code = leaving.process.terminate()
        if code not in (0, 143):
            yield f"the executor ended with {code}: {leaving.process.tail(5)}"
        wait_until(lambda: leaving.address not in self.stage.store.registered(app), REMOVE_DEADLINE_S,
                   f"{leaving.address} removed from xxl_job_registry", lambda: self.stage.store.registered(app))


ENDING = {"failover after kill": Ends.failover, "killed executor": Ends.dead_recorded, "executor shutdown": Ends.removed}


def children_exact(stage: Stage, release: str):
    """Checks that there is one child run per successful parent run, and none for a failed one."""
    parents = [row for row in stage.store.rows(stage.job(release, "parent")) if row["handle_code"] == 200]
    children = stage.store.rows(stage.job(release, "child"))
    if len(children) != len(parents):
        yield f"{len(parents)} successful parents (rows {[row['id'] for row in parents]}) but {len(children)} children"
    for row in stage.store.rows(stage.job(release, "unborn")):
        yield f"child of a failed parent: {brief(row)}"


def retries_exact(stage: Stage, release: str):
    """Checks that every failed row with n retries left has one successor with n - 1; the last attempt has none."""
    job = stage.job(release, "retry")
    rows = stage.store.rows(job)
    counts = {left: sum(row["executor_fail_retry_count"] == left for row in rows) for left in (2, 1, 0)}
    if len(set(counts.values())) != 1 or not by_itself(job, rows):
        yield f"rows by retries left: expected equal counts, got {counts}"
    for row in rows:
        if row["alarm_status"] not in (1, 2, 3):
            yield f"failed row never handled by the fail monitor: {brief(row)}"


def executed_once(stage: Stage, release: str):
    return stage.repeated(release)


def results_valid(stage: Stage, release: str):
    """Checks that no result is older than its run."""
    group = stage.store.group_ids()[app_name(release)]
    for row in stage.store.query("SELECT * FROM xxl_job_log WHERE job_group = ? AND handle_code <> 0", group):
        if epoch(row["handle_time"]) < instant(row):
            yield f"handle_time before trigger_time: {brief(row)}"


QUIET = {"children exact": children_exact, "retries exact": retries_exact, "no log id executed twice": executed_once,
         "results after triggers": results_valid}
