"""Scripts written for XXL-JOB's web endpoints run unchanged against the real binary."""

import subprocess
import sys
import threading
from pathlib import Path

from command_case import DEADLINE_S, Case
from stub_executor import StubExecutor, report

SCRIPTS = Path(__file__).resolve().parent.parent / "compat" / "scripts"
STEPS = ["signed in", "group", "added", "started", "ran", 'log "line <1>', "stopped", "removed", "signed out"]


class LoggingExecutor(StubExecutor):
    """Accepts `/run`, reports success, and has one line of log for every run."""

    def __init__(self, case: Case):
        self.admin = self.token = ""
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict:
        if path.endswith("/run"):
            threading.Thread(target=report, args=(self.admin, self.token, asked, 200, "done"), daemon=True).start()
        elif path.endswith("/log"):
            content = {"fromLineNum": asked["fromLineNum"], "toLineNum": 1, "logContent": "line <1>\n", "isEnd": False}
            return {"code": 200, "content": content, "data": content}
        return {"code": 200}


class XxlScriptTest(Case):
    def secret(self, key: str) -> str:
        lines = (self.data / "initial-secrets").read_text(encoding="utf-8").splitlines()
        return next(line.removeprefix(key + " = ") for line in lines if line.startswith(key + " = "))

    def run_script(self, name: str) -> None:
        server = self.start()
        server.wait_until_ready()
        executor = LoggingExecutor(self)
        executor.admin = server.address() + "/xxl-job-admin"
        executor.token = self.secret("access_token")
        done = subprocess.run([sys.executable, SCRIPTS / name, executor.admin, "admin", self.secret("admin_password"),
                               executor.address], capture_output=True, text=True, timeout=2 * DEADLINE_S, check=False)
        said = done.stdout.splitlines()
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{done}\n{server.text()}")
        self.assertEqual(len(said), len(STEPS), said)
        for line, step in zip(said, STEPS):
            self.assertTrue(line.startswith(step.replace("<1>", "&lt;1&gt;")), said)
        self.assertEqual(server.stop(), 0, server.text())

    def test_a_script_for_2_4(self):
        self.run_script("xxl_2_4.py")

    def test_a_script_for_3_3(self):
        self.run_script("xxl_3_3.py")
