"""An executor on its own port with the answers of a test."""

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPORT_S = 30


class Server(ThreadingHTTPServer):
    request_queue_size = 512  # many runs arrive at once; a dropped connection is retried after a second


class StubExecutor:
    """Serves until `case` ends. `answer` provides the answers and runs on its own threads."""

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
        """Returns None to close the connection without an answer."""
        raise NotImplementedError

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


def report(admin: str, token: str, run: dict, code: int, message: str) -> None:
    """Sends the result of `run` to the address `admin`, like executors."""
    result = [{"logId": run["logId"], "logDateTim": run["logDateTime"], "handleCode": code, "handleMsg": message}]
    request = urllib.request.Request(admin + "/api/callback", json.dumps(result).encode(),
                                     {"Content-Type": "application/json", "XXL-JOB-ACCESS-TOKEN": token})
    urllib.request.urlopen(request, timeout=REPORT_S).read()
