"""Scripts that teams wrote for XXL-JOB's web endpoints run unchanged against the real binary."""

import json
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from command_case import DEADLINE_S, Case

SCRIPTS = Path(__file__).resolve().parent.parent / "compat" / "scripts"
STEPS = ["signed in", "group", "added", "started", "ran", 'log "line <1>', "stopped", "removed", "signed out"]


class LoggingExecutor:
    """Takes `/run`, reports success, and has one line of log for every run."""

    def __init__(self, case: Case):
        self.admin = self.token = ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
                answer = {"code": 200}
                if self.path.endswith("/run"):
                    threading.Thread(target=outer.call_back, args=(asked,), daemon=True).start()
                elif self.path.endswith("/log"):
                    answer = outer.log_of(asked)
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        case.addCleanup(self.http.server_close)
        case.addCleanup(self.http.shutdown)
        self.address = f"http://127.0.0.1:{self.http.server_port}/"

    @staticmethod
    def log_of(asked: dict) -> dict:
        content = {"fromLineNum": asked["fromLineNum"], "toLineNum": 1, "logContent": "line <1>\n", "isEnd": False}
        return {"code": 200, "content": content, "data": content}

    def call_back(self, run: dict) -> None:
        result = [{"logId": run["logId"], "logDateTim": run["logDateTime"], "handleCode": 200, "handleMsg": "done"}]
        request = urllib.request.Request(self.admin + "/api/callback", json.dumps(result).encode(),
                                         {"Content-Type": "application/json", "XXL-JOB-ACCESS-TOKEN": self.token})
        urllib.request.urlopen(request, timeout=DEADLINE_S).read()


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
