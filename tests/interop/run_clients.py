#!/usr/bin/env python3
"""Interoperability of the real `ringmaster` binary with executors of other languages: Python's `pyxxl`, Node's `xxl-job`.

    run_clients.py --ringmaster PATH [--store sqlite|mariadb|both] [--only TEXT] [--keep]

Installs the clients from PyPI and npm once, into the user's cache. MariaDB is a private server in the temporary folder.
Prints one line per check (PASS, FAIL with details, SKIP with the reason); the last line counts them. Exits with 0 if nothing
failed.
"""

import argparse
import signal
import sys
from pathlib import Path

from run_interop import STORES, end_once, opened
from support import client_run, packages
from support.report import Report, Skip, temporary_folder


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, metavar="PATH", required=True, help="the binary under test")
    parser.add_argument("--store", choices=(*STORES, "both"), default="both", help="the database of the server")
    parser.add_argument("--only", metavar="TEXT", help="run only checks with TEXT in their name: `sqlite: pyxxl 0.4.8: BUSYOVER`")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    return parser.parse_args()


def run_on(store: str, binary: Path, folder: Path, installed: packages.Packages, report: Report) -> None:
    folder.mkdir()
    try:
        with opened(store, folder, ("clients",)) as database:
            client_run.run(binary, folder / "clients", database.store("clients"), installed, report)
            if problems := database.problems():
                report.fail("database", problems)
    except Skip as reason:
        report.skip_all("everything", str(reason))


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, end_once)
    report = Report(arguments.only)
    with temporary_folder("ringmaster-clients-", arguments.keep, report) as folder:
        try:
            installed = packages.installed()
            for store in STORES if arguments.store == "both" else (arguments.store,):
                run_on(store, arguments.ringmaster.resolve(), folder / store, installed, report.within(store))
        except Skip as reason:
            report.skip_all("everything", str(reason))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
