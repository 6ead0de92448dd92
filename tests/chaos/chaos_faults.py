"""The faults: each is a method that begins it, waits, and ends it. It returns the ids of the jobs that it hits, if not all."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, suppress

from support.process import DIES_WITH_US, environment
from support.waiting import wait_until

from chaos_load import FAULTY, bulk
from chaos_plan import GROUP_FAULTY, KINDS, Fault
from chaos_record import Happened
from chaos_stage import Node, Stage

POLL_S = 0.1
ANSWER_DEADLINE_S = 20
NOTICE_S = 2.0  # after which a node with a wrong clock says so
APPLY_KILL_S = (0.02, 0.4)
COMMIT_S = 0.5  # what a killed client had sent may still be committed
EXECUTOR_KINDS = {kind for kind, what in KINDS.items() if what.hits == GROUP_FAULTY}
PROCESS_LIST = "SELECT id FROM information_schema.processlist WHERE user = 'ringmaster'"


class Faults:
    def __init__(self, stage: Stage, seed: str):
        self.stage, self.chance = stage, random.Random(f"{seed}/details")
        self.revision = 0
        self.problems: list[str] = []

    def run(self, fault: Fault, began: float) -> Happened:
        time.sleep(max(0.0, began + fault.at_s - time.time()))
        method = getattr(self, fault.kind.replace("-", "_"))
        begin = time.time()
        jobs = method(fault)
        if fault.kind in EXECUTOR_KINDS:
            jobs = frozenset(job_id for job_id, job in self.stage.ids.items() if job.group == FAULTY)
        targets = tuple(map(str, fault.target))
        self.problems += [f"{node.name} ended by itself with {node.process.child.returncode}: {node.process.tail(3)}"
                          for node in self.stage.nodes if not node.process.alive()]
        return Happened(fault.kind, begin, time.time(), fault.text(), targets, jobs)

    def nodes(self, fault: Fault) -> list[Node]:
        return [self.stage.nodes[number] for number in fault.target]

    # -- nodes

    def node_kill(self, fault: Fault) -> None:
        for node in self.nodes(fault):
            node.process.kill()
        time.sleep(fault.seconds)
        for node in self.nodes(fault):
            node.start()
        for node in self.nodes(fault):
            node.wait_ready()

    def node_stop(self, fault: Fault) -> None:
        for node in self.nodes(fault):
            node.send(signal.SIGSTOP)
        time.sleep(fault.seconds)
        for node in self.nodes(fault):
            node.send(signal.SIGCONT)

    def rolling_restart(self, fault: Fault) -> None:
        for node in self.stage.nodes:
            if (code := node.stop()) != 0:
                self.problems.append(f"{node.name}: SIGTERM: expected exit code 0, got {code}")
            time.sleep(fault.seconds)
            node.start()
            node.wait_ready()

    def clock_step(self, fault: Fault) -> None:
        for node in self.nodes(fault):
            node.set_clock(int(fault.detail))
        time.sleep(fault.seconds)
        for node in self.nodes(fault):
            if fault.seconds > NOTICE_S and node.is_ready():
                self.problems.append(f"{node.name} is ready with a clock that is wrong by {fault.detail} s")
            node.set_clock(0)

    # -- the process of the database

    def database_kill(self, fault: Fault) -> None:
        self.stage.mariadb.kill()
        self.start_database(fault)

    def database_and_node_kill(self, fault: Fault) -> None:
        """Kills both; the node starts again while there is no database."""
        self.stage.mariadb.kill()
        for node in self.nodes(fault):
            node.process.kill()
            node.start()
        self.start_database(fault)
        for node in self.nodes(fault):
            node.wait_started()

    def database_restart(self, fault: Fault) -> None:
        self.stage.mariadb.process.terminate()
        self.start_database(fault)

    def start_database(self, fault: Fault) -> None:
        time.sleep(fault.seconds)
        self.stage.mariadb.run()
        self.stage.raise_connection_limit()

    def database_stop(self, fault: Fault) -> None:
        child = self.stage.mariadb.process.child
        child.send_signal(signal.SIGSTOP)
        time.sleep(fault.seconds)
        child.send_signal(signal.SIGCONT)

    # -- its settings, locks and connections

    def held(self, begin: list[str], seconds: float, end: list[str]) -> None:
        with closing(self.stage.admin()) as admin, admin.cursor() as cursor:
            for statement in begin:
                cursor.execute(statement)
            time.sleep(seconds)
            for statement in end:
                cursor.execute(statement)

    def read_only(self, fault: Fault) -> None:
        self.held(["SET GLOBAL read_only = 1"], fault.seconds, ["SET GLOBAL read_only = 0"])

    def read_lock(self, fault: Fault) -> None:
        self.held(["FLUSH TABLES WITH READ LOCK"], fault.seconds, ["UNLOCK TABLES"])

    def lock_nodes(self, fault: Fault) -> None:
        self.held(["BEGIN", "SELECT id FROM rm_node FOR UPDATE"], fault.seconds, ["ROLLBACK"])

    def lock_schedule(self, fault: Fault) -> frozenset[int]:
        """Locks half of the jobs. READ COMMITTED: otherwise a scan of the table would keep the locks of all rows."""
        jobs = frozenset(self.chance.sample(sorted(self.stage.ids), len(self.stage.ids) // 2))
        ids = ", ".join(map(str, sorted(jobs)))
        self.held(["SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN",
                   f"SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({ids}) FOR UPDATE"], fault.seconds,
                  ["ROLLBACK"])
        return jobs

    def kill_connections(self, fault: Fault) -> None:
        end = time.monotonic() + fault.seconds
        with closing(self.stage.admin()) as admin:
            while time.monotonic() < end:
                self.kill_all(admin)
                time.sleep(POLL_S)

    def kill_all(self, admin) -> None:
        with admin.cursor() as cursor:
            cursor.execute(PROCESS_LIST)
            for row in cursor.fetchall():
                with suppress(self.stage.store.pymysql.err.MySQLError):  # it has ended meanwhile
                    cursor.execute(f"KILL {row['id']}")

    def connection_limit(self, fault: Fault) -> None:
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
                time.sleep(POLL_S)
            for connection in taken:
                connection.close()
            with admin.cursor() as cursor:
                cursor.execute("SET GLOBAL max_connections = 200")

    # -- the links between nodes and the database

    def linked(self, fault: Fault, begin: str, end: str) -> None:
        for number in fault.target:
            self.stage.proxies[number].say(begin)
        time.sleep(fault.seconds)
        for number in fault.target:
            self.stage.proxies[number].say(end)

    def link_freeze(self, fault: Fault) -> None:
        self.linked(fault, "freeze", "pass")

    def link_withhold(self, fault: Fault) -> None:
        self.linked(fault, "withhold", "pass")

    def link_lost_answers(self, fault: Fault) -> None:
        self.linked(fault, "lost-answers", "reset")

    def link_cut(self, fault: Fault) -> None:
        self.linked(fault, "cut", "pass")

    def link_slow(self, fault: Fault) -> None:
        self.linked(fault, f"slow {fault.detail.split()[0]}", "pass")

    # -- executors

    def executor_kill(self, fault: Fault) -> None:
        executor = self.stage.executors[fault.target[0]]
        executor.process.kill()
        time.sleep(fault.seconds)
        executor.start()

    def executor_stop(self, fault: Fault) -> None:
        child = self.stage.executors[fault.target[0]].process.child
        child.send_signal(signal.SIGSTOP)
        time.sleep(fault.seconds)
        child.send_signal(signal.SIGCONT)

    def executor_bad(self, fault: Fault) -> None:
        executor = self.stage.executors[fault.target[0]]
        mode, *words = fault.detail.split()
        executor.set_mode({"mode": mode, "taking": "taking" in words, "questions": "questions" in words})
        time.sleep(fault.seconds)
        executor.set_mode({})

    # -- edits

    def apply(self, fault: Fault) -> None:
        self.revision += 1
        self.stage.apply("bulk", bulk(int(fault.detail.split()[0]), self.revision), "bulk")

    def apply_kill(self, fault: Fault) -> None:
        """Kills an apply, which must have changed all jobs or none, then lets another one end."""
        self.revision += 1
        count = int(fault.detail.split()[0])
        file = self.stage.folder / "bulk.toml"
        file.write_text(bulk(count, self.revision), encoding="utf-8")
        command = [*DIES_WITH_US, str(self.stage.binary), "apply", str(file), "--source", "bulk", "--yes", "--config",
                   str(self.stage.cli.config)]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=environment())
        time.sleep(self.chance.uniform(*APPLY_KILL_S))
        child.kill()
        child.wait()
        time.sleep(COMMIT_S)
        found = self.stage.store.count("xxl_job_info WHERE executor_param = ?", f"revision {self.revision}")
        if found not in (0, count):
            self.problems.append(f"a killed apply of {count} jobs changed {found}")
        self.apply(fault)

    # -- SQLite

    def lock_file(self, fault: Fault) -> None:
        with closing(sqlite3.connect(self.stage.store.file, timeout=10, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(fault.seconds)
            connection.execute("ROLLBACK")

    def disk_full(self, fault: Fault) -> None:
        file = self.stage.small_disk / "filler"
        out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        end = time.monotonic() + fault.seconds
        size = 1 << 20
        while time.monotonic() < end:
            try:
                os.write(out, bytes(size))
            except OSError:
                size = max(4096, size // 16)
                time.sleep(POLL_S if size == 4096 else 0)
        os.close(out)
        file.unlink()

    # -- after the last fault

    def calm(self) -> None:
        """Waits until the database answers, so that the load can be stopped."""
        wait_until(self.database_answers, ANSWER_DEADLINE_S, "the database answers")

    def database_answers(self) -> bool:
        return self.stage.store_kind == "sqlite" or self.stage.store.answers()
