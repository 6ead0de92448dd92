"""A private MariaDB server of the test: a private folder, loopback, ended by its process id."""

import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from support.mariadb_store import MariadbStore, driver
from support.process import Process, environment, free_ports
from support.report import Skip
from support.waiting import wait_until

START_DEADLINE_S = 60
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/usr/libexec"])

# Two accounts without any global privilege: Ringmaster's, and one that can only read.
ACCOUNTS = """\
CREATE USER ringmaster@'127.0.0.1' IDENTIFIED BY '{password}';
CREATE USER reader@'127.0.0.1' IDENTIFIED BY '{password}';
"""
DATABASE = """\
CREATE DATABASE `{name}` DEFAULT CHARACTER SET utf8mb4;
GRANT ALL ON `{name}`.* TO ringmaster@'127.0.0.1';
GRANT SELECT ON `{name}`.* TO reader@'127.0.0.1';
"""


def program(name: str) -> str:
    path = shutil.which(name, path=SEARCH_PATH)
    if not path:
        raise Skip(f"`{name}` is not installed")
    return path


class MariadbServer:
    """Holds a database for each stage. Raises Skip when something is not installed, RuntimeError when it does not start."""

    def __init__(self, folder: Path, stages: tuple[str, ...], more: str = ""):
        """`more`: additional statements, one per line; {password} is that of all accounts."""
        self.folder, self.stages, self.more = folder, stages, more
        self.mariadbd, self.install_db = program("mariadbd"), program("mariadb-install-db")
        driver()
        self.password = secrets.token_hex(16)
        self.port = free_ports(1)[0]
        # A starting server removes the temporary tables of other servers in its folder.
        self.options = ["--no-defaults", f"--datadir={folder / 'data'}", f"--tmpdir={folder}", "--innodb-log-file-size=48M",
                        *(["--user=root"] if os.geteuid() == 0 else [])]
        self.process: Process | None = None

    def start(self) -> None:
        self.install()
        first = self.folder / "first.sql"  # each statement is on a line of its own
        databases = "".join(DATABASE.format(name=name) for name in self.stages)
        first.write_text((ACCOUNTS + self.more).format(password=self.password) + databases, encoding="utf-8")
        self.run(f"--init-file={first}")

    def run(self, *more: str) -> None:
        """Starts the server and waits until it answers; after `kill`, on the same files and port."""
        self.process = Process([
            self.mariadbd, *self.options, *more, "--bind-address=127.0.0.1", f"--port={self.port}",
            f"--socket={self.folder / 'socket'}", f"--pid-file={self.folder / 'pid'}", "--skip-name-resolve", "--skip-log-bin",
            "--innodb-buffer-pool-size=48M", "--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=O_DIRECT",
            "--innodb-file-per-table=OFF", "--performance-schema=OFF", "--max-connections=64", "--max-allowed-packet=4M",
            "--character-set-server=utf8mb4"], self.folder / "server.log")
        wait_until(self.answers_or_ended, START_DEADLINE_S, "mariadbd answers",
                   lambda: [line for line in self.process.tail(1000) if "ERROR" in line])

    def install(self) -> None:
        """Runs a shell script with children; they end with it, however this ends."""
        command = [self.install_db, *self.options, "--skip-test-db", "--skip-name-resolve"]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, env=environment(), start_new_session=True)
        try:
            output, _ = child.communicate(timeout=START_DEADLINE_S)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise
        if child.returncode != 0:
            raise RuntimeError(f"mariadb-install-db ended with {child.returncode}: {output[-2000:]}")

    def answers_or_ended(self) -> bool:
        if ended := self.problems():
            raise RuntimeError("; ".join(ended))
        return self.store(self.stages[-1]).answers()

    def store(self, stage: str) -> MariadbStore:
        url = f"mysql://ringmaster:{self.password}@127.0.0.1:{self.port}/{stage}"
        store = MariadbStore(url, self.port, stage, "reader", self.password)
        store.server = self
        return store

    def problems(self) -> list[str]:
        if self.process.alive():
            return []
        return [f"mariadbd ended with {self.process.child.returncode}", *self.process.tail(6)]

    def kill(self) -> None:
        """Ends the server with kill -9."""
        self.process.kill()

    def close(self) -> None:
        """Ends the server without a shutdown: its folder is removed, too."""
        if self.process:
            self.kill()
