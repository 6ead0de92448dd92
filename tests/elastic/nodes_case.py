"""Base of the cases with several nodes: servers on one MariaDB, and workers with links to all of them."""

import contextlib
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from elastic_case import GROUP, ElasticCase, Server, Worker, free_address
from mariadb_case import MariadbCase

import notes
from notes import Note
from relay import Relay

TOKEN = "elastic-nodes-0123456789abcdef"
SLOTS = 256
# Notes after which a body no longer has its item.
ENDS = ("end", "stopped", "lost")


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass
class Node:
    """A server under its name in the cluster. It keeps its addresses when it starts again."""

    name: str
    link: str
    listen: str
    data: Path
    server: Server | None = None


class NodesCase(ElasticCase, MariadbCase):
    def setUp(self):
        super().setUp()
        self.nodes: list[Node] = []
        self.declared = ""
        self.key_of: dict[str, str] = {}

    def token(self) -> str:
        return TOKEN

    def rows(self, sql: str, data: Path | None = None) -> list[tuple]:
        return self.sql(sql)

    # -- processes

    def start_cluster(self, jobs: str, *names: str) -> list[Node]:
        self.declared = self.write("jobs.toml", f'[[group]]\napp_name = "{GROUP}"\n{jobs}')
        for name in names:
            self.nodes.append(Node(name, free_address(), free_address(), self.folder / f"node-{name}"))
            self.start_node(self.nodes[-1])
        # Each has its share of the slots.
        self.nodes[0].server.wait_for(lambda: self.holders() == set(names), "all nodes have slots")
        return self.nodes

    def start_node(self, node: Node) -> None:
        node.server = self.start(
            "--set", f"cluster.node={node.name}", "--set", "database.migrate=auto", "--set", f"deploy.files={self.declared}",
            "--set", f"security.access_token={TOKEN}", "--set", f"link.listen={node.link}", *self.link_words("node"),
            data=node.data, listen=node.listen)
        node.server.wait_until_ready()

    def kill_node(self, node: Node) -> int:
        """Returns the moment before the kill, in us of CLOCK_BOOTTIME."""
        at = notes.boot_us()
        self.kill_server(node.server)
        return at

    def relays(self) -> dict[str, Relay]:
        """Returns a relay to each node."""
        return {node.name: Relay(self, node.link) for node in self.nodes}

    def start_hosts(self, *names: str, **settings: object) -> list[Worker]:
        """Starts workers with links to all nodes."""
        return self.start_workers(*names, node=[node.link for node in self.nodes], **settings)

    def start_behind_relays(self, name: str, **settings: object) -> tuple[Worker, dict[str, Relay]]:
        relays = self.relays()
        worker, = self.start_workers(name, node=[relay.address for relay in relays.values()], **settings)
        return worker, relays

    # -- who has what

    def holders(self) -> set[str | None]:
        """Returns the nodes that hold slots; None among them: some slots have no holder now."""
        return {name for (name,) in self.rows("SELECT DISTINCT node FROM ej_lease")}

    def holder(self, job: str) -> str | None:
        """Returns the node that coordinates a job."""
        return self.rows(f"SELECT node FROM ej_lease WHERE slot = {self.job_id(job) % SLOTS}")[0][0]

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def others(self, *but: Node) -> list[Node]:
        return [node for node in self.nodes if node not in but]

    def jobs_by_holder(self, jobs: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {node.name: [] for node in self.nodes}
        for job in jobs:
            found[self.holder(job)].append(job)
        return found

    def keeper_of(self, worker: Worker) -> str:
        return self.rows(f"SELECT keeper FROM ej_node WHERE pid = {worker.pid} ORDER BY incarnation DESC LIMIT 1")[0][0]

    def wait_for_all_links(self, workers: list[Worker], jobs: list[str]) -> None:
        """Waits until each job, of whichever node, has begun on each worker."""
        for worker in workers:
            for job in jobs:
                worker.wait_for(lambda job=job, worker=worker: worker.bodies("begin", job), f"{job} on {worker.name}")

    # -- what happened

    def check_fires_whole(self, job: str, from_ms: int, to_ms: int, period_ms: int = 1000) -> None:
        """Checks that no fire of [from, to) is lost, and none is there twice."""
        at = [row[0] for row in self.rows(f"SELECT fire_ms FROM ej_fire WHERE job = {self.job_id(job)} AND source = 0"
                                          f" AND fire_ms >= {from_ms} AND fire_ms < {to_ms} ORDER BY fire_ms")]
        first = -(-from_ms // period_ms) * period_ms
        self.assertEqual(at, list(range(first, to_ms, period_ms)), job)

    def latest_ms(self, job: str, from_ms: int, to_ms: int) -> int:
        """Returns by how much the latest first body of a fire of [from, to) was late."""
        begun: dict[int, int] = {}
        for note in self.all_notes():
            if (note.event, note.job) == ("begin", job):
                begun.setdefault(note.run, note.wall_us // 1000)
        first: dict[int, int] = {}
        for run in self.stored_runs(job, f"AND fire_ms >= {from_ms} AND fire_ms < {to_ms} AND fire_source = 0"):
            at = run.fire[0]
            if run.run in begun:
                first[at] = min(first.get(at, begun[run.run]), begun[run.run])
        return max((begin - at for at, begin in first.items()), default=0)

    @staticmethod
    def ends_of(worker: Worker, run: Note) -> list[Note]:
        return [note for note in worker.notes() if note.run == run.run and note.event in ENDS]

    def open_bodies(self, workers: list[Worker], jobs: Iterable[str]) -> list[tuple[Worker, Note]]:
        found = []
        for worker in workers:
            ended = {note.run for note in worker.notes() if note.event in ENDS}
            found += [(worker, note) for job in jobs for note in worker.bodies("begin", job) if note.run not in ended]
        return found

    def check_kept(self, server: Server, runs: list[tuple[Worker, Note]]) -> None:
        """Waits until these bodies end by themselves, each as the same run, and successfully."""
        for worker, note in runs:
            ends = worker.wait_for(lambda worker=worker, note=note: self.ends_of(worker, note), f"run {note.run} ends")
            self.assertEqual([each.event for each in ends], ["end"], self.account(server))
            self.wait_for_state(server, note.run, 2)

    def check_not_repeated(self, job: str) -> None:
        """Checks that no run of a job was given up or taken over."""
        self.assertEqual(self.lost_bodies(job), set())
        self.assertEqual({note.attempt for note in self.all_notes() if (note.event, note.job) == ("begin", job)}, {1})

    def end(self, *jobs: str) -> list[Note]:
        """As `stop_all`, for all nodes."""
        running = [node for node in self.nodes if node.server.child.poll() is None]
        found = self.stop_all(running[0].server, *jobs)
        for node in running[1:]:
            self.assertEqual(node.server.stop(), 0, node.server.text()[-6000:])
        return found

    def account(self, server: Server) -> str:
        texts = [f"--- node {node.name}\n{node.server.text()[-3000:]}" for node in self.nodes if node.server]
        return "\n".join([*texts, *(f"--- {each.log.name}\n{each.text()[-2000:]}" for each in self.workers)])

    @contextlib.contextmanager
    def stopped(self, node: Node):
        node.server.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            node.server.signal(signal.SIGCONT)
