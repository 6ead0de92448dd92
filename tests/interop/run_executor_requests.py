#!/usr/bin/env python3
"""Sends `ringmaster executor` the requests of Java admins of all families, byte by byte, over a persistent connection. No Java.

    run_executor_requests.py --ringmaster PATH [--only TEXT] [--keep]

Prints one line per check; exits with 0 if nothing failed.
"""

import argparse
import sys
from pathlib import Path

from support import executor_requests
from support.report import Report, temporary_folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, required=True, metavar="PATH", help="the binary under test")
    parser.add_argument("--only", metavar="TEXT", help="run only checks whose name contains TEXT: `E: log`")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    arguments = parser.parse_args()
    report = Report(arguments.only)
    with temporary_folder("ringmaster-requests-", arguments.keep, report) as folder:
        executor_requests.run(arguments.ringmaster.resolve(), folder, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
