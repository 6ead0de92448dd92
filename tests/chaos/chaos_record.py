"""The facts of a finished chaos run: jobs, log rows, receipts of executors, and faults with their times."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from support.declared import Job

from sweep_lane import epoch

COLUMNS = "id, job_id, trigger_time, trigger_code, handle_code, executor_sharding_param, trigger_msg"
FIXED_FIELDS = 8  # of a trigger message, before the text
PAGE_ROWS = 10_000


@dataclass(frozen=True)
class Row:
    """A row of xxl_job_log. `first_ms` and `count`: the instants that a late run or a row of dropped instants stands for."""

    log_id: int
    job_id: int
    instant_s: int
    trigger: int
    handle: int
    shard: str
    kind: str = "cron"
    origin: int = 0
    node: str = ""
    first_ms: int = 0
    count: int = 0
    text: str = ""

    @property
    def original(self) -> bool:
        return self.kind in ("cron", "misfire", "missed")

    @property
    def unknown(self) -> bool:
        return self.text.startswith("delivery unknown")

    @property
    def dropped(self) -> bool:
        """The misfire policy decided, about instants without a run or about a run whose executor did not have it."""
        return self.kind == "missed" or self.text.startswith("missed:")

    @property
    def failed(self) -> bool:
        return self.handle not in (0, 200) or (self.handle == 0 and self.trigger not in (0, 200))

    def brief(self) -> str:
        origin = f"@{self.origin}" if self.origin else f"@{self.first_ms}*{self.count}" if self.count else ""
        return f"log {self.log_id} (job {self.job_id}, {self.kind}{origin}, {self.instant_s}, {self.node}): {self.trigger}, " \
               f"{self.handle} {self.text[:120]}".rstrip()


@dataclass(frozen=True)
class Receipt:
    """A run that an executor received, and when."""

    log_id: int
    job_id: int
    at_ns: int
    instant_ms: int
    shard: int = 0
    executor: int = 0


@dataclass
class Happened:
    """A fault as it took place. `jobs`: the ids that it may delay; None means all."""

    kind: str
    begin: float
    end: float
    text: str
    targets: tuple[str, ...] = ()
    jobs: frozenset[int] | None = None

    def hits(self, job_id: int) -> bool:
        return self.jobs is None or job_id in self.jobs


@dataclass
class Record:
    """Everything that the checker needs. The window is in whole seconds, its end excluded."""

    jobs: dict[int, Job]
    window: tuple[int, int]
    stopped_at: float
    rows: list[Row] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    faults: list[Happened] = field(default_factory=list)
    open_at_rest: dict[str, int] = field(default_factory=dict)
    untold: int = 0
    problems: list[str] = field(default_factory=list)

    def receipts_by_run(self) -> dict[int, list[Receipt]]:
        found: dict[int, list[Receipt]] = defaultdict(list)
        for receipt in sorted(self.receipts, key=lambda one: one.at_ns):
            found[receipt.log_id].append(receipt)
        return found


def row_of(stored: dict) -> Row:
    fields = (stored["trigger_msg"] or "").split(";", FIXED_FIELDS)
    kind, _, origin = fields[1].partition("@") if len(fields) > FIXED_FIELDS else ("unreadable", "", "")
    text = fields[-1]
    first_ms = count = 0
    if kind == "missed":
        number, first, _, text = text.split(";", 3)
        first_ms, count = int(first), int(number)
    elif kind == "misfire" and origin:
        first, _, merged = origin.partition("+")
        first_ms, count, origin = int(first), 1 + int(merged or 0), ""
    return Row(stored["id"], stored["job_id"], epoch(stored["trigger_time"]), stored["trigger_code"], stored["handle_code"],
               stored["executor_sharding_param"] or "", kind, int(origin or 0), fields[2] if len(fields) > 2 else "",
               first_ms, count, text)


def rows_of(store) -> list[Row]:
    rows: list[Row] = []
    while page := store.query(f"SELECT {COLUMNS} FROM xxl_job_log WHERE id > ? ORDER BY id LIMIT {PAGE_ROWS}",
                              rows[-1].log_id if rows else 0):
        rows.extend(map(row_of, page))
    return rows


def receipts_of(journals: Iterable[Path]) -> tuple[list[Receipt], int]:
    """Returns the receipts, and the number of runs whose results no node accepted."""
    receipts: list[Receipt] = []
    accepted: set[int] = set()
    for number, journal in enumerate(journals):
        for event in map(json.loads, journal.read_text(encoding="utf-8").splitlines()):
            accepted.update(event.get("accepted", ()))
            if "run" in event:
                receipts.append(Receipt(event["run"], event["job"], event["at"], event["instant"], event["shard"], number))
    return receipts, len({one.log_id for one in receipts} - accepted)
