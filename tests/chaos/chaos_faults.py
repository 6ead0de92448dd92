"""The faults: each is a generator that begins it, yields the seconds until its next step, and ends it.

It returns the ids of the jobs that it hits, if not all.
"""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from support.process import DIES_WITH_US, environment

from chaos_load import FAULTY, bulk
from chaos_plan import Fault
from chaos_stage import NODE_STOP_DEADLINE_S, READY_DEADLINE_S, Node, Stage

POLL_S = 0.1
RESTART_S = 1.0
HUNG_S = 1.5
NOTICE_S = 2.0  # after which a node with a wrong clock says so
APPLY_KILL_S = (0.02, 0.4)
COMMIT_S = 0.5  # what a killed client had sent may still be committed
PROCESS_LIST = "SELECT id FROM information_schema.processlist WHERE user = 'ringmaster'"
Steps = Iterator[float]


class Faults:
    def __init__(self, stage: Stage, seed: str):
        self.stage, self.chance = stage, random.Random(f"{seed}/details")
        self.revision = 0
        self.problems: list[str] = []

    def nodes(self, fault: Fault) -> list[Node]:
        """Returns the nodes that the fault hits. Each has to be alive before it."""
        nodes = [self.stage.nodes[number] for number in fault.target]
        self.check_alive(nodes)
        return nodes

    def check_alive(self, nodes: list[Node]) -> None:
        self.problems += [f"{node.name} ended by itself with {node.process.child.returncode}: {node.process.tail(3)}"
                          for node in nodes if not node.process.alive()]

    def until(self, condition: Callable[[], bool], deadline_s: float, what: str) -> Steps:
        end = time.monotonic() + deadline_s
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {deadline_s:g} s: {what}")
            yield POLL_S

    def ready(self, nodes: list[Node]) -> Steps:
        """Waits for started nodes. One that finds no database ends with code 1, and is started again as by its systemd unit."""
        for node in nodes:
            end = time.monotonic() + READY_DEADLINE_S
            while time.monotonic() < end and not (node.process.alive() and node.is_ready()):
                yield POLL_S
                if not node.process.alive() and node.process.child.returncode == 1:
                    yield RESTART_S
                    node.start()
            if not node.process.alive() or not node.is_ready():
                self.problems.append(f"{node.name} is not ready after {READY_DEADLINE_S} s: {node.process.tail(3)}")

    # -- nodes

    def node_kill(self, fault: Fault) -> Steps:
        nodes = self.nodes(fault)
        for node in nodes:
            node.process.kill()
        yield fault.seconds
        for node in nodes:
            node.start()
        yield from self.ready(nodes)

    def node_stop(self, fault: Fault) -> Steps:
        nodes = self.nodes(fault)
        for node in nodes:
            node.send(signal.SIGSTOP)
        yield fault.seconds
        for node in nodes:
            node.send(signal.SIGCONT)

    def rolling_restart(self, fault: Fault) -> Steps:
        self.check_alive(self.stage.nodes)
        for node in self.stage.nodes:
            node.send(signal.SIGTERM)
            yield from self.until(lambda node=node: not node.process.alive(), NODE_STOP_DEADLINE_S, f"{node.name} ends")
            if code := node.process.child.returncode:
                self.problems.append(f"{node.name}: SIGTERM: expected exit code 0, got {code}")
            yield fault.seconds
            node.start()
            yield from self.ready([node])

    def clock_step(self, fault: Fault) -> Steps:
        nodes = self.nodes(fault)
        for node in nodes:
            node.set_clock(int(fault.detail))
        yield fault.seconds
        for node in nodes:
            if fault.seconds > NOTICE_S and node.is_ready():
                self.problems.append(f"{node.name} is ready with a clock that is wrong by {fault.detail} s")
            node.set_clock(0)

    # -- the process of the database

    def database_kill(self, fault: Fault) -> Steps:
        self.stage.mariadb.kill()
        yield from self.start_database(fault)

    def database_and_node_kill(self, fault: Fault) -> Steps:
        """Kills the database and a node, and starts the node while the database is down."""
        nodes = self.nodes(fault)
        self.stage.mariadb.kill()
        for node in nodes:
            node.process.kill()
            node.start()
        yield from self.start_database(fault)
        yield from self.ready(nodes)

    def database_restart(self, fault: Fault) -> Steps:
        self.stage.mariadb.process.terminate()
        yield from self.start_database(fault)

    def start_database(self, fault: Fault) -> Steps:
        yield fault.seconds
        self.stage.mariadb.run()
        self.stage.prepare_database()

    def database_stop(self, fault: Fault) -> Steps:
        child = self.stage.mariadb.process.child
        child.send_signal(signal.SIGSTOP)
        yield fault.seconds
        child.send_signal(signal.SIGCONT)

    # -- its settings, locks and connections

    def held(self, begin: list[str], seconds: float, end: list[str]) -> Steps:
        with closing(self.stage.admin()) as admin, admin.cursor() as cursor:
            for statement in begin:
                cursor.execute(statement)
            yield seconds
            for statement in end:
                cursor.execute(statement)

    def read_only(self, fault: Fault) -> Steps:
        yield from self.held(["SET GLOBAL read_only = 1"], fault.seconds, ["SET GLOBAL read_only = 0"])

    def read_lock(self, fault: Fault) -> Steps:
        yield from self.held(["FLUSH TABLES WITH READ LOCK"], fault.seconds, ["UNLOCK TABLES"])

    def lock_nodes(self, fault: Fault) -> Steps:
        yield from self.held(["BEGIN", "SELECT id FROM rm_node FOR UPDATE"], fault.seconds, ["ROLLBACK"])

    def lock_schedule(self, fault: Fault) -> Steps:
        """Locks half of the jobs. READ COMMITTED: otherwise a scan of the table would keep the locks of all rows."""
        jobs = frozenset(self.chance.sample(sorted(self.stage.ids), len(self.stage.ids) // 2))
        ids = ", ".join(map(str, sorted(jobs)))
        yield from self.held(["SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN",
                   f"SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({ids}) FOR UPDATE"], fault.seconds,
                             ["ROLLBACK"])
        return jobs

    def kill_connections(self, fault: Fault) -> Steps:
        end = time.monotonic() + fault.seconds
        with closing(self.stage.admin()) as admin:
            while time.monotonic() < end:
                self.kill_all(admin)
                yield POLL_S

    def kill_all(self, admin) -> None:
        with admin.cursor() as cursor:
            cursor.execute(PROCESS_LIST)
            for row in cursor.fetchall():
                with suppress(self.stage.store.pymysql.err.MySQLError):  # it has ended meanwhile
                    cursor.execute(f"KILL {row['id']}")

    def connection_limit(self, fault: Fault) -> Steps:
        """Takes all connections of a server that admits only ten."""
        taken = []
        end = time.monotonic() + fault.seconds
        with closing(self.stage.admin()) as admin:
            with admin.cursor() as cursor:
                cursor.execute("SET GLOBAL max_connections = 10")
            while time.monotonic() < end:
                self.kill_all(admin)
                with suppress(self.stage.store.pymysql.err.MySQLError):
                    while len(taken) < 10:
                        taken.append(self.stage.store.connect())
                yield POLL_S
            for connection in taken:
                connection.close()
            with admin.cursor() as cursor:
                cursor.execute("SET GLOBAL max_connections = 200")

    # -- the links between nodes and the database

    def linked(self, fault: Fault, begin: str, end: str) -> Steps:
        for number in fault.target:
            self.stage.proxies[number].say(begin)
        yield fault.seconds
        for number in fault.target:
            self.stage.proxies[number].say(end)

    def link_freeze(self, fault: Fault) -> Steps:
        yield from self.linked(fault, "freeze", "pass")

    def link_withhold(self, fault: Fault) -> Steps:
        yield from self.linked(fault, "withhold", "pass")

    def link_lost_answers(self, fault: Fault) -> Steps:
        yield from self.linked(fault, "lost-answers", "reset")

    def link_cut(self, fault: Fault) -> Steps:
        yield from self.linked(fault, "cut", "pass")

    def link_slow(self, fault: Fault) -> Steps:
        yield from self.linked(fault, f"slow {fault.detail.split()[0]}", "pass")

    # -- executors

    def executor_kill(self, fault: Fault) -> Steps:
        executor = self.stage.executors[fault.target[0]]
        executor.process.kill()
        yield fault.seconds
        executor.start()

    def executor_stop(self, fault: Fault) -> Steps:
        child = self.stage.executors[fault.target[0]].process.child
        child.send_signal(signal.SIGSTOP)
        yield fault.seconds
        child.send_signal(signal.SIGCONT)

    def executor_bad(self, fault: Fault) -> Steps:
        executor = self.stage.executors[fault.target[0]]
        mode, *words = fault.detail.split()
        executor.set_mode({"mode": mode, "taking": "taking" in words, "questions": "questions" in words})
        yield fault.seconds
        executor.set_mode({})

    def stop_while_hung(self, fault: Fault) -> Steps:
        """Stops a node with SIGTERM while an executor hangs: jobs of other executors have to go on elsewhere."""
        executor, node = self.stage.executors[fault.target[0]], self.stage.nodes[0]
        executor.set_mode({"mode": "hang", "questions": True})
        hung_until = time.monotonic() + fault.seconds
        yield HUNG_S
        node.send(signal.SIGTERM)
        yield from self.until(lambda: not node.process.alive(), NODE_STOP_DEADLINE_S, f"{node.name} ends")
        yield max(0.0, hung_until - time.monotonic())
        executor.set_mode({})
        node.start()
        yield from self.ready([node])

    # -- edits

    def apply(self, fault: Fault) -> Steps:
        self.revision += 1
        self.stage.apply("bulk", bulk(int(fault.detail.split()[0]), self.revision), "bulk")
        yield 0.0

    def apply_kill(self, fault: Fault) -> Steps:
        """Kills an apply, which must have changed all jobs or none, then lets another one end."""
        self.revision += 1
        count = int(fault.detail.split()[0])
        file = self.stage.folder / "bulk.toml"
        file.write_text(bulk(count, self.revision), encoding="utf-8")
        command = [*DIES_WITH_US, str(self.stage.binary), "apply", str(file), "--source", "bulk", "--yes", "--config",
                   str(self.stage.cli.config)]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=environment())
        yield self.chance.uniform(*APPLY_KILL_S)
        child.kill()
        child.wait()
        yield COMMIT_S
        found = self.stage.store.count("xxl_job_info WHERE executor_param = ?", f"revision {self.revision}")
        if found not in (0, count):
            self.problems.append(f"a killed apply of {count} jobs changed {found}")
        yield from self.apply(fault)

    # -- SQLite

    def lock_file(self, fault: Fault) -> Steps:
        with closing(sqlite3.connect(self.stage.store.file, timeout=10, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield fault.seconds
            connection.execute("ROLLBACK")

    def disk_full(self, fault: Fault) -> Steps:
        file = self.stage.small_disk / "filler"
        out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        end = time.monotonic() + fault.seconds
        size = 1 << 20
        while time.monotonic() < end:
            try:
                os.write(out, bytes(size))
            except OSError:
                size = max(4096, size // 16)
                if size == 4096:
                    yield POLL_S
        os.close(out)
        file.unlink()
