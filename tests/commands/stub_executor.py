"""An executor on a port of its own that answers as a test wants it to."""

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPORT_S = 30


class Server(ThreadingHTTPServer):
    request_queue_size = 512  # many runs come at once; a connection that is dropped waits a second for its next chance


class StubExecutor:
    """Serves until `case` is over. What it answers is up to `answer`, which runs on threads of its own."""

    def __init__(self, case):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
                answer = outer.answer_to(self.path, asked, self.headers)
                if answer is None:
                    self.close_connection = True
                    return
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        case.addCleanup(self.close)
        self.address = f"http://127.0.0.1:{self.http.server_port}/"

    def answer_to(self, path: str, asked: dict, headers) -> dict | None:
        return self.answer(path, asked)

    def answer(self, path: str, asked: dict) -> dict | None:
        """None: the connection is closed without an answer."""
        raise NotImplementedError

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


def report(admin: str, token: str, run: dict, code: int, message: str) -> None:
    """The result of `run`, as executors send it to the address `admin`."""
    result = [{"logId": run["logId"], "logDateTim": run["logDateTime"], "handleCode": code, "handleMsg": message}]
    request = urllib.request.Request(admin + "/api/callback", json.dumps(result).encode(),
                                     {"Content-Type": "application/json", "XXL-JOB-ACCESS-TOKEN": token})
    urllib.request.urlopen(request, timeout=REPORT_S).read()
