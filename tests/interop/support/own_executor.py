"""A `ringmaster executor` process with the handlers of the Java executors, and the journal of its runs."""

import json
import subprocess
import sys
from pathlib import Path

from support.executor import journal_of
from support.process import Process
from support.stub_admin import StubAdmin
from support.waiting import wait_until

COMMAND = Path(__file__).with_name("command.py")
HANDLERS = ("echo", "failing", "slow", "shard", "logging")
START_DEADLINE_S = 15


class OwnExecutor:
    def __init__(self, binary: Path, app: str, port: int, admin: str, token: str, folder: Path):
        self.app, self.port = app, port
        self.address = f"http://127.0.0.1:{port}/"
        self.folder = folder / f"{app}-{port}"
        self.folder.mkdir()
        self.journal_file = folder / f"{app}-{port}.journal"
        config = self.folder / "executor.toml"
        config.write_text("\n".join([
            f"data_dir = {quoted(self.folder / 'data')}",
            f"[executor]\napp_name = {quoted(app)}",
            self.ways(admin),
            f"[security]\naccess_token = {quoted(token)}",
            *map(self.command, HANDLERS)]) + "\n", encoding="utf-8")
        self.process = Process([str(binary), "executor", "--config", str(config)], folder / f"{app}-{port}.out")

    def ways(self, admin: str) -> str:
        """Returns settings of [executor], and tables that follow it."""
        return f"admins = [{quoted(admin)}]\nport = {self.port}"

    def command(self, handler: str) -> str:
        arguments = ", ".join(map(quoted, (COMMAND, self.journal_file, self.port, handler)))
        return f"[[command]]\nname = {quoted(handler)}\nprogram = {quoted(sys.executable)}\narguments = [{arguments}]"

    def wait_registered(self, admin: StubAdmin) -> None:
        entry = (self.app, self.address)
        wait_until(lambda: entry in admin.registered or not self.process.alive(), START_DEADLINE_S, f"{entry} registered",
                   self.process.tail)
        if not self.process.alive():
            raise RuntimeError(f"ringmaster executor ended: {self.process.tail()}")

    def journal(self) -> list[dict]:
        return journal_of(self.journal_file)

    def log_file(self, day: str, log_id: int) -> Path:
        return self.folder / "data" / "joblogs" / day / f"{log_id}.log"


class LinkedExecutor(OwnExecutor):
    """An executor without a port: it connects to the server. Its number is the end of its address, like the port of others."""

    def __init__(self, binary: Path, app: str, number: int, node: str, files: "LinkFiles", token: str, folder: Path):
        self.files = files
        super().__init__(binary, app, number, node, token, folder)
        self.address = self.own_address()

    def own_address(self) -> str:
        return f"ringmaster://{self.app}/linked:{self.port}"

    def ways(self, admin: str) -> str:
        return f"nodes = [{quoted(admin)}]\nlisten = ''\naddress = {quoted(self.own_address())}\n{self.files.table('executor')}"


class LinkFiles:
    """An authority for links, and a certificate of a server and of executors."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj")
        openssl("req", "-x509", *key, "/CN=links", "-days", "2", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
        for name in ("node", "executor"):
            openssl("req", *key, f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
            openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
                    "-CAcreateserial", "-days", "2", "-out", folder / f"{name}.pem")

    def table(self, name: str, listen: str = "") -> str:
        files = {"certificate": f"{name}.pem", "key": f"{name}.key", "ca": "ca.pem"}
        lines = [f"{setting} = {quoted(self.folder / file)}" for setting, file in files.items()]
        return "\n".join(["[link]", f"listen = {quoted(listen)}", *lines]) + "\n"


def openssl(*words) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def quoted(value) -> str:
    return json.dumps(str(value), ensure_ascii=False)
