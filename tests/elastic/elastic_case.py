"""Base of the cases: a server with elastic jobs, workers with native links, and the account at the end."""

import json
import signal
import socket
import sys
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "commands"))

from command_case import DEADLINE_S, Case, Server  # noqa: E402
from link_files import LinkFiles  # noqa: E402

import notes  # noqa: E402
from notes import Note, StoredRun  # noqa: E402

GROUP = "elastic-worker"
EACH_SECOND = "* * * * * ?"


def elastic_job(name: str, total: int, items: dict[int, str], cron: str = EACH_SECOND, **options: object) -> str:
    """Returns the declaration of an elastic job. `items`: the parameter of each item."""
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'

    params = ", ".join(f'{item} = "{param}"' for item, param in items.items())
    given = {"group": GROUP, "name": name, "handler": "work", "total": total} | options
    lines = [f"{key} = {text(value)}" for key, value in given.items()]
    return "\n".join(["", "[[elastic_job]]", *lines, f'schedule = {{ cron = "{cron}" }}', f"item_params = {{ {params} }}", ""])


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return f"127.0.0.1:{one.getsockname()[1]}"


class Hook(ThreadingHTTPServer):
    """A receiver of webhooks, which keeps their bodies."""

    def __init__(self, case: "ElasticCase"):
        self.bodies: list[dict] = []
        super().__init__(("127.0.0.1", 0), self.handler())
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        threading.Thread(target=self.serve_forever, daemon=True).start()
        case.addCleanup(self.server_close)
        case.addCleanup(self.shutdown)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words: object) -> None:
                pass

        return Handler


class Worker(Server):
    """An `elastic_worker` with a folder and a file of notes of its own."""

    def __init__(self, case: "ElasticCase", name: str, words: list[str]):
        self.name = name
        self.notes_file = case.folder / f"{name}.notes"
        super().__init__([case.worker_binary, *words, f"notes={self.notes_file}", f"data_dir={case.folder / name}"],
                         case.folder / f"{name}.log", case.environment())
        self.pid = self.child.pid

    def notes(self) -> list[Note]:
        """Returns the notes of this process."""
        return [note for note in notes.read_notes([self.notes_file]) if note.pid == self.pid]

    def bodies(self, event: str, job: str, item: int | None = None) -> list[Note]:
        return [note for note in self.notes()
                if (note.event, note.job) == (event, job) and item in (None, note.item)]

    def running(self, job: str, item: int) -> Note | None:
        """Returns the begin of the body that has the item now."""
        begun = self.bodies("begin", job, item)
        ended = {note.run for note in self.notes() if note.event in ("end", "stopped", "lost")}
        return begun[-1] if begun and begun[-1].run not in ended else None


class ElasticCase(LinkFiles, Case):
    worker_binary = ""

    def setUp(self):
        super().setUp()
        self.authority("links")
        self.issue("node", "links", "serverAuth")
        self.issue("executor", "links", "clientAuth")
        # Both survive a restart of the server.
        self.link, self.listen = free_address(), free_address()
        self.workers: list[Worker] = []
        self.broken: set[int] = set()
        self.key = ""

    # -- processes

    def start_server(self, jobs: str, *words: str) -> Server:
        path = self.write("jobs.toml", f'[[group]]\napp_name = "{GROUP}"\n{jobs}')
        server = self.start("--set", f"deploy.files={path}", "--set", f"link.listen={self.link}", *self.link_words("node"),
                            *words, listen=self.listen)
        server.wait_until_ready()
        return server

    def token(self) -> str:
        lines = (self.data / "initial-secrets").read_text(encoding="utf-8").splitlines()
        return next(line.split()[2] for line in lines if line.startswith("access_token = "))

    def start_worker(self, name: str, **settings: object) -> Worker:
        given = {"app_name": GROUP, "token": self.token(), "node": self.link, "capacity": 16, "drain_ms": 20_000,
                 "certificate": self.folder / "executor.pem", "key": self.folder / "executor.key",
                 "ca": self.folder / "links.pem"} | settings
        words = [f"{key}={each}" for key, value in given.items() for each in (value if isinstance(value, list) else [value])]
        worker = Worker(self, name, words)
        self.addCleanup(worker.child.wait)
        self.addCleanup(lambda: worker.child.poll() is None and worker.child.kill())
        self.workers.append(worker)
        return worker

    def start_workers(self, *names: str, **settings: object) -> list[Worker]:
        """Starts workers, and waits until the server has admitted all of them."""
        before = self.hosts_up()
        started = [self.start_worker(name, **settings) for name in names]
        for worker in started:
            worker.wait_for(lambda: self.hosts_up() >= before + len(names), "the workers are hosts")
        return started

    def hosts_up(self) -> int:
        return self.rows("SELECT count(*) FROM ej_node WHERE state = 0")[0][0]

    def break_worker(self, worker: Worker, number: signal.Signals) -> int:
        """Sends SIGKILL or SIGSTOP, and returns the moment before it, in us of CLOCK_BOOTTIME."""
        self.broken.add(worker.pid)
        at = notes.boot_us()
        worker.signal(number)
        if number == signal.SIGKILL:
            worker.child.wait(DEADLINE_S)
        return at

    def elastic(self, server: Server, *words: str) -> None:
        """Runs `ringmaster elastic` against the server."""
        if not self.key:
            self.key = self.succeed("key", "add", "ci", "--user", "admin").out.strip()
        done = self.run_it("elastic", *words, variables={"RINGMASTER_SERVER": server.address(), "RINGMASTER_TOKEN": self.key})
        self.assertEqual((done.code, done.err), (0, ""), done)

    def kill_server(self, server: Server) -> None:
        server.signal(signal.SIGKILL)
        server.child.wait(DEADLINE_S)

    # -- what happened

    def all_notes(self) -> list[Note]:
        return notes.read_notes({worker.notes_file for worker in self.workers})

    def events(self, event: str, job: str, item: int) -> list[Note]:
        """Returns these notes of all workers by their moments."""
        return [note for note in self.all_notes() if (note.event, note.job, note.item) == (event, job, item)]

    def job_id(self, name: str) -> int:
        return self.rows(f"SELECT id FROM ej_job WHERE name = '{name}'")[0][0]

    def stored_runs(self, name: str, more: str = "") -> list[StoredRun]:
        rows = self.rows("SELECT job, id, item, fire_ms, fire_source, request, state, source FROM ej_run"
                         f" WHERE job = {self.job_id(name)} {more} ORDER BY id")
        return [StoredRun(*row[:3], row[3:6], *row[6:]) for row in rows]

    def state_of(self, run: int) -> int | None:
        found = self.rows(f"SELECT state FROM ej_run WHERE id = {run}")
        return found[0][0] if found else None

    def wait_for_state(self, server: Server, run: int, state: int) -> None:
        server.wait_for(lambda: self.state_of(run) == state, f"run {run} has the state {state}")

    def fires(self, name: str, from_ms: int, to_ms: int) -> dict[int, list[StoredRun]]:
        """Returns the runs of the scheduled fires of [from, to) by fire, without lost runs and compensations."""
        found: dict[int, list[StoredRun]] = defaultdict(list)
        for (at,) in self.rows(f"SELECT fire_ms FROM ej_fire WHERE job = {self.job_id(name)} AND source = 0"
                               f" AND fire_ms >= {from_ms} AND fire_ms < {to_ms}"):
            found[at] = []
        for run in self.stored_runs(name, f"AND fire_ms >= {from_ms} AND fire_ms < {to_ms} AND fire_source = 0"):
            if run.state != notes.LOST and run.source != 1:
                found[run.fire[0]].append(run)
        return found

    def more_begin(self, worker: Worker, job: str, how_many: int = 3) -> None:
        """Waits until the worker has begun further runs."""
        before = len(worker.bodies("begin", job))
        worker.wait_for(lambda: len(worker.bodies("begin", job)) >= before + how_many, f"{how_many} more runs on {worker.name}")

    def items_of(self, worker: Worker, job: str, since_us: int = 0) -> set[int]:
        return {note.item for note in worker.bodies("begin", job) if note.boot_us >= since_us}

    def running_on(self, workers: list[Worker], job: str, item: int) -> tuple[Worker, Note]:
        """Waits until one of the workers has the item, and returns it with the begin of the body."""
        def found():
            return next(((each, note) for each in workers if (note := each.running(job, item))), None)

        return workers[0].wait_for(found, f"item {item} of {job} runs")

    # -- the end

    def stop_all(self, server: Server, *jobs: str) -> list[Note]:
        """Ends all processes gracefully, checks what happened to the jobs, and returns the notes."""
        for worker in self.workers:
            if worker.child.poll() is None:
                self.assertEqual(worker.stop(), 0, worker.text())
        self.assertEqual(server.stop(), 0, server.text()[-6000:])
        found = self.all_notes()
        rows = [row for name in jobs for row in self.stored_runs(name)]
        self.assertEqual(notes.check(found, rows, self.broken), [], self.account(server))
        return found

    def check_held(self, server: Server, *jobs: str) -> None:
        """As the check of `stop_all`, after workers were killed with runs that are still open."""
        rows = [row for name in jobs for row in self.stored_runs(name) if row.state != notes.OPEN]
        found = self.all_notes()
        breaches = [*notes.check_overlaps(found), *notes.check_fences(found), *notes.check_fires(rows)]
        self.assertEqual(breaches, [], self.account(server))

    def lost_bodies(self, job: str) -> set[int]:
        """Returns runs of bodies that were given up. A grant that a draining worker refuses has no body."""
        begun = {note.run for note in self.all_notes() if note.event == "begin"}
        return begun & {run.run for run in self.stored_runs(job) if run.state == notes.LOST}

    def account(self, server: Server) -> str:
        texts = [f"--- {each.log.name}\n{each.text()[-4000:]}" for each in (server, *self.workers)]
        return "\n".join(texts)


def said(what: str, since_us: int, until_us: int) -> None:
    """Prints a measured time. Limits are those of the bench: this machine may be busy."""
    print(f"  {what}: {(until_us - since_us) / 1000:.1f} ms", flush=True)

