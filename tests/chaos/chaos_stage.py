"""The processes of a chaos run: a database, nodes, proxies between them, executors. All end with this process."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from support.declared import Job
from support.mariadb_server import MariadbServer
from support.process import DIES_WITH_US, Process, environment, free_ports
from support.report import Skip
from support.sqlite_store import SqliteStore
from support.waiting import wait_until

from chaos_load import EXECUTORS, declared, load
from chaos_plan import Scenario

TOKEN = "a-token-of-the-chaos-runs"
HERE = Path(__file__).resolve().parent
READY_DEADLINE_S = 60
REGISTER_DEADLINE_S = 30
APPLY_DEADLINE_S = 120
NODE_STOP_DEADLINE_S = 30
CONNECTIONS_MAX = 200
SMALL_DISK_BYTES = 48 * 1024 * 1024
FAKETIME = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
            "/usr/lib64/faketime/libfaketimeMT.so.1")
ACCOUNT = """\
CREATE USER chaos@'127.0.0.1' IDENTIFIED BY '{password}';
GRANT ALL ON *.* TO chaos@'127.0.0.1' WITH GRANT OPTION;
"""
CONFIG = """\
data_dir = "{folder}/data"
[server]
listen = "127.0.0.1:{port}"
[database]
{database}
time_zone = "UTC"
[schedule]
time_zone = "UTC"
misfire_after = "{misfire_s}s"
[registry]
flush = "500ms"
reread = "500ms"
[cluster]
node = "{name}"
[security]
access_token = "{token}"
"""


class Node:
    """A server process. With a clock file it runs under libfaketime, and the file holds the offset of its wall clock."""

    def __init__(self, binary: Path, folder: Path, port: int, database: str, misfire_s: int, clock: bool = False):
        self.binary, self.folder, self.port, self.name = binary, folder, port, folder.name
        self.admin = f"http://127.0.0.1:{port}/xxl-job-admin"
        self.config = folder / "ringmaster.toml"
        self.clock_file = folder / "clock"
        (folder / "data").mkdir(parents=True)
        self.config.write_text(CONFIG.format(folder=folder, port=port, database=database, misfire_s=misfire_s, name=self.name,
                                             token=TOKEN), encoding="utf-8")
        self.variables = {"LD_PRELOAD": faketime_library(), "FAKETIME_TIMESTAMP_FILE": str(self.clock_file),
                          "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if clock else {}
        self.set_clock(0)
        self.process: Process | None = None

    def set_clock(self, offset_s: int) -> None:
        following = self.clock_file.with_suffix(".new")
        following.write_text(f"{offset_s:+d}\n", encoding="utf-8")
        following.replace(self.clock_file)

    def start(self) -> None:
        command = [str(self.binary), "serve", "--config", str(self.config)]
        self.process = Process(command, self.folder / "ringmaster.log", self.variables)

    def wait_ready(self) -> None:
        wait_until(self.is_ready, READY_DEADLINE_S, f"{self.name}: /readyz answers 200", lambda: self.process.tail(3))

    def is_ready(self) -> bool:
        if not self.process.alive():
            raise RuntimeError(f"{self.name} ended with {self.process.child.returncode}: {self.process.tail(3)}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as reply:
                return reply.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def send(self, number: signal.Signals) -> None:
        self.process.child.send_signal(number)

    def stop(self) -> int | None:
        """Stops the node gracefully; returns its exit code, or None when it had to be killed."""
        self.send(signal.SIGTERM)
        try:
            return self.process.child.wait(NODE_STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


class Proxy:
    def __init__(self, port: int, target: int, output: Path):
        with output.open("ab") as log:
            self.child = subprocess.Popen(
                [*DIES_WITH_US, sys.executable, str(HERE / "chaos_proxy.py"), "--listen", str(port), "--target", str(target)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment())
        self.child.stdout.readline()

    def say(self, command: str) -> None:
        self.child.stdin.write(command + "\n")
        self.child.stdin.flush()
        if self.child.stdout.readline() != "done\n":
            raise RuntimeError("the proxy has ended")

    def close(self) -> None:
        self.child.kill()
        self.child.wait()


class ExecutorProcess:
    def __init__(self, app: str, port: int, admins: str, folder: Path):
        self.app, self.port, self.address = app, port, f"http://127.0.0.1:{port}/"
        self.journal = folder / f"executor-{port}.journal"
        self.command = [sys.executable, str(HERE / "chaos_executor.py"), "--app", app, "--port", str(port), "--admins", admins,
                        "--token", TOKEN, "--journal", str(self.journal)]
        self.output = folder / f"executor-{port}.log"
        self.start()

    def start(self) -> None:
        self.process = Process(self.command, self.output)

    def set_mode(self, mode: dict) -> None:
        request = urllib.request.Request(f"{self.address}mode", json.dumps(mode).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=10):
            pass


class Stage:
    """One cluster with its load. `folder` is new and holds everything that is evidence after a failure."""

    def __init__(self, binary: Path, folder: Path, scenario: Scenario, store: str, nodes: int, rate: int):
        self.binary, self.folder, self.scenario, self.store_kind = binary, folder, scenario, store
        self.jobs = load(rate)
        self.ids: dict[int, Job] = {}
        self.mariadb: MariadbServer | None = None
        self.small_disk = folder / "small"
        self.nodes: list[Node] = []
        self.proxies: list[Proxy] = []
        self.executors: list[ExecutorProcess] = []
        self.ports = free_ports(2 * nodes + sum(EXECUTORS.values()) + 1)
        folder.mkdir(parents=True)
        self.count = nodes

    # -- start

    def start(self) -> None:
        self.start_database()
        self.cli = Node(self.binary, self.folder / "cli", self.ports.pop(), self.store.settings, self.scenario.misfire_s)
        self.ringmaster("migrate")
        self.apply("groups", declared([]), "chaos")
        for number in range(self.count):
            database = self.link() if self.scenario.links and self.mariadb else self.store.settings
            self.nodes.append(Node(self.binary, self.folder / f"node-{number}", self.ports.pop(), database,
                                   self.scenario.misfire_s, self.scenario.clocks))
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait_ready()
        self.start_executors()

    def start_database(self) -> None:
        if self.store_kind == "sqlite":
            place = self.folder
            if self.scenario.small_disk:
                mount_small_disk(self.small_disk)
                place = self.small_disk
            self.store = SqliteStore(place / "chaos.db")
            return
        self.mariadb = MariadbServer(self.folder, ("chaos",), ACCOUNT)
        self.mariadb.start()
        self.store = self.mariadb.store("chaos")
        self.prepare_database()

    def link(self) -> str:
        """Starts a proxy for the next node; returns the node's settings of the database."""
        port = self.ports.pop()
        self.proxies.append(Proxy(port, self.mariadb.port, self.folder / "proxies.log"))
        return self.store.settings.replace(f":{self.mariadb.port}/", f":{port}/")

    def start_executors(self) -> None:
        admins = [node.admin for node in self.nodes]
        for app, count in EXECUTORS.items():
            for number in range(count):
                turned = admins[number % len(admins):] + admins[:number % len(admins)]
                self.executors.append(ExecutorProcess(app, self.ports.pop(), ",".join(turned), self.folder))
        for app in EXECUTORS:
            wanted = sorted(each.address for each in self.executors if each.app == app)
            wait_until(lambda wanted=wanted, app=app: self.store.registered(app) == wanted, REGISTER_DEADLINE_S,
                       f"{wanted} registered", lambda: self.executors[0].process.tail(3))
        time.sleep(1.5)  # the other nodes have read the registrations

    # -- commands on the database

    def ringmaster(self, *words: str) -> str:
        done = subprocess.run([*DIES_WITH_US, str(self.binary), *words, "--config", str(self.cli.config)], capture_output=True,
                              text=True, timeout=APPLY_DEADLINE_S, env=environment(), check=False)
        if done.returncode != 0:
            raise RuntimeError(f"ringmaster {' '.join(words)} ended with {done.returncode}: {done.stdout} {done.stderr}")
        return done.stdout

    def apply(self, name: str, text: str, source: str) -> None:
        file = self.folder / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        self.ringmaster("apply", str(file), "--source", source, "--yes")

    def enable(self) -> None:
        self.apply("load", declared(self.jobs), "chaos")
        names = self.store.job_ids()
        self.ids = {names[job.name].job_id: job for job in self.jobs}

    def disable(self) -> None:
        self.apply("load", declared(self.jobs, enabled=False), "chaos")

    # -- the database's administrator

    def admin(self):
        """Connects to MariaDB as an account with all privileges."""
        account = self.store.account | {"user": "chaos"}
        return self.store.pymysql.connect(**account, autocommit=True, connect_timeout=10, read_timeout=60,
                                          cursorclass=self.store.pymysql.cursors.DictCursor)

    def prepare_database(self) -> None:
        """Makes the settings of a database that has just started."""
        with self.admin() as admin, admin.cursor() as cursor:
            cursor.execute(f"SET GLOBAL max_connections = {CONNECTIONS_MAX}")
            cursor.execute(f"SET GLOBAL innodb_flush_log_at_trx_commit = {int(self.scenario.flushed)}")

    # -- end

    def stop_nodes(self) -> list[str]:
        codes = {node.name: node.stop() for node in self.nodes}
        return [f"{name}: SIGTERM: expected exit code 0, got {code}" for name, code in codes.items() if code != 0]

    def close(self) -> None:
        for process in [*(each.process for each in self.executors), *(node.process for node in self.nodes if node.process)]:
            process.kill()
        for proxy in self.proxies:
            proxy.close()
        if self.mariadb:
            self.mariadb.close()
        if self.small_disk.is_mount():
            subprocess.run(["umount", str(self.small_disk)], check=False)


def faketime_library() -> str:
    found = next((path for path in FAKETIME if Path(path).exists()), "")
    if not found:
        raise Skip("libfaketime is not installed")
    return found


def mount_small_disk(folder: Path) -> None:
    if os.geteuid() != 0:
        raise Skip("only root can mount a small disk")
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_BYTES}", "tmpfs", str(folder)], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"a small disk cannot be mounted: {done.stderr.strip()}")
