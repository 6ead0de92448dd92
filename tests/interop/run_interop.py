#!/usr/bin/env python3
"""Interoperability of the real `ringmaster` binary with Java executors of three releases of xxl-job-core.

    run_interop.py --ringmaster PATH [--only TEXT] [--keep]
    run_interop.py --self-test [--only TEXT] [--keep]

One line per check (PASS, FAIL with details, SKIP with the reason); the last line counts them. Exit 0 if nothing failed.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from support import kill_server, maven, release_stage, self_test
from support.report import Report, Skip


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, metavar="PATH", help="the binary under test")
    parser.add_argument("--self-test", action="store_true", help="prove the Java executors against a stub admin")
    parser.add_argument("--only", metavar="TEXT", help="only checks whose name contains TEXT: `2.4.1: route`")
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
    release_stage.run(binary, folder / "releases", maven.RELEASES, report)
    kill_server.run(binary, folder / "kill-server", maven.RELEASES, report)


def end_once(*_) -> None:
    """What cleans up is not interrupted by a second signal."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, end_once)
    report = Report(arguments.only)
    folder = Path(tempfile.mkdtemp(prefix="ringmaster-interop-"))
    try:
        maven.ensure_built()
        run_stages(arguments, folder, report)
    except Skip as reason:
        report.skipped += 1
        print(f"SKIP everything: {reason}")
    except maven.BuildFailed as error:
        report.fail("java executors: build", str(error).splitlines())
    finally:
        if arguments.keep:
            report.note(f"kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
