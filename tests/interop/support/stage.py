"""A server with Java executors, in a temporary folder of its own."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from support.declared import Group, Job, jobs_file
from support.executor import Executor, executions, repeated
from support.process import free_ports
from support.rows import brief
from support.server import Server
from support.store import JobId, Store
from support.waiting import wait_until

TOKEN = "interop-token"
REGISTER_DEADLINE_S = 45  # a first attempt that failed is repeated after 30 s
QUIET_DEADLINE_S = 80  # a refused result is sent again after 30 s; an unknown run is asked about for 60 s


def app_name(release: str) -> str:
    return f"interop-{release}"


class Stage:
    def __init__(self, binary: Path, folder: Path, store: Store, releases: Iterable[str], executors_each: int,
                 jobs: list[Job], more: str = ""):
        """`more`: other tables of the server's configuration."""
        folder.mkdir()
        self.folder, self.store, self.jobs = folder, store, jobs
        self.releases = list(releases)
        self.groups = [Group(app_name(release), f"Executors {release}") for release in self.releases]
        self.ports = free_ports(1 + executors_each * len(self.releases))
        self.server = Server(binary, folder, self.ports.pop(0), TOKEN, store.settings, more)
        self.executors_each = executors_each
        self.executors: dict[str, list[Executor]] = {}
        self.ids: dict[str, JobId] = {}

    def start(self) -> None:
        """Starts groups first, then executors, and the jobs only when all are registered: no firing misses its executor."""
        self.server.start(jobs_file(self.groups, []))
        for release in self.releases:
            self.executors[release] = [self.executor(release) for _ in range(self.executors_each)]
        for release in self.releases:
            self.wait_registered(release)
        self.stop_cleanly()
        self.start_jobs()
        self.ids = self.store.job_ids()

    def start_jobs(self) -> None:
        self.server.start(jobs_file(self.groups, self.jobs))

    def executor(self, release: str) -> Executor:
        return Executor(release, app_name(release), self.ports.pop(0), self.server.admin, TOKEN, self.folder)

    def wait_registered(self, release: str) -> None:
        wait_until(lambda: self.store.registered(app_name(release)) == self.addresses(release), REGISTER_DEADLINE_S,
                   f"{self.addresses(release)} registered",
                   lambda: (self.store.registered(app_name(release)), self.executors[release][0].process.tail(3)))

    def stop_cleanly(self) -> None:
        code = self.server.stop()
        if code != 0:
            raise RuntimeError(f"SIGTERM: expected exit code 0 within the deadline, got {code}: {self.server.tail()}")

    def addresses(self, release: str) -> list[str]:
        return [executor.address for executor in self.executors[release]]

    def executions(self, release: str) -> dict[int, list[dict]]:
        return executions(self.executors[release])

    def repeated(self, release: str) -> list[str]:
        return repeated(self.executors[release])

    def job(self, release: str, key: str) -> Job:
        return next(job for job in self.jobs if (job.group, job.key) == (app_name(release), key))

    def wait_rows(self, job: Job, enough: Callable[[list[dict]], bool], deadline_s: float, what: str) -> list[dict]:
        wait_until(lambda: enough(self.store.rows(job)), deadline_s, f"{job.name}: {what}",
                   lambda: self.store.rows(job)[-3:])
        return self.store.rows(job)

    def restart_quiet(self, killed: Sequence[str] = ()) -> list[str]:
        """Starts again with every job stopped and waits until nothing is open, except for runs that died with an executor.

        Returns the objects that were still open at the deadline.
        """
        self.server.start(jobs_file(self.groups, [job.stopped() for job in self.jobs]))
        try:
            wait_until(lambda: not any(self.store.unfinished(killed).values()), QUIET_DEADLINE_S, "nothing left open",
                       lambda: self.store.unfinished(killed))
        except TimeoutError as error:
            return [str(error), *map(brief, self.store.open_rows(killed))]
        return []

    def close(self) -> None:
        for executor in sum(self.executors.values(), []):
            executor.process.kill()
        if self.server.process:
            self.server.process.kill()
