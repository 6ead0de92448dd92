"""Notes of workers, and the checker of what their bodies did (spec of elastic jobs, 21.4).

All processes are on one machine, so that moments on CLOCK_BOOTTIME compare: a run held its item from its first note within the
lease to its last one.
"""

import time
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Notes that a run writes only while its lease is valid.
WITHIN_LEASE = {"begin", "mine", "end", "step"}
LOST = 4  # ej_run.state
OPEN = 1


@dataclass(frozen=True)
class Note:
    wall_us: int
    boot_us: int
    event: str
    job: str
    item: int
    run: int
    fence: int
    attempt: int
    source: str
    pid: int


@dataclass(frozen=True)
class StoredRun:
    """A row of ej_run."""

    job: int
    run: int
    item: int
    fire: tuple[int, int, int]  # fire_ms, fire_source, request
    state: int
    source: int


def boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def parse_notes(text: str) -> Iterator[Note]:
    """Reads whole lines: the last one of a killed process may be cut."""
    for line in text.split("\n")[:-1]:
        wall, boot, event, job, item, run, fence, attempt, source, pid = line.split(" ")
        yield Note(int(wall), int(boot), event, job, int(item), int(run), int(fence), int(attempt), source, int(pid))


def read_notes(files: Iterable[Path]) -> list[Note]:
    """Returns the notes of all files by their moments."""
    found = [note for file in files if file.exists() for note in parse_notes(file.read_text(encoding="utf-8"))]
    return sorted(found, key=lambda note: note.boot_us)


def bodies(notes: Iterable[Note]) -> list[Note]:
    return [note for note in notes if note.item >= 0]


@dataclass
class Hold:
    """The moments at which one body had its item, by its notes."""

    run: int
    fence: int
    pid: int
    first_us: int
    last_us: int


def holds(notes: Iterable[Note]) -> dict[tuple[str, int], list[Hold]]:
    """Returns the holds of each item by their first moments."""
    found: dict[tuple[str, int], dict[tuple[int, int], Hold]] = defaultdict(dict)
    for note in bodies(notes):
        if note.event.partition("=")[0] in WITHIN_LEASE:
            hold = found[note.job, note.item].setdefault(
                (note.run, note.pid), Hold(note.run, note.fence, note.pid, note.boot_us, note.boot_us))
            hold.first_us, hold.last_us = min(hold.first_us, note.boot_us), max(hold.last_us, note.boot_us)
    return {item: sorted(each.values(), key=lambda hold: hold.first_us) for item, each in found.items()}


def check_overlaps(notes: Iterable[Note]) -> Iterator[str]:
    """I1, I3: no two bodies have an item at once."""
    for item, each in holds(notes).items():
        last = None
        for hold in each:
            if last and hold.first_us <= last.last_us:
                yield f"{item}: run {hold.run} of process {hold.pid} begins {last.last_us - hold.first_us} us before the end" \
                      f" of run {last.run} of process {last.pid}"
            if not last or hold.last_us > last.last_us:
                last = hold


def check_fences(notes: Iterable[Note]) -> Iterator[str]:
    """I2: fences of an item ascend; a run has one fence and one body."""
    for item, each in holds(notes).items():
        for before, after in zip(each, each[1:]):
            if after.fence <= before.fence:
                yield f"{item}: run {after.run} with fence {after.fence} follows {before.run} with fence {before.fence}"
    begun: dict[int, Note] = {}
    for note in bodies(notes):
        first = begun.setdefault(note.run, note)
        if (first.fence, first.pid, first.job, first.item) != (note.fence, note.pid, note.job, note.item):
            yield f"run {note.run} is {first.job}/{first.item} with fence {first.fence} in process {first.pid}, and " \
                  f"{note.job}/{note.item} with fence {note.fence} in process {note.pid}"
        elif note.event == "begin" and note is not first:
            yield f"run {note.run} begins twice"


def check_fires(rows: Iterable[StoredRun]) -> Iterator[str]:
    """I4: each item runs once in a fire; a lost run is followed by its takeover."""
    found: dict[tuple, list[int]] = defaultdict(list)
    for row in rows:
        if row.state != LOST:
            found[row.job, row.item, row.fire].append(row.run)
    for (job, item, fire), runs in found.items():
        if len(runs) > 1:
            yield f"item {item} of job {job} has the runs {runs} in fire {fire}"


def check_results(notes: Iterable[Note], rows: Iterable[StoredRun], broken: Container[int] = ()) -> Iterator[str]:
    """I7: a body that has ended within its lease has a result, and no run is open.

    `broken`: processes that were killed or stopped by force. Their last results may be lost.
    """
    states = {row.run: row.state for row in rows}
    for note in bodies(notes):
        if note.event == "begin" and note.run not in states:
            yield f"run {note.run} of item {note.item} was never stored"
        if note.event == "end" and note.pid not in broken and states.get(note.run) in (OPEN, LOST):
            yield f"run {note.run} of item {note.item} has ended within its lease, and its state is {states[note.run]}"
    yield from (f"run {run} is open" for run, state in states.items() if state == OPEN)


def check(notes: list[Note], rows: list[StoredRun], broken: Container[int] = ()) -> list[str]:
    """Returns the breaches."""
    return [*check_overlaps(notes), *check_fences(notes), *check_fires(rows), *check_results(notes, rows, broken)]
