"""Base of web API tests with the real binary: the route table, a client that keeps its connection, sessions of both
dialects, API keys, and the content of the database."""

import contextlib
import hashlib
import http.client
import json
import re
import sqlite3
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

from command_case import DEADLINE_S, Case, Server

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = "/xxl-job-admin"
COOKIES = {"2.x": "XXL_JOB_LOGIN_IDENTITY", "3.3+": "xxl_job_login_token"}
FORM = "application/x-www-form-urlencoded"
# Changes without a request: heartbeats, day counts, ended claims, and the last use of a session or key.
RESTLESS = {"rm_node", "rm_life", "rm_claim", "rm_session", "rm_api_key", "rm_mirror", "xxl_job_log_report", "sqlite_sequence"}


@dataclass(frozen=True)
class Route:
    methods: str
    path: str
    who: str
    spoken: str
    takes_if_match: bool = False

    @property
    def changes(self) -> bool:
        return "GET" not in self.methods

    @property
    def dialects(self) -> tuple[str, ...]:
        return {"both": ("2.x", "3.3+"), "xxl2_only": ("2.x",), "xxl3_only": ("3.3+",)}.get(self.spoken, ())


def route_table() -> list[Route]:
    """Returns the server's table: tests that iterate over it include new routes."""
    source = (ROOT / "gateway/routes.cpp").read_text(encoding="utf-8")
    rows = re.findall(r'\{(reading|"[A-Z, ]*"), "([^"]+)",\s*(?:handlers::)?[\w:]+,\s*(\w+)(?:,\s*(\w+))?[^}]*\}'
                      r'(\.with_if_match)?', source)
    if len(rows) != source.count(" handlers::"):
        raise AssertionError(f"{len(rows)} rows read, {source.count(' handlers::')} handlers in gateway/routes.cpp")
    return [Route("GET, POST" if methods == "reading" else methods.strip('"'), path, who, spoken, bool(tagged))
            for methods, path, who, spoken, tagged in rows]


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    cookies: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0]


class Client:
    """One connection, reopened when the server closed it. Header names of replies are lower case."""

    def __init__(self, address: str, headers: dict[str, str] | None = None, source: str = ""):
        self.at = urllib.parse.urlsplit(address)
        self.headers = headers or {}
        self.connection = http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=DEADLINE_S,
                                                     source_address=(source, 0) if source else None)

    def ask(self, method: str, target: str, body: bytes | str | None = None, headers: dict[str, str] | None = None) -> Reply:
        sent = body.encode() if isinstance(body, str) else body
        try:
            return self.once(method, target, sent, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.connection.close()
            return self.once(method, target, sent, headers)

    def once(self, method: str, target: str, body: bytes | None, headers: dict[str, str] | None) -> Reply:
        self.connection.request(method, target, body, self.headers | (headers or {}))
        reply = self.connection.getresponse()
        return Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read(),
                     reply.msg.get_all("Set-Cookie") or [])

    def form(self, path: str, values=(), method: str = "POST", **headers: str) -> Reply:
        """Values: a mapping, pairs, or a raw body."""
        text = values if isinstance(values, (str, bytes)) else urllib.parse.urlencode(values)
        if method == "GET":
            return self.ask("GET", f"{CONTEXT}{path}?{text}", None, headers)
        return self.ask(method, CONTEXT + path, text, {"Content-Type": FORM} | headers)

    def send(self, method: str, path: str, value=None, **headers: str) -> Reply:
        """Sends JSON to /api/v1."""
        body = None if value is None else json.dumps(value)
        return self.ask(method, "/api/v1" + path, body, ({"Content-Type": "application/json"} if body else {}) | headers)

    def close(self) -> None:
        self.connection.close()


class WebCase(Case):
    def secret(self, key: str) -> str:
        lines = (self.data / "initial-secrets").read_text(encoding="utf-8").splitlines()
        return next(line.removeprefix(key + " = ") for line in lines if line.startswith(key + " = "))

    def serve(self, *arguments: str) -> Server:
        self.server = self.start(*arguments)
        self.server.wait_until_ready()
        return self.server

    def client(self, headers: dict[str, str] | None = None, source: str = "") -> Client:
        client = Client(self.server.address(), headers, source)
        self.addCleanup(client.close)
        return client

    def sign_in(self, dialect: str, name: str = "admin", password: str | None = None) -> Client:
        client = self.client()
        reply = client.form("/login" if dialect == "2.x" else "/auth/doLogin",
                            {"userName": name, "password": password or self.secret("admin_password")})
        self.assertEqual((reply.status, reply.json["code"]), (200, 200), reply)
        client.headers = {"Cookie": reply.cookies[0].split(";")[0]}
        self.assertTrue(client.headers["Cookie"].startswith(COOKIES[dialect] + "="), reply)
        return client

    def key_client(self, name: str = "tests", user: str = "admin") -> Client:
        return self.client({"Authorization": "Bearer " + self.succeed("key", "add", name, "--user", user).out.strip()})

    def digest(self, but: set[str] = frozenset()) -> dict[str, str]:
        """Returns a digest of all rows of each table; reads the database next to the server."""
        with contextlib.closing(sqlite3.connect(f"file:{self.data}/ringmaster.db?mode=ro", uri=True, timeout=30)) as db:
            db.execute("BEGIN")
            tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: hashlib.sha256("".join(sorted(map(repr, db.execute(f"SELECT * FROM {name}")))).encode()).hexdigest()
                    for name in tables if name not in RESTLESS | but}
