#!/usr/bin/env python3
"""Kills the real server after each statement and around each write to a socket in turn, and accounts for every instant.

    crash_sweep.py --server CRASHING_RINGMASTER [--store sqlite|mariadb]… [--points N] [--every N] [--lanes N]

A server process counts its statements (or its writes) and ends itself at the n-th with SIGKILL. Then a process runs undisturbed
for a moment, and the next one ends at the next point. Lanes do this in parallel, each with a server and a database of its own. In
the end no instant may be missed, doubled, late beyond the misfire limit, or left open. The normal run takes every fourth
statement on SQLite and every sixteenth on MariaDB; `--every 1 --points 400` takes them all.
"""

import argparse
import os
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))

from support.mariadb_server import MariadbServer  # noqa: E402
from support.process import free_ports  # noqa: E402
from support.report import Skip  # noqa: E402
from support.sqlite_store import SqliteFiles  # noqa: E402
from sweep_executor import Executors  # noqa: E402
from sweep_lane import Lane, Point  # noqa: E402

STEP = {"sqlite": 4, "mariadb": 16}
WRITES_MAX = 16


def points_of(count: int, step: int) -> list[Point]:
    """Returns the crash points. The state after a statement equals that before the next one, so statements are only met after."""
    statements = [Point("statement", "after", at) for at in range(1, count + 1, step)]
    writes = [Point("write", side, at) for at in range(1, min(WRITES_MAX, count) + 1, max(1, step // 4))
              for side in ("before", "after")]
    return statements + writes


def sweep(kind: str, options: argparse.Namespace, folder: Path) -> list[str]:
    names = [f"{kind}{n}" for n in range(options.lanes)]
    files = SqliteFiles(folder) if kind == "sqlite" else MariadbServer(folder, tuple(names))
    if kind == "mariadb":
        files.start()
    executors = Executors()
    points = points_of(options.points, options.every or STEP[kind])
    ports = free_ports(len(names))
    lanes = [Lane(name, options.server, folder / name, port, files.store(name), executors, points[n::len(names)])
             for n, (name, port) in enumerate(zip(names, ports, strict=True))]
    problems: list[str] = []

    def live(lane: Lane) -> None:
        try:
            problems.extend(lane.run())
        except Exception as error:  # noqa: BLE001: any exception that ends a lane is a finding
            problems.append(f"lane {lane.name}: {type(error).__name__}: {error}")

    try:
        threads = [threading.Thread(target=live, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        problems.extend(files.problems())
    finally:
        executors.close()
        files.close()
    runs = sum(len(lane.book.runs) for lane in lanes)
    given_up = sum(lane.given_up for lane in lanes)
    print(f"{kind}: {len(points)} crash points, {sum(lane.unreached for lane in lanes)} not reached, {runs} executions, "
          f"{given_up} runs given up visibly, {len(problems)} problems", flush=True)
    if given_up > len(points) // 4:
        problems.append(f"{given_up} runs were given up: too many for {len(points)} crash points")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--store", action="append", choices=sorted(STEP))
    parser.add_argument("--points", type=int, default=160, help="number of statements of a process that are crash points")
    parser.add_argument("--every", type=int, help="only every n-th statement")
    parser.add_argument("--lanes", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    options.server = options.server.resolve()
    passed = failed = skipped = 0
    for kind in options.store or ["sqlite", "mariadb"]:
        with tempfile.TemporaryDirectory(prefix="ringmaster-crash-") as folder:
            try:
                problems = sweep(kind, options, Path(folder))
            except Skip as reason:
                print(f"skipped: crash sweep on {kind}: {reason}")
                skipped += 1
                continue
        shown = problems[:20] + [problem for problem in problems[20:] if "its last warnings" in problem]
        for problem in shown:
            print(f"  {problem}")
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"cases: passed={passed} failed={failed} skipped={skipped}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
