"""A `ringmaster executor` process with the handlers of the Java ones, and the journal of what it ran."""

import json
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
            f"[executor]\nadmins = [{quoted(admin)}]\napp_name = {quoted(app)}\nport = {port}",
            f"[security]\naccess_token = {quoted(token)}",
            *map(self.command, HANDLERS)]) + "\n", encoding="utf-8")
        self.process = Process([str(binary), "executor", "--config", str(config)], folder / f"{app}-{port}.out")

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


def quoted(value) -> str:
    return json.dumps(str(value), ensure_ascii=False)
