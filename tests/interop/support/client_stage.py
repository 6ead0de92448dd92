"""A server with two executors of each foreign client, some that show a wrong token, and some that vanish."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.client import Client, Clients
from support.console import Console
from support.declared import Job
from support.packages import Packages
from support.process import free_ports
from support.rows import trigger_message
from support.server import Server
from support.store import Store
from support.waiting import wait_until

TOKEN, NODE_TOKEN, WRONG = "interop-token", "token-of-the-node-group", "wrong-token"
STRANGERS, GONE = "interop-strangers", "interop-gone"
DEAD_AFTER_S = 40  # one heartbeat of a Node client every 30 s
REGISTRY = f'[registry]\ndead_after = "{DEAD_AFTER_S}s"\nflush = "1s"\nreread = "1s"\n'
REGISTER_DEADLINE_S = 20
CLIENTS = 8


@dataclass(frozen=True)
class Manners:
    """Texts in which the clients differ."""

    name: str
    app: str
    wrapped: Callable[[str], str]  # a text that a handler returned
    nothing: str
    unknown: str
    late: str
    busy: str
    kill: str  # the result of a run that was ended
    last_line: str


def jobs_of(app: str) -> list[Job]:
    return [Job(app, key, handler, "", None, enabled=False, **more) for key, handler, more in (
        ("echo", "echo", {}), ("failing", "failing", {}), ("slow", "slow", {}), ("object", "object", {}),
        ("nothing", "nothing", {}), ("logging", "logging", {}), ("unknown", "missing", {}), ("queue", "slow", {}),
        ("timeout", "slow", {"timeout_s": 1}), ("discard", "slow", {"block": "DISCARD_LATER"}),
        ("cover", "slow", {"block": "COVER_EARLY"}), ("shard", "shard", {"route": "SHARDING_BROADCAST"}),
        ("busyover", "slow", {"route": "BUSYOVER"}), ("failover", "echo", {"route": "FAILOVER"}),
        ("last", "echo", {"route": "LAST"}))]


def group_of(app: str) -> dict:
    return {"app_name": app, "title": app.capitalize(), "address_type": "automatic"}


class ClientStage:
    def __init__(self, binary: Path, folder: Path, store: Store, packages: Packages, pyxxl: str, node: str):
        folder.mkdir()
        self.store, self.pyxxl_app, self.node_app = store, pyxxl, node
        self.jobs = [*jobs_of(pyxxl), *jobs_of(node), Job(STRANGERS, "echo", "echo", "", None, enabled=False)]
        ports = free_ports(1 + CLIENTS)
        self.server = Server(binary, folder, ports.pop(0), TOKEN, store.settings, REGISTRY)
        self.clients = Clients(packages, folder, self.server.admin, ports)

    def start(self) -> None:
        self.start_server()
        self.console = Console(self.server)
        for app in (self.pyxxl_app, self.node_app, STRANGERS, GONE):
            self.console.ask("POST", "/groups", group_of(app))
        self.set_token(self.node_app, NODE_TOKEN)
        groups = self.store.group_ids()
        for job in self.jobs:
            self.console.ask("POST", "/jobs", {
                "group": groups[job.group], "name": job.name, "handler": job.handler, "schedule": {"type": "NONE"},
                "route": job.route, "block": job.block, "timeout_s": job.timeout_s})
        self.ids = self.store.job_ids()
        self.node_began = time.monotonic()
        make = self.clients
        self.gone = [make.pyxxl(GONE, TOKEN), make.node(GONE, TOKEN)]
        self.pyxxl = [make.pyxxl(self.pyxxl_app, TOKEN), make.pyxxl(self.pyxxl_app, TOKEN, "/python/")]
        self.node = [make.node(self.node_app, NODE_TOKEN), make.node(self.node_app, NODE_TOKEN, "/deep/xxl", "http://", "memory")]
        self.strange_pyxxl, self.strange_node = make.pyxxl(STRANGERS, WRONG), make.node(STRANGERS, WRONG)
        for app, clients in ((self.pyxxl_app, self.pyxxl), (self.node_app, self.node), (GONE, self.gone)):
            self.wait_registered(app, clients)
        for client in self.gone:
            client.process.kill()
        self.gone_at = time.monotonic()

    def start_server(self) -> None:
        self.server.start("")

    def of(self, app: str) -> list[Client]:
        return self.pyxxl if app == self.pyxxl_app else self.node

    def wait_registered(self, app: str, clients: list[Client], deadline_s: float = REGISTER_DEADLINE_S) -> None:
        wanted = sorted(client.address for client in clients)
        wait_until(lambda: self.store.registered(app) == wanted, deadline_s, f"{wanted} registered for {app}",
                   lambda: (self.store.registered(app), [client.process.tail(3) for client in clients]))

    def set_token(self, app: str, token: str) -> None:
        draft = group_of(app) | {"access_token": token}
        self.console.ask("PUT", f"/groups/{self.store.group_ids()[app]}", draft, **{"If-Match": "*"})

    # -- runs ----------------------------------------------------------------------------------------------------------

    def job(self, app: str, key: str) -> int:
        return self.ids[f"{app} {key}"].job_id

    def begin(self, app: str, key: str, params: str | None = None, addresses: list[str] | None = None) -> int:
        """Starts a manual run and returns while it is being sent."""
        return self.console.begin(self.job(app, key), params, addresses)[0]

    def begun(self, app: str, key: str, params: str) -> int:
        """Starts a manual run and returns when its executor has accepted it."""
        run = self.begin(app, key, params)
        self.console.wait_run(run, "running")
        return run

    def done(self, app: str, key: str, params: str | None = None, addresses: list[str] | None = None) -> dict:
        return self.console.wait_run(self.begin(app, key, params, addresses))

    def close(self) -> None:
        self.clients.close()
        if self.server.process:
            self.server.process.kill()


def said(run: dict) -> str:
    """Returns the text by the executor, or about it, when the run was sent."""
    return trigger_message({"trigger_msg": run["trigger_message"]})


def differences(run: dict, trigger_code: int, handle_code: int, message: str | None = None):
    """`message`: the text of the result; for a refused run, the text of the refusal."""
    seen = said(run) if handle_code == 0 else run["handle_message"]
    wanted = {"trigger_code": trigger_code, "handle_code": handle_code}
    if any(run[name] != value for name, value in wanted.items()) or (message is not None and message != seen):
        yield f"expected {wanted} and {message!r}, got {run}"


def missing(text: str, whole: str):
    if text not in whole:
        yield f"expected {text!r} in {whole!r}"
