"""A real executor process and stub admins, for tests that control it from outside."""

import http.client
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "vector-token"
APP = "vectors"
DEADLINE_S = 30
OK = {"code": 200}
NOW_MS = int(time.time()) * 1000


def refusal(message: str) -> dict:
    return {"code": 500, "msg": message}


def wait_until(condition, what: str, seconds: float = DEADLINE_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds} s: {what}")


class Server(ThreadingHTTPServer):
    request_queue_size = 512


class Admin:
    """Stores the requests; `answer(path, body)` returns the response: (status, text) or an object."""

    def __init__(self, case: unittest.TestCase, port: int = 0):
        self.seen: list[tuple[float, str, dict, object]] = []
        self.closed = False
        self.answer = lambda path, body: {"code": 200, "msg": None, "content": None, "data": None}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"null")
                if outer.closed:
                    self.close_connection = True
                    return
                outer.seen.append((time.monotonic(), self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                said = outer.answer(self.path, body)
                status, text = said if isinstance(said, tuple) else (200, json.dumps(said))
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.http = Server(("127.0.0.1", port), Handler)
        self.http.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.http.server_port}/xxl-job-admin"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        case.addCleanup(self.close)

    def close(self) -> None:
        self.closed = True
        self.http.shutdown()
        self.http.server_close()

    @staticmethod
    def call(url: str, body: dict, token: str) -> dict:
        request = urllib.request.Request(url, json.dumps(body).encode(), {"XXL-JOB-ACCESS-TOKEN": token})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    def of(self, operation: str) -> list[tuple[float, str, dict, object]]:
        return [one for one in list(self.seen) if one[1].endswith("/api/" + operation)]

    def reports(self) -> list[dict]:
        return [item for _, _, _, body in self.of("callback")
                for item in (body["callbackList"] if isinstance(body, dict) else body)]

    def report(self, run: int) -> dict:
        return wait_until(lambda: next((one for one in self.reports() if one["logId"] == run), None), f"the result of run {run}")

    def outcome(self, run: int) -> tuple[int, str | None]:
        told = self.report(run)
        return told["handleCode"], told.get("handleMsg")


class Executor:
    program = ""

    def __init__(self, case: unittest.TestCase, folder: pathlib.Path, admins, **settings):
        self.folder = folder
        words = [f"admin={one if isinstance(one, str) else one.url}" for one in admins]
        given = {"app_name": APP, "token": TOKEN, "data_dir": str(folder), "port": str(free_port()), "scripts": "true"} | settings
        words += [f"{key}={value}" for key, value in given.items()]
        self.errors = tempfile.TemporaryFile()
        self.child = subprocess.Popen([self.program, *words], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        case.addCleanup(self.kill)
        self.address = self.child.stdout.readline().strip()
        case.assertTrue(self.address, self.text())
        self.port = int(given["port"]) or int(self.address.rstrip("/").rsplit(":", 1)[1])

    def text(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def kill(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self.child.stdout.close()
        self.errors.close()

    def stop(self) -> int:
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(DEADLINE_S)

    def ask(self, method: str, target: str, body: bytes | None, headers: dict | None = None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            named = headers is not None and "Host" in headers
            connection.putrequest(method, target, skip_host=named, skip_accept_encoding=True)
            for name, value in ({"XXL-JOB-ACCESS-TOKEN": TOKEN} if headers is None else headers).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def post(self, target: str, body, headers: dict | None = None) -> dict:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        status, text = self.ask("POST", target, data, headers)
        assert status == 200, (status, text)
        return json.loads(text)

    def run(self, run: int, handler: str = "ok", path: str = "/run", **fields) -> dict:
        return self.post(path, {"jobId": 1, "executorHandler": handler, "executorParams": "", "executorTimeout": 0, "logId": run,
                                "executorBlockStrategy": "SERIAL_EXECUTION", "logDateTime": NOW_MS, "glueType": "BEAN",
                                "glueSource": "", "glueUpdatetime": 0, "broadcastIndex": 0, "broadcastTotal": 1} | fields)

    def script(self, run: int, source: str, **fields) -> dict:
        return self.run(run, "", **({"glueType": "GLUE_SHELL", "glueSource": source, "glueUpdatetime": 1000} | fields))

    def log(self, run: int, line: int = 1, spelling: str = "logDateTim") -> dict:
        reply = self.post("/log", {spelling: NOW_MS, "logId": run, "fromLineNum": line})
        assert reply["code"] == 200 and reply["content"] == reply["data"], reply
        return reply["content"]

    def idle(self, job: int = 1) -> bool:
        return self.post("/idleBeat", {"jobId": job})["code"] == 200

    def wait_for_start(self, run: int) -> None:
        wait_until(lambda: "job execute start" in self.log(run)["logContent"], f"run {run} starts")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ringmaster-executor-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *admins, **settings) -> Executor:
        return Executor(self, self.folder, admins, **settings)
