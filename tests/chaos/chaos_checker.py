"""Accounts for every due instant of a finished chaos run, for every log row and for every receipt."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.declared import Job

from chaos_plan import KINDS
from chaos_record import Happened, Receipt, Record, Row

FAILURES = ("missed", "doubled", "early", "late", "stuck", "untrue", "unexplained", "other")
EXAMPLES_MAX = 12


@dataclass(frozen=True)
class Limits:
    """`late_s`: of a calm moment. `takeover_s`: from the fault on, until other nodes send what its node did not."""

    late_s: float = 2.0
    takeover_s: float = 3.0
    recovery_s: float = 5.0
    ahead_s: float = 1.0  # an instant so long before a fault may still be on its way
    wake_s: float = 1.0  # after SIGCONT: what a process still does that does not know that it was stopped
    settle_s: float = 5.0  # after an executor continued: requests that waited in its sockets, questions meanwhile
    edit_s: float = 1.5  # after a stop was answered: runs that were claimed before


@dataclass(frozen=True)
class Gap:
    """The largest lateness of the instants from a fault to the next one.

    `recovery_s`: from the end of the fault until all of them were sent. None if the next fault began before that.
    `takeover`: other nodes sent them, and nothing else delayed them.
    """

    fault: Happened
    late_s: float
    recovery_s: float | None
    takeover: bool


@dataclass
class Verdict:
    """`counts`: by outcome of instants; FAILURES are the failures. `lateness`: seconds, sorted."""

    counts: Counter[str] = field(default_factory=Counter)
    windows: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lateness: list[float] = field(default_factory=list)
    gaps: list["Gap"] = field(default_factory=list)

    def fail(self, what: str, text: str, count: int = 1) -> None:
        self.counts[what] += count
        if len(self.examples[what]) < EXAMPLES_MAX:
            self.examples[what].append(text)

    @property
    def clean(self) -> bool:
        return not any(self.counts[name] for name in FAILURES)

    def late_at(self, share: float) -> float:
        return self.lateness[min(len(self.lateness) - 1, int(share * len(self.lateness)))] if self.lateness else 0.0

    def longest_takeover(self) -> float:
        return max((gap.late_s for gap in self.gaps if gap.takeover), default=0.0)


class Checker:
    def __init__(self, record: Record, nodes: int, limits: Limits | None = None):
        self.record, self.nodes, self.limits = record, nodes, limits or Limits()
        self.receipts = record.receipts_by_run()
        self.rows = {row.log_id: row for row in record.rows}
        self.verdict = Verdict()
        self.faults = sorted(record.faults, key=lambda fault: fault.begin)
        self.effects = [self.effect_of(fault) for fault in self.faults]
        self.arrived: list[tuple[float, int, float]] = []  # instant, job, lateness

    def run(self) -> Verdict:
        self.check_instants()
        self.check_copies()
        self.check_truth()
        self.check_followers()
        self.check_times()
        self.check_rest()
        self.measure_gaps()
        return self.verdict

    # -- each instant has one row

    def check_instants(self) -> None:
        found: dict[tuple[int, int], list[tuple[Row, bool]]] = defaultdict(list)
        for row in self.record.rows:
            job = self.record.jobs.get(row.job_id)
            if job and job.every_s and row.original:
                for instant, first in covered(row, job):
                    found[row.job_id, instant].append((row, first))
        for job_id, job in self.record.jobs.items():
            for instant in due(job, *self.record.window):
                self.check_instant(job, job_id, instant, found.pop((job_id, instant), []))
        for (job_id, instant), rows in found.items():  # beside the window: none has to be there
            if len(rows) > 1 and self.record.jobs[job_id].handler != "shard":
                self.verdict.fail("doubled", f"job {job_id} at {instant}: " + "; ".join(row.brief() for row, _ in rows))

    def check_instant(self, job: Job, job_id: int, instant: int, rows: list[tuple[Row, bool]]) -> None:
        self.verdict.counts["due"] += 1
        name = f"{job.name} (job {job_id}) at {instant}"
        if not rows:
            self.verdict.fail("missed", f"{name} has no row")
        elif job.handler == "shard" and rows[0][0].kind != "missed":
            self.check_shards(name, [row for row, _ in rows])
        elif len(rows) > 1:
            self.verdict.fail("doubled", f"{name}: {len(rows)} rows: " + "; ".join(row.brief() for row, _ in rows))
        if rows:
            self.count_outcome(job_id, instant, *rows[0])

    def check_shards(self, name: str, rows: list[Row]) -> None:
        """Checks that each shard has one row. A row that names no shard, because no executor was there, stands for all."""
        found = sorted(row.shard.removesuffix("b") for row in rows)
        total = int(found[0].partition("/")[2] or 1) if found[0] else 1
        wanted = [f"{index}/{total}" for index in range(total)] if found[0] else [""]
        if len(found) > len(wanted) or len(set(found)) < len(found):
            self.verdict.fail("doubled", f"{name}: shards {found}")
        elif found != wanted:
            self.verdict.fail("missed", f"{name}: shards {found}")

    def count_outcome(self, job_id: int, instant: int, row: Row, first: bool) -> None:
        if row.dropped:
            self.excused("dropped", row, job_id, instant, ("outage",))
        elif not first:
            self.excused("merged", row, job_id, instant, ("outage",))
        elif row.log_id in self.receipts:
            self.verdict.counts["fired"] += 1
        elif row.unknown:
            asks = self.record.jobs[job_id].on_unknown != "skip"
            self.excused("given up" if asks else "skipped", row, job_id, instant, ("outage", "takeover"))
        elif row.trigger not in (0, 200):
            self.excused("not sent", row, job_id, instant, ("outage",))

    def excused(self, outcome: str, row: Row, job_id: int, instant: int, effects: tuple[str, ...]) -> None:
        """Counts an instant that was visibly not sent. Without a fault that explains it, it is a failure."""
        self.verdict.counts[outcome] += 1
        limits = self.limits
        latest = self.deadline(job_id, instant)  # a fault may have delayed it until another one began
        if not any(fault.hits(job_id) and effect in effects and fault.begin - limits.ahead_s <= latest
                   and instant <= fault.end + limits.recovery_s for fault, effect in zip(self.faults, self.effects)):
            self.verdict.fail("unexplained", f"{outcome} at {instant}, and no fault explains it: {row.brief()}")

    def effect_of(self, fault: Happened) -> str:
        """Returns the effect of a fault in this cluster: if all nodes are taken at the same time, no other node continues."""
        effect = KINDS[fault.kind].effect
        taken: set[str] = set()
        if effect == "takeover":
            taken = {node for each in self.faults if KINDS[each.kind].effect == "takeover"
                     and each.begin <= fault.end and fault.begin <= each.end for node in each.targets}
        alone = fault.kind == "rolling-restart" and self.nodes == 1
        return "outage" if alone or len(taken) >= self.nodes else effect

    # -- each log id is received once

    def check_copies(self) -> None:
        for log_id, copies in self.receipts.items():
            for earlier, later in zip(copies, copies[1:]):
                self.verdict.counts["copies"] += 1
                row = self.rows.get(log_id)
                if window := self.window_of(row, earlier, later):
                    self.verdict.windows[window] += 1
                else:
                    pause = (later.at_ns - earlier.at_ns) / 1e9
                    self.verdict.fail("doubled", f"received again after {pause:.3f} s, at {later.at_ns / 1e9:.3f}: "
                                                 f"{row.brief() if row else f'log {log_id}, no row'}")

    def window_of(self, row: Row | None, earlier: Receipt, later: Receipt) -> str:
        """Returns the named window of docs/firing_protocol.md that permits this copy, or an empty text."""
        job = self.record.jobs.get(later.job_id)
        if job and job.on_unknown == "resend":
            return "resend"
        for fault in self.faults:
            # Either copy may be the late one: the successor may have sent before or after the process that woke up.
            times = [copy.at_ns / 1e9 for copy in (earlier, later)]
            if fault.kind == "node-stop" and row and row.node in {f"node-{number}" for number in fault.targets} \
                    and any(fault.end - 0.05 <= at <= fault.end + self.limits.wake_s for at in times):
                return "R1"
            if fault.kind == "executor-stop" and fault.begin <= times[1] <= fault.end + self.limits.settle_s \
                    and fault.hits(later.job_id):
                return "R2"
        return ""

    # -- what rows say is true

    def check_truth(self) -> None:
        for row in self.record.rows:
            received = row.log_id in self.receipts
            if row.handle == 200 and not received:
                self.verdict.fail("untrue", f"a success without a receipt: {row.brief()}")
            elif row.trigger == 200 and not received:
                self.verdict.fail("untrue", f"marked as delivered, but the executor has no record of it: {row.brief()}")
            elif row.trigger not in (0, 200) and received and not row.unknown:
                self.verdict.fail("untrue", f"not sent, but there is a receipt: {row.brief()}")
            elif received and row.handle and row.handle != self.expected(row.job_id):
                self.verdict.fail("untrue", f"not the executor's result: {row.brief()}")
        for log_id, copies in self.receipts.items():
            row = self.rows.get(log_id)
            if not row:
                self.verdict.fail("untrue", f"log {log_id} was received, and has no row")
            elif row.job_id != copies[0].job_id or row.kind == "cron" and row.instant_s * 1000 != copies[0].instant_ms:
                self.verdict.fail("untrue", f"received for job {copies[0].job_id} at {copies[0].instant_ms}: {row.brief()}")

    def expected(self, job_id: int) -> int:
        job = self.record.jobs.get(job_id)
        return 500 if job and job.handler == "failing" else 200

    # -- retries and children

    def check_followers(self) -> None:
        """Checks that each success of a parent has one child, each known failure its retry, and nothing else has any."""
        found: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for row in self.record.rows:
            if row.kind in ("retry", "parent"):
                found[row.kind, row.origin].append(row)
                if row.origin not in self.rows:
                    self.verdict.fail("other", f"its origin does not exist: {row.brief()}")
        for row in self.record.rows:
            job = self.record.jobs.get(row.job_id)
            retried = bool(job and job.retry and row.original and row.failed and not row.unknown and not row.dropped)
            followed = bool(job and job.children and row.handle == 200)
            for kind, wanted in (("retry", retried), ("parent", followed)):
                followers = found.get((kind, row.log_id), [])
                if len(followers) != int(wanted):
                    what = "doubled" if len(followers) > 1 else "missed" if wanted else "untrue"
                    self.verdict.fail(what, f"{len(followers)} rows follow it ({kind}), expected {int(wanted)}: {row.brief()}")

    # -- early and late

    def check_times(self) -> None:
        for row in self.record.rows:
            copies = self.receipts.get(row.log_id)
            if row.kind != "cron" or not copies:
                continue
            late = copies[0].at_ns / 1e9 - row.instant_s
            if row.instant_s > self.record.stopped_at + self.limits.edit_s:
                self.verdict.fail("other", f"fired after its job was stopped: {row.brief()}")
            if not self.record.window[0] <= row.instant_s < self.record.window[1]:
                continue
            self.arrived.append((row.instant_s, row.job_id, late))
            self.verdict.lateness.append(late)
            if late < 0:
                self.verdict.fail("early", f"{-late:.6f} s early: {row.brief()}")
            elif late > (limit := self.deadline(row.job_id, row.instant_s) - row.instant_s):
                self.verdict.fail("late", f"{late:.3f} s late, expected at most {limit:.3f}: {row.brief()}")
        self.verdict.lateness.sort()

    def deadline(self, job_id: int, instant: float) -> float:
        """Returns when an instant has to be sent at the latest; faults that follow each other may extend it."""
        latest = instant + self.limits.late_s
        for fault, effect in zip(self.faults, self.effects):
            if fault.hits(job_id) and fault.begin - self.limits.ahead_s <= latest:
                release = self.release(fault, effect)
                if release >= instant:
                    latest = max(latest, release)
        return latest

    def release(self, fault: Happened, effect: str) -> float:
        if effect == "outage":
            return fault.end + self.limits.recovery_s
        return fault.begin + self.limits.takeover_s if effect == "takeover" else 0.0

    def measure_gaps(self) -> None:
        ahead_s = self.limits.ahead_s / 2
        for number, fault in enumerate(self.faults):
            after = self.faults[number + 1].begin if number + 1 < len(self.faults) else float(self.record.window[1])
            found = [(late, instant + late) for instant, job_id, late in self.arrived
                     if fault.begin - ahead_s <= instant < after - ahead_s and fault.hits(job_id)]
            # What is due after the end of the fault belongs to the next moment.
            last = max((sent for late, sent in found if sent - late <= fault.end), default=fault.end)
            recovery = max(0.0, last - fault.end) if last < after else None
            late_s = max((late for late, _ in found), default=0.0)
            self.verdict.gaps.append(Gap(fault, late_s, recovery, self.is_takeover(number)))

    def is_takeover(self, number: int) -> bool:
        fault, limits = self.faults[number], self.limits
        return self.effects[number] == "takeover" and not any(
            effect == "outage" and each.begin <= fault.begin + limits.takeover_s
            and fault.begin <= each.end + limits.recovery_s for each, effect in zip(self.faults, self.effects))

    # -- at rest

    def check_rest(self) -> None:
        for what, number in self.record.open_at_rest.items():
            if number:
                self.verdict.fail("stuck", f"{number} {what}", number)
        if self.record.untold:
            self.verdict.fail("stuck", f"the results of {self.record.untold} runs were not accepted", self.record.untold)
        for row in self.record.rows:
            if row.handle == 0 and row.trigger in (0, 200) and not any(self.record.open_at_rest.values()):
                self.verdict.fail("stuck", f"never decided: {row.brief()}")
        for problem in self.record.problems:
            self.verdict.fail("other", problem)


def due(job: Job, begin: int, end: int) -> Iterator[int]:
    """Yields the instants of a job in the window, in seconds."""
    if job.every_s:
        first = -(-begin // job.every_s) * job.every_s
        yield from range(first, end, job.every_s)


def covered(row: Row, job: Job) -> Iterator[tuple[int, bool]]:
    """Yields the instants for which a row stands, and whether it is the one that was sent."""
    if row.count:
        first = row.first_ms // 1000
        for number in range(row.count):
            yield first + number * job.every_s, number == 0
    else:
        yield row.instant_s, True
