#!/usr/bin/env python3
"""Adds up the counts of test programs, for scripts/test.sh.

    sum_tests.py [--ctest LOG]… [--interop LOG]… [--count PASSED FAILED SKIPPED]…

--ctest: CTest's LastTest.log. Every test in it prints `cases: passed=N failed=N skipped=N`. A test without that line, or one that
failed without counting a failure, counts as one failure, by its name. --interop: the output of run_interop.py.

Prints the reason of each skip, the name of each program that died, and as its last line `N passed, N failed, N skipped`. Exits
with 1 if anything failed.
"""

import argparse
import re
import sys
from pathlib import Path

CASES = re.compile(r"^(?:cases|interop): passed=(\d+) failed=(\d+) skipped=(\d+)\s*$", re.MULTILINE)
CTEST_BEGIN = re.compile(r"^\d+/\d+ Test: (.+)$", re.MULTILINE)


class Sum:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed: int, failed: int, skipped: int) -> None:
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def add_program(self, name: str, output: str, succeeded: bool) -> None:
        """Adds the program's own count, and one more failure if it failed without counting one."""
        counts = [tuple(map(int, each)) for each in CASES.findall(output)]
        for each in counts:
            self.add(*each)
        for reason in re.findall(r"^(?:skipped:|SKIP) (.+)$", output, re.MULTILINE):
            print(f"skipped: {reason}")
        if not counts:
            print(f"failed: {name} ended without a count")
            self.failed += 1
        elif not succeeded and not any(failed for _, failed, _ in counts):
            print(f"failed: {name} ended with an error after its last test")
            self.failed += 1

    def add_ctest(self, log: Path) -> None:
        text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        starts = list(CTEST_BEGIN.finditer(text))
        if not starts:
            print(f"failed: {log} contains no test")
            self.failed += 1
        for start, end in zip(starts, [each.start() for each in starts[1:]] + [len(text)]):
            section = text[start.end() : end]
            self.add_program(start[1], section, re.search(r"^Test Passed\.$", section, re.MULTILINE) is not None)

    def add_interop(self, log: Path) -> None:
        text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        self.add_program("interop", text, True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ctest", type=Path, action="append", default=[])
    parser.add_argument("--interop", type=Path, action="append", default=[])
    parser.add_argument("--count", type=int, nargs=3, action="append", default=[])
    arguments = parser.parse_args()
    total = Sum()
    for log in arguments.ctest:
        total.add_ctest(log)
    for log in arguments.interop:
        total.add_interop(log)
    for counts in arguments.count:
        total.add(*counts)
    if total.passed + total.failed == 0:
        print("failed: no test ran")
        total.failed = 1
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
