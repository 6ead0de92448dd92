"""A server that dies at one point after the other, and the check of every instant meanwhile."""

import re
import subprocess
import time
import urllib.error
import urllib.request
from calendar import timegm
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from support.process import DIES_WITH_US, environment
from support.waiting import wait_until
from sweep_executor import Book, Executors

TOKEN = "a-token-of-the-crash-sweep"
READY_DEADLINE_S = 30
REACH_DEADLINE_S = 6  # a point that a process does not reach in this time lies beyond the sweep
CALM_S = 1.3
DECIDED_DEADLINE_S = 20
TAKEN_DEADLINE_S = 20
LATE_MAX_S = 5.0  # `schedule.misfire_after`: later instants are dropped
SETTLE_S = 3.0

UNDECIDED = re.compile(rb"^ringmaster_runs_undecided(?:_total)?(?:\{[^}]*\})? (\d+)", re.MULTILINE)

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
[log]
level = "warn"
[deploy]
files = ["{folder}/jobs.toml"]
"""
GROUP = '[[group]]\napp_name = "sweep"\ntitle = "sweep"\naddresses = ["{address}"]\n'
JOB = '[[job]]\ngroup = "sweep"\nkey = "{key}"\nhandler = "{key}"\nenabled = {enabled}\n{more}\n'
EVERY_SECOND = 'schedule = { cron = "* * * * * ?" }\n'


@dataclass(frozen=True)
class Point:
    """A crash of the process before or after its n-th statement or write to a socket."""

    site: str
    side: str
    at: int

    def environment(self) -> dict[str, str]:
        return {"CRASH_AT": str(self.at), "CRASH_SITE": self.site, "CRASH_SIDE": self.side}


class Lane:
    def __init__(self, name: str, server: Path, folder: Path, port: int, store, executors: Executors, points: list[Point]):
        self.name, self.server, self.folder, self.port, self.store, self.points = name, server, folder, port, store, points
        self.book: Book = executors.open(name, f"http://127.0.0.1:{port}/xxl-job-admin", TOKEN)
        self.address = executors.address(name)
        self.unreached = self.given_up = 0
        self.began = self.ended = 0.0
        (folder / "data").mkdir(parents=True)
        self.config = folder / "ringmaster.toml"
        self.config.write_text(CONFIG.format(folder=folder, port=port, database=store.settings, token=TOKEN), encoding="utf-8")

    def jobs(self, enabled: bool) -> None:
        state = "true" if enabled else "false"
        text = GROUP.format(address=self.address)
        text += JOB.format(key="plain", enabled=state, more=EVERY_SECOND)
        text += JOB.format(key="failing", enabled=state, more=EVERY_SECOND + "retry = 1\n")
        text += JOB.format(key="parent", enabled=state, more=EVERY_SECOND + 'children = ["child"]\n')
        text += JOB.format(key="child", enabled=state, more="")
        (self.folder / "jobs.toml").write_text(text, encoding="utf-8")

    # -- processes

    def start(self, point: Point | None = None) -> subprocess.Popen:
        with (self.folder / "server.log").open("ab") as log:
            return subprocess.Popen([*DIES_WITH_US, str(self.server), "serve", "--config", str(self.config)],
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    env=environment() | (point.environment() if point else {}))

    def wait_ready(self, process: subprocess.Popen) -> None:
        end = time.monotonic() + READY_DEADLINE_S
        while time.monotonic() < end:
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with {process.returncode}: {self.tail()}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as reply:
                    if reply.status == 200:
                        return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the server is not ready: {self.tail()}")

    def wait_decided(self) -> None:
        """Waits until recovery is done: on a slow machine two crashes during recovery take longer than the misfire limit."""
        end = time.monotonic() + DECIDED_DEADLINE_S
        while time.monotonic() < end:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as reply:
                found = UNDECIDED.search(reply.read())
            if not found:
                raise RuntimeError("the server does not say how many runs are undecided")
            if found.group(1) == b"0":
                return
            time.sleep(0.05)
        raise RuntimeError(f"recovery is not done: {self.tail()}")

    def wait_taken(self) -> None:
        """Waits until every result is taken: a server that does not trust its clock yet leaves callbacks unanswered."""
        with suppress(TimeoutError):  # the account reports them
            wait_until(lambda: not self.book.untold, TAKEN_DEADLINE_S, "all results are taken")

    def tail(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")[-1500:]

    def calm(self, seconds: float, gracefully: bool = False, until_taken: bool = False) -> None:
        """Runs a process without a crash point, long enough to decide what it adopted; ends it by kill -9 or by SIGTERM.

        With `until_taken`, also long enough to take every result, and those of the retries and children that follow from it.
        """
        process = self.start()
        try:
            self.wait_ready(process)
            if until_taken:
                self.wait_taken()
            time.sleep(seconds)
            self.wait_decided()
            if until_taken:
                self.wait_taken()
            if gracefully:
                process.terminate()
                process.wait(40)
        finally:
            process.kill()
            process.wait()

    def crash(self, point: Point) -> None:
        process = self.start(point)
        try:
            process.wait(REACH_DEADLINE_S)
            if process.returncode != -9:
                raise RuntimeError(f"{point}: the server ended with {process.returncode}: {self.tail()}")
        except subprocess.TimeoutExpired:
            self.unreached += 1
        finally:
            process.kill()
            process.wait()

    def run(self) -> list[str]:
        self.jobs(True)
        self.calm(CALM_S)
        self.began = time.time()
        for point in self.points:
            self.crash(point)
            self.calm(CALM_S)
        self.calm(SETTLE_S, gracefully=True)
        self.ended = time.time() - SETTLE_S
        self.jobs(False)
        self.calm(SETTLE_S, gracefully=True, until_taken=True)
        problems = [f"lane {self.name}: {problem}" for problem in self.account()]
        return [*problems, f"lane {self.name}, its last warnings: {self.tail()}"] if problems else []

    # -- the account

    def account(self):
        rows = self.store.query(
            "SELECT l.id, i.executor_handler AS handler, l.trigger_time, l.trigger_code, l.trigger_msg, l.handle_code"
            " FROM xxl_job_log l JOIN xxl_job_info i ON i.id = l.job_id ORDER BY l.id")
        runs = self.book.by_log_id()
        yield from self.at_rest()
        for log_id, copies in runs.items():
            if len(copies) > 1:
                yield f"log {log_id} ({copies[0].handler}) executed {len(copies)} times"
        for row in rows:
            if is_given_up(row):
                self.given_up += 1
                continue
            wanted = 500 if row["handler"] == "failing" else 200
            if (row["trigger_code"], row["handle_code"]) != (200, wanted):
                yield f"log {row['id']} of {row['handler']} at {row['trigger_time']} ended {row['trigger_code']}, " \
                      f"{row['handle_code']}: {row['trigger_msg']}"
            elif row["id"] not in runs:
                yield f"log {row['id']} of {row['handler']} has a result and was never executed"
        yield from self.instants(rows)
        yield from self.lateness(rows, runs)

    def at_rest(self):
        if claims := self.store.count("rm_claim"):
            yield f"{claims} claims are open"
        if intents := self.store.count("rm_intent WHERE state = 0"):
            yield f"{intents} intents wait"
        if self.book.untold:
            yield f"{self.book.untold} results were not taken"

    def instants(self, rows: list[dict]):
        """Checks that every second has one run of each job, each failure one retry, and each parent one child."""
        found = defaultdict(lambda: defaultdict(int))
        count = Counter()
        for row in rows:
            kind = "retry" if row["trigger_msg"].startswith("rm1;retry@") else row["handler"]
            found[kind][epoch(row["trigger_time"])] += 1
            count[kind] += not (is_given_up(row) and kind in ("failing", "parent"))
        for second in range(int(self.began) + 1, int(self.ended)):
            for kind in ("plain", "parent", "failing"):
                if found[kind][second] != 1:
                    yield f"{kind} at {second}: {found[kind][second]} runs"
        if count["failing"] != count["retry"] or count["parent"] != count["child"]:
            yield f"failures and their retries, parents and their children do not match: {dict(count)}"

    def lateness(self, rows: list[dict], runs):
        for row in rows:
            if row["handler"] in ("plain", "parent") and row["id"] in runs:
                late = runs[row["id"]][0].arrived_ms / 1000 - epoch(row["trigger_time"])
                if late < 0 or late > LATE_MAX_S + SETTLE_S:
                    yield f"log {row['id']} left {late:.3f} s after its instant"


def is_given_up(row: dict) -> bool:
    """Killed between claim and sending, its successor between the permission to send again and that: the row says so."""
    return row["trigger_code"] == 500 and "delivery unknown: a second sending was permitted before" in row["trigger_msg"]


def epoch(text) -> int:
    """Parses a time in UTC, as the database stores it."""
    return timegm(time.strptime(str(text)[:19].replace("T", " "), "%Y-%m-%d %H:%M:%S"))
