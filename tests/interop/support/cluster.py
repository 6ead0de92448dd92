"""Three nodes on one database, and their faults: kill -9, a long pause, a database that dies, a graceful stop."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from support.accounting import Books, Outage, account
from support.declared import Group, Job, jobs_file
from support.executor import Executor, executions, repeated
from support.mariadb_store import MariadbStore
from support.process import free_ports
from support.report import Report
from support.rows import brief, instant
from support.server import Server
from support.stage import QUIET_DEADLINE_S, REGISTER_DEADLINE_S, TOKEN
from support.waiting import wait_for_clock, wait_until

PREFIX = "cluster: "
STORES = ("mariadb",)
NODES = 3
JOBS = 40
APP = "interop-cluster"
PAUSE_S = 4.0  # beyond the lease, below the misfire limit
DATABASE_AWAY_S = 2.0
SECONDS_BETWEEN = 3
PROGRESS_DEADLINE_S = 25
SCENARIOS = ("all nodes share the slots", "every instant accounted for", "no log id executed twice", "nothing left open",
             "results of all executed runs")


def jobs_of() -> list[Job]:
    """Returns enough jobs that every node has some; ids are spread over the slots in order."""
    return [*[Job(APP, f"echo-{n}", params=f"number {n}") for n in range(JOBS)],
            Job(APP, "shard", "shard", route="SHARDING_BROADCAST"),
            Job(APP, "round", params="in turn", route="ROUND"),
            Job(APP, "once", params="fire once", misfire="FIRE_ONCE_NOW")]


class Cluster:
    def __init__(self, binary: Path, folder: Path, store: MariadbStore, release: str, report: Report):
        folder.mkdir()
        self.store, self.release, self.report, self.folder = store, release, report, folder
        self.jobs = jobs_of()
        self.groups = [Group(APP, "Executors of all nodes")]
        self.ports = free_ports(NODES + 2)
        self.nodes = []
        for n in range(NODES):
            (folder / f"node-{n}").mkdir()
            self.nodes.append(Server(binary, folder / f"node-{n}", self.ports.pop(0), TOKEN, store.settings))
        self.executors: list[Executor] = []
        self.outages: list[Outage] = []
        self.slots: list[str] = []
        self.open_at_end: list[str] = []
        self.events: list[tuple[str, float]] = []

    # -- faults --------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self.start()
        for event in (self.kill_a_node, self.pause_a_node, self.kill_the_database, self.stop_a_node):
            since = self.at_an_instant()
            self.events.append((event.__name__.replace("_", " "), since))
            event()
            self.wait_progress(time.time())
        self.settle()
        for name, body in zip(SCENARIOS, (self.shared, self.accounted, self.executed_once, self.at_rest, self.results),
                              strict=True):
            self.report.check(PREFIX + name, body)

    def start(self) -> None:
        for node in self.nodes:
            node.start(jobs_file(self.groups, []))
        admins = ",".join(node.admin for node in self.nodes)
        self.executors = [Executor(self.release, APP, port, admins, TOKEN, self.folder) for port in self.ports]
        addresses = [executor.address for executor in self.executors]
        wait_until(lambda: self.store.registered(APP) == addresses, REGISTER_DEADLINE_S, f"{addresses} registered",
                   lambda: self.executors[0].process.tail(3))
        self.declare(self.jobs)
        self.wait_progress(time.time())
        self.slots = [line for node in self.nodes for line in self.lines(node, "slots among 3 nodes")]

    def declare(self, jobs: list[Job]) -> None:
        """Notifies one node; the others notice the edit."""
        text = jobs_file(self.groups, jobs)
        for node in self.nodes:
            node.jobs_file.write_text(text, encoding="utf-8")
        self.nodes[0].process.child.send_signal(signal.SIGHUP)

    def kill_a_node(self) -> None:
        self.nodes[1].kill()
        time.sleep(SECONDS_BETWEEN)
        self.start_again(self.nodes[1])

    def pause_a_node(self) -> None:
        child = self.nodes[2].process.child
        child.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE_S)
        child.send_signal(signal.SIGCONT)

    def kill_the_database(self) -> None:
        down = time.time()
        self.store.server.kill()
        wait_for_clock(down + DATABASE_AWAY_S)
        self.store.server.run()
        # After its return it has five seconds to be steady again.
        self.outages.append(Outage(down, time.time() + 5))

    def stop_a_node(self) -> None:
        code = self.nodes[0].stop()
        if code != 0:
            raise RuntimeError(f"SIGTERM: expected exit code 0, got {code}: {self.nodes[0].tail()}")
        self.start_again(self.nodes[0])

    def settle(self) -> None:
        self.declare([job.stopped() for job in self.jobs])
        try:
            wait_until(lambda: not any(self.store.unfinished().values()), QUIET_DEADLINE_S, "nothing left open",
                       self.store.unfinished)
        except TimeoutError as error:
            self.open_at_end = [str(error), *map(brief, self.store.open_rows())]
        self.report_lateness()
        for node in self.nodes:
            if (code := node.stop()) != 0:
                raise RuntimeError(f"SIGTERM: expected exit code 0, got {code}: {node.tail()}")

    # -- helpers -------------------------------------------------------------------------------------------------------

    def start_again(self, node: Server) -> None:
        node.start(node.jobs_file.read_text(encoding="utf-8"))

    def at_an_instant(self) -> float:
        """Waits until 30 ms after a whole second: in the middle of its firings."""
        at = float(int(time.time()) + 2) + 0.03
        wait_for_clock(at)
        return at

    def wait_progress(self, since: float) -> None:
        """Waits until every job has finished a run of an instant some seconds after `since`."""
        def behind() -> list[str]:
            done = self.store.jobs_finished_since(since + SECONDS_BETWEEN)
            return [job.name for job in self.jobs if job.name not in done]
        wait_until(self.tolerant(lambda: not behind()), PROGRESS_DEADLINE_S, "every job runs again", behind)

    def tolerant(self, question: Callable[[], bool]) -> Callable[[], bool]:
        """Repeats reads: a database that has just come back may refuse them."""
        return lambda: self.store.answers() and question()

    def lines(self, node: Server, part: str) -> list[str]:
        return [line for line in node.process.tail(1000) if part in line]

    def report_lateness(self) -> None:
        times = {row["id"]: instant(row) for row in self.store.query("SELECT id, trigger_time FROM xxl_job_log")}
        ends = [at for _, at in self.events[1:]] + [time.time()]
        for (name, at), end in zip(self.events, ends, strict=True):
            late = [entry["ms"] - times[log_id] * 1000 for log_id, entries in executions(self.executors).items()
                    for entry in entries if log_id in times and at - 1 <= times[log_id] < end]
            self.report.note(f"{PREFIX}{name}: {len(late)} runs, the latest {max(late, default=0)} ms after its instant")

    # -- checks --------------------------------------------------------------------------------------------------------

    def shared(self):
        if len(self.slots) < NODES:
            yield f"not all nodes say that they share the slots: {self.slots}"

    def accounted(self):
        books, done = Books(), executions(self.executors)
        for job in self.jobs:
            rows = self.store.rows(job)
            for shard in {row["executor_sharding_param"] for row in rows}:
                account(job, [row for row in rows if row["executor_sharding_param"] == shard], done, self.outages, books)
        self.report.note(f"{PREFIX}{books.text()}")
        return books.problems

    def executed_once(self):
        return repeated(self.executors)

    def at_rest(self):
        return self.open_at_end

    def results(self):
        rows = {row["id"]: row for row in self.store.query("SELECT * FROM xxl_job_log")}
        for log_id in executions(self.executors):
            if log_id not in rows or rows[log_id]["handle_code"] == 0:
                yield f"log {log_id} was executed, its row: {rows.get(log_id)}"

    def close(self) -> None:
        for process in [*(executor.process for executor in self.executors),
                        *(node.process for node in self.nodes if node.process)]:
            process.kill()


def names(_releases: tuple[str, ...]) -> list[str]:
    return [PREFIX + name for name in SCENARIOS]


def run(binary: Path, folder: Path, store: MariadbStore, releases: tuple[str, ...], report: Report) -> None:
    test = Cluster(binary, folder, store, releases[-1], report)
    try:
        test.run()
    except Exception as error:
        report.fail(PREFIX + "run", [f"{type(error).__name__}: {error}",
                                     *[line for node in test.nodes for line in node.tail(4)]])
        for name in names(releases):
            report.skip(name, "the run ended early")
    finally:
        test.close()
