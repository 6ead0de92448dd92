"""An executor of another language: its process, its registered addresses, the journal of its runs."""

import json
from pathlib import Path

from support.packages import Packages
from support.process import Process

PROGRAMS = Path(__file__).resolve().parent.parent / "clients"
# Otherwise both HTTP clients use the proxy of the environment.
DIRECT = ["env", "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1"]


class Client:
    def __init__(self, app: str, port: int, address: str, folder: Path, command: list[str]):
        """`address`: the exact text that it has to register."""
        self.app, self.port, self.address, self.folder = app, port, address, folder
        self.process = Process([*DIRECT, *command], folder / "output")

    def journal(self) -> list[dict]:
        file = self.folder / "journal"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def begun(self, log_id: int) -> list[dict]:
        return [entry for entry in self.journal() if entry["log_id"] == log_id]

    def output(self) -> str:
        return self.process.output.read_text(encoding="utf-8", errors="replace")


class Clients:
    """Starts the clients, and ends them all."""

    def __init__(self, packages: Packages, folder: Path, admin: str, ports: list[int]):
        self.packages, self.folder, self.admin, self.ports = packages, folder, admin, ports
        self.started: list[Client] = []

    def place(self, app: str) -> tuple[int, Path]:
        port = self.ports.pop(0)
        folder = self.folder / f"{app}-{port}"
        folder.mkdir()
        return port, folder

    def pyxxl(self, app: str, token: str, path: str = "") -> Client:
        port, folder = self.place(app)
        command = [str(self.packages.python), str(PROGRAMS / "python_client.py"), "--admin", self.admin, "--app", app,
                   "--port", str(port), "--token", token, "--folder", str(folder), *(["--path", path] if path else [])]
        return self.begin(Client(app, port, f"http://127.0.0.1:{port}{path}", folder, command))

    def node(self, app: str, token: str, route: str = "/job", scheme: str = "", logs: str = "local") -> Client:
        """Starts Node's client. Without a scheme it gets IP and port, and makes up the address itself."""
        port, folder = self.place(app)
        base = f"{scheme}127.0.0.1:{port}"
        options = {"admin": self.admin, "app": app, "port": port, "token": token, "folder": str(folder), "route": route,
                   "base": base if scheme else "", "logs": logs}
        command = [str(self.packages.node), str(PROGRAMS / "node_client.cjs"), str(self.packages.modules), json.dumps(options)]
        return self.begin(Client(app, port, base + route, folder, command))

    def begin(self, client: Client) -> Client:
        self.started.append(client)
        return client

    def close(self) -> None:
        for client in self.started:
            client.process.kill()
