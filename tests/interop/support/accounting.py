"""Accounting of the kill test: the fate of every instant of an every-second job."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from support.declared import Job
from support.executor import shown
from support.rows import brief, by_itself, instant, trigger_message

MISFIRE_AFTER_S = 5
READY_SLACK_S = 1.5  # between the planner's first pass after a start and the time at which the test saw it ready
CLAIM_AHEAD_S = 1


@dataclass(frozen=True)
class Outage:
    """An outage of the server from `down` to `ready`, epoch seconds."""

    down: float
    ready: float

    def lost(self, second: int) -> bool:
        """Returns whether no node can have claimed this instant in time."""
        return self.down - CLAIM_AHEAD_S < second < self.ready + READY_SLACK_S

    def misfired(self, oldest: int) -> bool:
        """Returns whether the oldest unclaimed instant was later than the limit when the server came back."""
        return oldest + MISFIRE_AFTER_S < self.ready + READY_SLACK_S


@dataclass
class Books:
    instants: int = 0
    fates: Counter = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        fates = ", ".join(f"{fate} {count}" for fate, count in sorted(self.fates.items()))
        return f"{self.instants} instants: {fates}"


def is_misfire(row: dict) -> bool:
    """Returns whether the row stands for missed instants (FIRE_ONCE_NOW); its trigger_time is not an instant of the schedule."""
    return re.match("rm1;misfire[;@]", row["trigger_msg"] or "") is not None


def reason(row: dict) -> str | None:
    """Returns why a run that was not executed has ended, if its row says so."""
    if row["trigger_code"] not in (0, 200):
        return trigger_message(row)
    return row["handle_msg"] if row["handle_code"] not in (0, 200) else None


def account(job: Job, rows: list[dict], executions: dict[int, list[dict]], outages: list[Outage], books: Books) -> None:
    regular = defaultdict(list)
    for row in by_itself(job, rows):
        if not is_misfire(row):
            regular[instant(row)].append(row)
    if not regular:
        books.problems.append(f"{job.name} has no rows")
        return
    missing = []
    for second in range(min(regular), max(regular) + 1):
        books.instants += 1
        found = regular.get(second, [])
        if len(found) > 1:
            books.problems.append(f"{job.name}: {len(found)} runs of instant {second}: {[brief(r) for r in found]}")
        elif found:
            account_run(job, found[0], executions.get(found[0]["id"], []), books)
        else:
            missing.append(second)
    account_missing(job, missing, outages, books)
    account_misfires(job, rows, missing, outages, books)


def account_run(job: Job, row: dict, entries: list[dict], books: Books) -> None:
    if len(entries) > 1:
        books.problems.append(f"{job.name}: log {row['id']} executed {len(entries)} times: {shown(entries)}")
    elif entries and row["handle_code"] != 0:
        books.fates["executed"] += 1
    elif entries:
        books.problems.append(f"{job.name}: executed ({shown(entries)}) but without a result: {brief(row)}")
    elif reason(row):
        books.fates["ended with a reason"] += 1
    else:
        books.problems.append(f"{job.name}: never executed and no reason given: {brief(row)}")


def account_missing(job: Job, missing: list[int], outages: list[Outage], books: Books) -> None:
    """Checks that an instant without a row was dropped by the misfire rule."""
    for outage in outages:
        lost = [second for second in missing if outage.lost(second)]
        if lost and outage.misfired(lost[0]):
            books.fates["dropped by the misfire rule"] += len(lost)
            missing = [second for second in missing if second not in lost]
    if missing:
        away = [(round(outage.down, 3), round(outage.ready, 3)) for outage in outages]
        books.problems.append(f"{job.name}: no row and no misfire for instants {missing}; server away {away}")


def account_misfires(job: Job, rows: list[dict], missing: list[int], outages: list[Outage], books: Books) -> None:
    found = [row for row in rows if is_misfire(row)]
    misfired = sum(any(outage.lost(second) for second in missing) for outage in outages)
    wanted = misfired if job.misfire == "FIRE_ONCE_NOW" else 0
    if len(found) != wanted:
        books.problems.append(f"{job.name}: expected {wanted} misfire runs, got {[brief(row) for row in found]}")
    books.fates["fired once for missed ones"] += len(found)
