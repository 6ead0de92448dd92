"""The tasks of the section "A first evening" in docs/operations.md: its shell blocks form one script."""

import os
import re
import shutil
import socket
import stat
import subprocess
import unittest
from pathlib import Path

from command_case import Case

PAGE = Path(__file__).resolve().parents[2] / "docs/operations.md"
LIMIT_S = 240


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def script() -> str:
    section = re.search(r"^## A first evening$(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S)[1]
    text = "\n".join(re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S))
    return text.replace("8080", str(free_port())).replace("9999", str(free_port()))


class FirstEveningTest(Case):
    @unittest.skipUnless(shutil.which("curl") and shutil.which("bash"), "needs bash and curl")
    def test_the_page_is_a_script_that_works(self):
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "ringmaster").symlink_to(self.binary)
        environment = {key: value for key, value in self.environment().items() if key != "RINGMASTER_DATA_DIR"}
        environment["PATH"] = f"{programs}:{os.environ['PATH']}"
        work = self.folder / "evening"
        work.mkdir()
        # On any failure, end the started processes.
        whole = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + script()
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", whole], cwd=work, env=environment, capture_output=True,
                              text=True, timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL)
        logs = "".join(path.read_text(errors="replace") for path in sorted(work.glob("*.log")))
        said = f"{done.stdout}\n--- stderr\n{done.stderr}\n--- logs\n{logs}"
        self.assertEqual(done.returncode, 0, said)
        for pattern in (r"\+ job pay-worker/settle-day", r"database: sqlite .*/evening/data/ringmaster.db",
                        r"pay-worker/settle-day  +manual|settle-day .* manual", r"(?m)^1  +pay-worker/settle-day  .*succeeded",
                        r"settling: tuesday", r"pay-worker/settle-day will run now: run 3", r"run 3 ended",
                        r"(?m)^3 .* killed by a user$", r"it failed",
                        r"why: +script exit value\(3\)|why: .*3", r"no such account", r"(?m)^4  +pay-worker/settle-day  .*failed",
                        r"anna: pay-worker=operator", r"up to date"):
            self.assertRegex(done.stdout, pattern, said)
        self.assertEqual(len((work / "key").read_text().split()), 1)
        self.assertIn("access token: ", (work / "pay-worker-token").read_text())
        # Files with secrets are for their owner alone.
        for name in ("token", "key", "anna-password", "pay-worker-token"):
            self.assertEqual(stat.S_IMODE((work / name).stat().st_mode), 0o600, name)
