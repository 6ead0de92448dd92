"""A small admin for the self test: accepts registrations and callbacks, and sends runs to an executor."""

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OK = {"code": 200, "msg": None, "content": None, "data": None}
NO_APP_NAME = {"code": 500, "msg": "invalid request, accessToken or appname is empty.", "data": None}
WRONG_TOKEN = {"code": 500, "msg": "The access token is wrong.", "content": None, "data": None}


class StubAdmin:
    def __init__(self, token: str, app_names: bool = False):
        """`app_names`: requires the app name in a header, like admins of 3.5."""
        self.token, self.app_names = token, app_names
        self.registered: set[tuple[str, str]] = set()
        self.results: dict[int, tuple[int, str]] = {}
        self.callbacks: list[str] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}/xxl-job-admin"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        admin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                reply = admin.refusal(self.headers) or admin.answer(self.path.rsplit("/", 1)[1], body)
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler

    def refusal(self, headers) -> dict | None:
        if headers.get("XXL-JOB-ACCESS-TOKEN") != self.token:
            return WRONG_TOKEN
        return NO_APP_NAME if self.app_names and not headers.get("XXL-JOB-APPNAME") else None

    def answer(self, operation: str, text: str) -> dict:
        body = json.loads(text)
        if operation == "callback":
            self.callbacks.append(text)
            for item in body["callbackList"] if isinstance(body, dict) else body:
                outcome = item.get("executeResult") or {"code": item["handleCode"], "msg": item.get("handleMsg")}
                self.results.setdefault(item["logId"], (outcome["code"], outcome.get("msg") or ""))
        elif operation == "registry":
            self.registered.add((body["registryKey"], body["registryValue"]))
        elif operation == "registryRemove":
            self.registered.discard((body["registryKey"], body["registryValue"]))
        return OK

    def post(self, address: str, operation: str, body: dict) -> dict:
        request = urllib.request.Request(address + operation, json.dumps(body).encode(), method="POST", headers={
            "Content-Type": "application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN": self.token})
        with urllib.request.urlopen(request, timeout=5) as reply:
            return json.loads(reply.read())

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
