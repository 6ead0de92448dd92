"""Receivers of alarms and runs, each on its own port on loopback."""

import json
import queue
import subprocess
import sys
import threading
import unittest
from pathlib import Path

RECEIVERS = Path(__file__).resolve().parent.parent / "support" / "alarm_receivers.py"
DEADLINE_S = 30


def python_with(module: str) -> str:
    """Returns a Python that has a module of Debian's: the system's need not be the running one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and subprocess.run([python, "-c", f"import {module}"], capture_output=True,
                                                    check=False).returncode == 0:
            return python
    raise unittest.SkipTest(f"the Python module {module} is not installed")


class Receiver:
    """tests/support/alarm_receivers.py: a real SMTP or HTTP server. Ends with the test."""

    def __init__(self, case: unittest.TestCase, what: str, *options: str):
        python = python_with("aiosmtpd") if what == "smtp" and "hang" not in options else sys.executable
        self.child = subprocess.Popen([python, str(RECEIVERS), what, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        case.addCleanup(self.close)
        self.lines: queue.Queue[str] = queue.Queue()
        self.port = int(self.child.stdout.readline())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        for line in self.child.stdout:
            self.lines.put(line)

    def next(self) -> dict:
        """Returns the next message or request."""
        return json.loads(self.lines.get(timeout=DEADLINE_S))

    def close(self) -> None:
        self.child.stdin.close()
        self.child.wait(DEADLINE_S)
        self.child.stdout.close()
