#!/usr/bin/env python3
"""Runs a cluster of real processes under load and faults, and accounts for every due instant: docs/reliability.md.

    run_chaos.py --ringmaster BINARY [--minutes N] [--seed S] [--scenario NAME]… [--store mariadb|sqlite] [--nodes 3]
                 [--rate R] [--report FILE]

The seed decides which faults happen when, and repeats them. The plan is printed first. Each scenario has a cluster of its own,
and the minutes are divided among the scenarios. Exit 0 only if nothing was missed, doubled, early, late, stuck or untrue.
"""

import argparse
import ctypes
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))

import chaos_report  # noqa: E402
from chaos_checker import Checker, Limits  # noqa: E402
from chaos_faults import Faults  # noqa: E402
from chaos_plan import CALM_S, SCENARIOS, Part, plan  # noqa: E402
from chaos_player import Player  # noqa: E402
from chaos_record import Record, receipts_of, rows_of  # noqa: E402
from chaos_report import Outcome  # noqa: E402
from chaos_self_check import blind_spots  # noqa: E402
from chaos_stage import Stage  # noqa: E402
from support.report import Skip  # noqa: E402
from support.waiting import wait_until  # noqa: E402

REST_DEADLINE_S = 100  # an unknown run is asked about for 60 s
WARM_UP_S = 2
CLONE_NEWNS = 0x00020000


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10, help="load of all scenarios together (default 10)")
    parser.add_argument("--seed", type=int, help="default: a new one, which is printed")
    parser.add_argument("--scenario", action="append", choices=sorted(SCENARIOS), help="default: all that the store has")
    parser.add_argument("--store", choices=("mariadb", "sqlite"), default="mariadb")
    parser.add_argument("--nodes", type=int, default=3, help="nodes on MariaDB (default 3); SQLite has one")
    parser.add_argument("--rate", type=int, default=120, help="due instants per second (default 120)")
    parser.add_argument("--late-max", type=float, default=Limits.late_s, help="seconds of lateness without a fault (default 2)")
    parser.add_argument("--report", type=Path, help="file for the report in Markdown; default: printed only")
    parser.add_argument("--folder", type=Path, help="folder of logs, rows and journals; default: kept only after a failure")
    parser.add_argument("--plan", action="store_true", help="only print the plan of the seed")
    options = parser.parse_args()
    options.ringmaster = options.ringmaster.resolve()
    options.seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    options.nodes = 1 if options.store == "sqlite" else options.nodes
    possible = [name for name, each in SCENARIOS.items() if options.store in each.stores]
    options.scenario = options.scenario or [name for name in possible if not SCENARIOS[name].by_name]
    if impossible := set(options.scenario) - set(possible):
        parser.error(f"not on {options.store}: {', '.join(sorted(impossible))}")
    return options


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}", flush=True)


def print_plan(parts: list[Part], options: argparse.Namespace) -> None:
    print(f"seed {options.seed}, {options.nodes} nodes on {options.store}, {options.rate} instants per second")
    for part in parts:
        print(f"plan of {part.name}: {part.seconds} s, {len(part.faults)} faults, misfire limit {part.scenario.misfire_s} s")
        for fault in part.faults:
            print(f"  {fault.text()}")
    sys.stdout.flush()


def private_mounts() -> None:
    """Gives this process mounts of its own, so that a small disk is gone with it, however it ends."""
    if os.geteuid() == 0 and ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=False)


def play(part: Part, stage: Stage, options: argparse.Namespace) -> Record:
    """Runs the load with its faults, stops it, waits until all is at rest, and returns the facts."""
    stage.start()
    stage.enable()
    began = float(int(time.time()) + 1 + WARM_UP_S)
    faults = Faults(stage, f"{options.seed}/{part.name}")
    happened = Player(part, faults, began, say).play()
    # A slow machine may be behind the plan; what is due has to be sent before the jobs are stopped.
    time.sleep(max(began + part.seconds - time.time(), CALM_S[1]))
    end = int(time.time())
    stage.disable()
    record = Record(stage.ids, (int(began), end), time.time(), faults=happened)
    say(f"{part.name}: the load has ended")
    try:
        wait_until(lambda: not any(stage.store.unfinished().values()), REST_DEADLINE_S, "nothing left open")
    except TimeoutError:
        pass  # the account says what is open
    record.open_at_rest = stage.store.unfinished()
    journals = [executor.journal for executor in stage.executors]
    wait_untold(journals)
    record.problems = [*faults.problems, *stage.stop_nodes()]
    record.rows = rows_of(stage.store)
    record.receipts, record.untold = receipts_of(journals)
    return record


def wait_untold(journals: list[Path]) -> None:
    try:
        wait_until(lambda: receipts_of(journals)[1] == 0, 20, "all results accepted")
    except TimeoutError:
        pass  # the account says how many are not


def run_part(part: Part, folder: Path, options: argparse.Namespace) -> Outcome:
    stage = Stage(options.ringmaster, folder, part.scenario, options.store, options.nodes, options.rate)
    say(f"{part.name}: {part.seconds} s of load, {len(part.faults)} faults")
    try:
        record = play(part, stage, options)
    except Skip as reason:
        say(f"{part.name}: skipped: {reason}")
        return Outcome(part, options.store, options.rate, None, str(reason))
    except Exception:  # noqa: BLE001: a scenario that cannot be finished is a finding
        record = Record({}, (0, 0), 0.0, problems=traceback.format_exc().splitlines()[-6:])
        record.problems += [line for node in stage.nodes if node.process for line in node.process.tail(3)]
    finally:
        stage.close()
    limits = Limits(late_s=options.late_max, takeover_s=options.late_max + 1, recovery_s=options.late_max + 3)
    outcome = Outcome(part, options.store, options.rate, Checker(record, options.nodes, limits).run())
    if outcome.clean:
        for blind in blind_spots(record, options.nodes, limits):
            outcome.verdict.fail("other", blind)
    say(f"{part.name}: {'clean' if outcome.clean else 'NOT CLEAN'}, {dict(outcome.verdict.counts)}")
    for line in chaos_report.failures(outcome):
        say(line)
    if not outcome.clean or options.folder:
        keep(record, folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


def keep(record: Record, folder: Path) -> None:
    """Writes the rows and faults next to the journals and logs of the processes."""
    lines = [f"window {record.window}, stopped at {record.stopped_at}, at rest {record.open_at_rest}"]
    lines += [f"{fault.begin:.3f} to {fault.end:.3f}: {fault.text}" for fault in record.faults]
    lines += [f"job {job_id}: {job.name}" for job_id, job in record.jobs.items()]
    (folder / "account.txt").write_text("\n".join([*lines, *(row.brief() for row in record.rows)]) + "\n", encoding="utf-8")


def main() -> int:
    options = parse()
    parts = plan(options.seed, options.scenario, options.minutes * 60, options.store, options.nodes)
    print_plan(parts, options)
    if options.plan:
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    private_mounts()
    load = os.getloadavg()
    version = subprocess.run([str(options.ringmaster), "--version"], capture_output=True, text=True, check=True).stdout
    folder = options.folder or Path(tempfile.mkdtemp(prefix="ringmaster-chaos-"))
    try:
        outcomes = [run_part(part, folder / f"{number:02}-{part.name}", options) for number, part in enumerate(parts)]
    except BaseException:  # interrupted: the processes have ended
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    command = f"scripts/chaos.sh {shlex.join(sys.argv[1:])}"
    head = chaos_report.heading(options.seed, command, ", ".join(version.splitlines()[:2]), load)
    report = chaos_report.text(head, outcomes)
    print(report)
    if options.report:
        options.report.write_text(report, encoding="utf-8")
    clean = all(outcome.clean for outcome in outcomes)
    if clean and not options.folder:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"logs, rows and journals: {folder}")
    for outcome in outcomes:
        if outcome.skipped:
            print(f"skipped: chaos {outcome.part.name} on {outcome.store}: {outcome.skipped}")
    print(f"cases: passed={sum(each.clean and not each.skipped for each in outcomes)} "
          f"failed={sum(not each.clean for each in outcomes)} skipped={sum(bool(each.skipped) for each in outcomes)}")
    return 0 if clean else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
