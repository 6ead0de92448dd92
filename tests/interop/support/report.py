"""Counts and prints checks: one line per check, details indented below a failed one."""

import traceback
from collections.abc import Callable, Iterable

DETAILS_MAX = 8


class Skip(Exception):
    """Raised where a check cannot run here; the text says why."""


class Report:
    def __init__(self, only: str | None = None):
        self.only = (only or "").lower()
        self.passed = self.failed = self.skipped = 0

    def wants(self, name: str) -> bool:
        return self.only in name.lower()

    def check(self, name: str, body: Callable[[], Iterable[str] | None]) -> bool:
        """Runs `body`, which returns the problems it found, and prints the outcome."""
        if not self.wants(name):
            return True
        try:
            problems = list(body() or [])
        except Skip as reason:
            self.skip(name, str(reason))
            return True
        except TimeoutError as late:
            problems = [str(late)]
        except Exception:
            problems = traceback.format_exc().splitlines()[-DETAILS_MAX:]
        if problems:
            self.fail(name, problems)
        else:
            self.passed += 1
            print(f"PASS {name}", flush=True)
        return not problems

    def fail(self, name: str, problems: list[str]) -> None:
        self.failed += 1
        print(f"FAIL {name}")
        for problem in problems[:DETAILS_MAX]:
            print(f"       {problem}")
        if len(problems) > DETAILS_MAX:
            print(f"       … and {len(problems) - DETAILS_MAX} more")
        print(end="", flush=True)

    def skip(self, name: str, reason: str) -> None:
        if self.wants(name):
            self.skipped += 1
            print(f"SKIP {name}: {reason}", flush=True)

    def note(self, text: str) -> None:
        print(f"note {text}", flush=True)

    def finish(self) -> int:
        if not self.passed + self.failed + self.skipped:
            self.fail("--only", [f"no check has `{self.only}` in its name"])
        print(f"interop: passed={self.passed} failed={self.failed} skipped={self.skipped}", flush=True)
        return 0 if self.failed == 0 else 1
