"""Counts and prints checks: one line per check, details indented below a failed one."""

import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

DETAILS_MAX = 8


class Skip(Exception):
    """A check cannot run here; the text says why."""


class Report:
    def __init__(self, only: str | None = None, prefix: str = "", counts: Counter | None = None):
        self.only, self.prefix = (only or "").lower(), prefix
        self.counts = Counter() if counts is None else counts

    def within(self, prefix: str) -> "Report":
        """Returns the same report for checks whose names begin with `prefix`."""
        return Report(self.only, f"{self.prefix}{prefix}: ", self.counts)

    def wants(self, name: str) -> bool:
        return self.only in f"{self.prefix}{name}".lower()

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
            self.counts["passed"] += 1
            print(f"PASS {self.prefix}{name}", flush=True)
        return not problems

    def fail(self, name: str, problems: list[str]) -> None:
        self.counts["failed"] += 1
        print(f"FAIL {self.prefix}{name}")
        for problem in problems[:DETAILS_MAX]:
            print(f"       {problem}")
        if len(problems) > DETAILS_MAX:
            print(f"       … and {len(problems) - DETAILS_MAX} more")
        print(end="", flush=True)

    def skip(self, name: str, reason: str) -> None:
        if self.wants(name):
            self.skip_all(name, reason)

    def skip_all(self, what: str, reason: str) -> None:
        """Counts one skip, whatever `--only` says."""
        self.counts["skipped"] += 1
        print(f"SKIP {self.prefix}{what}: {reason}", flush=True)

    def note(self, text: str) -> None:
        print(f"note {self.prefix}{text}", flush=True)

    def finish(self) -> int:
        if not self.counts.total():
            self.fail("--only", [f"no check has `{self.only}` in its name"])
        print("interop: " + " ".join(f"{name}={self.counts[name]}" for name in ("passed", "failed", "skipped")), flush=True)
        return 0 if self.counts["failed"] == 0 else 1


@contextmanager
def temporary_folder(prefix: str, keep: bool, report: Report) -> Iterator[Path]:
    """Provides a folder for one run of a program; `keep` leaves it there and prints its path."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        if keep:
            report.note(f"kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
