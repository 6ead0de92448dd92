"""Requests of Java admins to an executor, byte by byte: families A to E (XXL wire §0.2, §1.9, §2.10).

Those of A, B and D are compared with what releases send (executor_clients.py).
"""

import json
import re
from dataclasses import dataclass

JAVA_2 = ("Content-Type: application/json;charset=UTF-8", "Accept-Charset: application/json;charset=UTF-8")
JAVA_3 = ("Accept-Charset: UTF-8", "Content-Type: application/json;charset=UTF-8")
ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&='"}


@dataclass(frozen=True)
class Family:
    name: str
    first: tuple[str, ...] = JAVA_3
    beat: bytes | None = None  # None: neither a body nor its length
    escapes: bool = False
    trigger: str = "run"
    date: str = "logDateTim"
    app_named: bool = False
    empty_token: bool = True  # the header is sent all the same

    def request(self, operation: str, body: dict, port: int, token: str, app: str = "") -> bytes:
        """Returns the request; `operation` is run for all families."""
        content = self.beat if operation == "beat" else self.json(body)
        target = self.trigger if operation == "run" else operation
        lines = [f"POST /{target} HTTP/1.1", *self.first]
        if token or self.empty_token:
            lines.append(f"XXL-JOB-ACCESS-TOKEN: {token}")
        if self.app_named:
            lines.append(f"XXL-JOB-APPNAME: {app}")
        lines += ["Cache-Control: no-cache", "Pragma: no-cache", "User-Agent: Java/17", f"Host: 127.0.0.1:{port}",
                  "Accept: text/html, image/gif, image/jpeg, */*; q=0.2", "Connection: keep-alive"]
        if content is not None:
            lines.append(f"Content-Length: {len(content)}")
        return "\r\n".join([*lines, "", ""]).encode() + (content or b"")

    def json(self, body: dict) -> bytes:
        fields = []
        for name, value in body.items():
            text = json.dumps(value, ensure_ascii=False)
            name = self.date if name == "logDateTim" else name
            fields.append(f'"{name}":{text.translate(ESCAPED) if self.escapes else text}')
        return ("{" + ",".join(fields) + "}").encode()


A = Family("A", JAVA_2, escapes=True, empty_token=False)
B = Family("B", JAVA_2, beat=b'""', escapes=True, empty_token=False)
C = Family("C", JAVA_2, beat=b'""', empty_token=False)
D = Family("D")
E = Family("E", trigger="trigger", date="logDateTime", app_named=True)
FAMILIES = (A, B, C, D, E)
OF_RELEASE = {"2.2.0": A, "2.4.1": B, "3.3.2": D}


def comparable(request: bytes) -> bytes:
    """Removes the version of the running Java."""
    return re.sub(rb"User-Agent: Java/\S+", b"User-Agent: Java/17", request)
