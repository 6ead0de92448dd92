"""One HTTP server that simulates an executor for each lane: accepts runs at once, and reports a result until it is accepted."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RUN_TAKES_S = 0.03
CALLBACK_PAUSE_S = 0.5
BEAT_PAUSE_S = 0.2
BEAT_EVERY_S = 30


@dataclass(frozen=True)
class Run:
    log_id: int
    job_id: int
    handler: str
    instant_ms: int
    arrived_ms: int


class Book:
    """Runs that one lane's executor received, and the results that it reported."""

    def __init__(self, admin: str, token: str):
        self.admin, self.token = admin, token
        self.lock = threading.Lock()
        self.runs: list[Run] = []
        self.running: set[int] = set()  # jobs
        self.untold = 0
        self.closed = False

    def register(self, app_name: str, address: str) -> None:
        """Registers the address, because only a registered address is trusted when it denies having a run."""
        body = json.dumps({"registryGroup": "EXECUTOR", "registryKey": app_name, "registryValue": address})
        while not self.closed:
            pause = BEAT_EVERY_S if self.post("/api/registry", body) else BEAT_PAUSE_S
            end = time.monotonic() + pause
            while not self.closed and time.monotonic() < end:
                time.sleep(BEAT_PAUSE_S)

    def post(self, path: str, body: str) -> bool:
        request = urllib.request.Request(self.admin + path, body.encode(), method="POST", headers={
            "Content-Type": "application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN": self.token})
        try:
            with urllib.request.urlopen(request, timeout=5) as reply:
                return json.loads(reply.read())["code"] == 200
        except (OSError, ValueError, urllib.error.URLError):
            return False

    def answer(self, operation: str, asked: dict) -> dict:
        if operation == "run":
            return self.run(asked)
        if operation == "idleBeat":
            with self.lock:
                busy = asked["jobId"] in self.running
            return {"code": 500, "msg": "job thread is running or has trigger queue."} if busy else {"code": 200}
        if operation == "log":
            with self.lock:
                known = any(run.log_id == asked["logId"] for run in self.runs)
            text = "job execute start" if known else "readLog fail, logFile not exists"
            return {"code": 200, "content": {"fromLineNum": 1, "toLineNum": 1 if known else 0, "logContent": text, "isEnd": True}}
        return {"code": 200}

    def run(self, asked: dict) -> dict:
        run = Run(asked["logId"], asked["jobId"], asked["executorHandler"], asked["logDateTime"], time.time_ns() // 1_000_000)
        with self.lock:
            self.runs.append(run)
            self.running.add(run.job_id)
            self.untold += 1
        threading.Thread(target=self.finish, args=(run, 500 if run.handler == "failing" else 200), daemon=True).start()
        return {"code": 200}

    def finish(self, run: Run, code: int) -> None:
        time.sleep(RUN_TAKES_S)
        with self.lock:
            self.running.discard(run.job_id)
        body = json.dumps([{"logId": run.log_id, "logDateTim": run.instant_ms, "handleCode": code, "handleMsg": "said so"}])
        while not self.closed and not self.post("/api/callback", body):
            time.sleep(CALLBACK_PAUSE_S)
        with self.lock:
            self.untold -= 1

    def by_log_id(self) -> dict[int, list[Run]]:
        found: dict[int, list[Run]] = defaultdict(list)
        with self.lock:
            for run in self.runs:
                found[run.log_id].append(run)
        return found


class Listener(ThreadingHTTPServer):
    request_queue_size = 512  # a crashed server leaves connections in the queue; none of the next server may be dropped


class Executors:
    """The executors of all lanes: lane `n` is served under `/n`."""

    def __init__(self):
        self.books: dict[str, Book] = {}
        self.http = Listener(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def open(self, lane: str, admin: str, token: str) -> Book:
        book = self.books[lane] = Book(admin, token)
        threading.Thread(target=book.register, args=("sweep", self.address(lane)), daemon=True).start()
        return book

    def address(self, lane: str) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/{lane}"

    def handler(self) -> type[BaseHTTPRequestHandler]:
        books = self.books

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                _, lane, operation = self.path.split("/")
                data = json.dumps(books[lane].answer(operation, json.loads(body))).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the server is gone

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler

    def close(self) -> None:
        for book in self.books.values():
            book.closed = True
        self.http.shutdown()
        self.http.server_close()
