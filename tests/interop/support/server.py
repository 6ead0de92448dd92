"""The Ringmaster process under test: configuration, start until ready, stop, kill."""

import time
import urllib.error
import urllib.request
from pathlib import Path

from support.process import Process
from support.waiting import wait_until

READY_DEADLINE_S = 15

CONFIG = """\
data_dir = "{folder}/data"

[server]
listen = "127.0.0.1:{port}"

[database]
{database}
time_zone = "UTC"

[schedule]
time_zone = "UTC"

[security]
access_token = "{token}"

[deploy]
files = ["{jobs}"]
{more}"""


class Server:
    def __init__(self, binary: Path, folder: Path, port: int, token: str, database: str, more: str = ""):
        """`more`: other tables of the configuration."""
        self.binary, self.folder, self.port, self.token = binary, folder, port, token
        self.url = f"http://127.0.0.1:{port}"
        self.admin = f"{self.url}/xxl-job-admin"
        self.jobs_file = folder / "jobs.toml"
        self.output = folder / "ringmaster.log"
        self.process: Process | None = None
        self.ready_at = 0.0
        self.config = folder / "ringmaster.toml"
        (folder / "data").mkdir()
        self.config.write_text(CONFIG.format(folder=folder, port=port, database=database, token=token,
                                             jobs=self.jobs_file, more=more), encoding="utf-8")

    def start(self, jobs: str) -> None:
        """Starts with this jobs file and waits until /readyz answers."""
        self.jobs_file.write_text(jobs, encoding="utf-8")
        self.process = Process([str(self.binary), "serve", "--config", str(self.config)], self.output)
        wait_until(self.ready_or_dead, READY_DEADLINE_S, "/readyz answers 200", self.tail)
        self.ready_at = time.time()

    def ready_or_dead(self) -> bool:
        if not self.process.alive():
            raise RuntimeError(f"ringmaster ended with {self.process.child.returncode}: {self.tail()}")
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> int | None:
        return self.process.terminate()

    def kill(self) -> float:
        """Kills the server with kill -9; returns the time just before it."""
        now = time.time()
        self.process.kill()
        return now

    def tail(self, lines: int = 6) -> list[str]:
        return self.process.tail(lines) if self.process else []
