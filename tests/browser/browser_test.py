#!/usr/bin/env python3
"""Drives the web console of a real server in Chromium: browser_test.py RINGMASTER [--worker ELASTIC_WORKER] [WORD…].

The tests are run.mjs, which needs node 18 and two packages of npm. Where a program is missing, all are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALL_S, LIMIT_S = 120, 1800
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
STAMP = HERE / "node_modules/.ringmaster-lock"


def skip(reason: str) -> int:
    print(f"skipped: {reason}")
    print("cases: passed=0 failed=0 skipped=1")
    return 0


def node_version() -> int:
    done = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    return int(done.stdout.lstrip("v").split(".")[0] or 0) if done.returncode == 0 else 0


def install() -> str:
    """Installs the packages of the lock file once. Returns the reason if that is impossible."""
    lock = (HERE / "package-lock.json").read_bytes()
    if STAMP.exists() and STAMP.read_bytes() == lock:
        return ""
    try:
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=HERE, capture_output=True,
                              text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        return f"npm ci did not end within {INSTALL_S} s"
    if done.returncode != 0:
        return f"npm ci failed: {(done.stderr.strip().splitlines() or ['no message'])[0]}"
    STAMP.write_bytes(lock)
    return ""


def node_words(words: list[str]) -> list[str]:
    """Returns the words for run.mjs, which runs in the folder of the tests."""
    return [os.path.abspath(word) if before == "--worker" else word for before, word in zip(["", *words], words)]


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not os.environ.get("CHROMIUM") and not any(shutil.which(each) for each in BROWSERS):
        return skip("no Chromium: install the package chromium, or name the program in CHROMIUM")
    if not (shutil.which("npm") and node_version() >= 18):
        return skip("no node 18 with npm")
    if reason := install():
        return skip(reason)
    command = ["node", "run.mjs", os.path.abspath(sys.argv[1]), *node_words(sys.argv[2:])]
    return subprocess.run(command, cwd=HERE, timeout=LIMIT_S, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
