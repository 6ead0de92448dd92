#!/usr/bin/env python3
"""Interoperability of the real `ringmaster` binary with three releases of xxl-job-core: the server with Java executors, on each
database; `ringmaster executor` with the clients of Java admins.

    run_interop.py --ringmaster PATH [--store sqlite|mariadb|both] [--only TEXT] [--keep]
    run_interop.py --self-test [--only TEXT] [--keep]

MariaDB is a private server of the test in the temporary folder, on loopback.
Prints one line per check (PASS, FAIL with details, SKIP with the reason); the last line counts them. Exits with 0 if nothing
failed.
"""

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import cluster, executor_clients, kill_server, maven, mixed_group, release_stage, self_test
from support.mariadb_server import MariadbServer
from support.report import Report, Skip, temporary_folder
from support.sqlite_store import SqliteFiles

STAGES = {"releases": release_stage, "kill_server": kill_server, "cluster": cluster, "mixed_group": mixed_group}
STORES = ("sqlite", "mariadb")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, metavar="PATH", help="the binary under test")
    parser.add_argument("--store", choices=(*STORES, "both"), default="both", help="the database of the server")
    parser.add_argument("--self-test", action="store_true", help="test the Java executors against a stub admin")
    parser.add_argument("--only", metavar="TEXT", help="run only checks whose name contains TEXT: `mariadb: 2.4.1: route`")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    arguments = parser.parse_args()
    if not arguments.self_test and not arguments.ringmaster:
        parser.error("one of --ringmaster and --self-test is needed")
    return arguments


def run_stages(arguments: argparse.Namespace, folder: Path, report: Report) -> None:
    if arguments.self_test:
        self_test.run(folder / "self-test", maven.RELEASES, report)
        return
    binary = arguments.ringmaster.resolve()
    if not binary.is_file():
        report.fail("binary", [f"{binary} does not exist"])
        return
    executor_clients.run(binary, folder / "executor_clients", maven.RELEASES, report)
    for store in STORES if arguments.store == "both" else (arguments.store,):
        run_on(store, binary, folder / store, report.within(store))


def run_on(store: str, binary: Path, folder: Path, report: Report) -> None:
    wanted = {name: stage for name, stage in STAGES.items()
              if store in getattr(stage, "STORES", STORES) and any(map(report.wants, stage.names(maven.RELEASES)))}
    if not wanted:
        return
    folder.mkdir()
    try:
        with opened(store, folder, tuple(wanted)) as database:
            for name, stage in wanted.items():
                begin = time.monotonic()
                stage.run(binary, folder / name, database.store(name), maven.RELEASES, report)
                report.note(f"{name} took {time.monotonic() - begin:.0f} s")
            if problems := database.problems():
                report.fail("database", problems)
    except Skip as reason:
        report.skip_all("everything", str(reason))
    except (RuntimeError, TimeoutError, OSError, subprocess.TimeoutExpired) as error:
        report.fail("database", str(error).splitlines())


@contextmanager
def opened(store: str, folder: Path, stages: tuple[str, ...]) -> Iterator[SqliteFiles | MariadbServer]:
    if store == "sqlite":
        yield SqliteFiles(folder)
        return
    server = MariadbServer(folder, stages)
    try:
        server.start()
        yield server
    finally:
        server.close()


def end_once(*_) -> None:
    """Ignores further signals, so that clean-up is not interrupted."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, end_once)
    report = Report(arguments.only)
    with temporary_folder("ringmaster-interop-", arguments.keep, report) as folder:
        try:
            maven.ensure_built()
            run_stages(arguments, folder, report)
        except Skip as reason:
            report.skip_all("everything", str(reason))
        except maven.BuildFailed as error:
            report.fail("java executors: build", str(error).splitlines())
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
