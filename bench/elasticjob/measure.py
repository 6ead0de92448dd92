#!/usr/bin/env python3
"""Measures ElasticJob 3.0.4 with a ZooKeeper on loopback, on the same work as elastic_bench. Prints one line of JSON.

  mvn -q package
  measure.py --takeover kill|stop | --reshare | --compensate | --items N | --idle N   [--rounds R] [--session-ms MS] [--seconds S]

It ends by itself and removes its folder. All times come from the notes of the workers (Worker.java).
"""

import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = f"{HERE}/target/classes:{HERE}/target/lib/*"
JAVA = ["java", "-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", CLASSES]
# A takeover that has not begun after so many time-outs of a session counts as missing.
TAKEOVER_SESSIONS = 3
EACH_SECOND = "0/1 * * * * ?"

Note = collections.namedtuple("Note", "what job item at_ms worker")


def now_ms() -> float:
    return time.time() * 1000


class Worker:
    def __init__(self, world: "World", number: int):
        self.world, self.number = world, number
        self.notes_file = world.folder / f"notes-{number}"
        self.notes_file.touch()
        self.log_file = world.folder / f"log-{number}"
        self.process = None
        self.starts = 0
        self.started_ms = 0.0

    def start(self) -> None:
        self.started_ms = now_ms()
        self.starts += 1
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                JAVA + ["ringmaster.bench.Worker", str(self.world.port), str(self.world.session_ms), str(self.notes_file),
                        *self.world.jobs],
                stdout=log, stderr=log)

    def is_ready(self) -> bool:
        """Returns whether the worker has registered all jobs since its last start."""
        return self.log_file.read_text().count("ready\n") == self.starts

    def notes(self) -> list[Note]:
        out = []
        for line in self.notes_file.read_text().splitlines():
            parts = line.split()
            if len(parts) == 4:
                out.append(Note(parts[0], parts[1], int(parts[2]), int(parts[3]), self.number))
        return out

    def memory_mb(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the worker has ended")

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def cpu_s(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class World:
    """A ZooKeeper and workers, all of which end with it."""

    def __init__(self, folder: pathlib.Path, session_ms: int, jobs: list[str]):
        self.folder, self.session_ms, self.jobs = folder, session_ms, jobs
        self.workers: list[Worker] = []
        # A session is at least two ticks long.
        tick_ms = min(2000, session_ms // 2)
        self.keeper = subprocess.Popen(JAVA + ["ringmaster.bench.Keeper", str(tick_ms)], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, cwd=folder)
        self.port = int(self.keeper.stdout.readline())

    def add(self) -> Worker:
        worker = Worker(self, len(self.workers))
        worker.start()
        self.workers.append(worker)
        return worker

    def notes(self) -> list[Note]:
        return sorted((note for worker in self.workers for note in worker.notes()), key=lambda note: note.at_ms)

    def first(self, found, limit_s: float):
        """Returns the first value that `found` has, or None after the limit."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            value = found()
            if value:
                return value
            time.sleep(0.05)
        return None

    def wait(self, what: str, found, limit_s: float = 300):
        value = self.first(found, limit_s)
        if value is None:
            raise RuntimeError(f"no {what} within {limit_s} s")
        return value

    def wait_for_workers(self, limit_s: float = 300) -> None:
        self.wait("workers that have all jobs", lambda: all(worker.is_ready() for worker in self.workers), limit_s)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [worker.process for worker in self.workers] + [self.keeper]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def spread(values: list[float]) -> dict:
    if not values:
        return {"count": 0}
    values = sorted(values)
    at = lambda part: round(values[min(len(values) - 1, int(len(values) * part))], 1)
    return {"count": len(values), "p50": at(0.5), "p99": at(0.99), "max": round(values[-1], 1)}


def takeovers(world: World, rounds: int, sent: signal.Signals) -> dict:
    world.add(), world.add()
    took, missing, stuck, since = [], 0, False, now_ms()
    for _ in range(rounds):
        def holder():
            open_runs = {}
            for note in world.notes():
                open_runs[note.item] = note if note.what == "begin" else None
            run = open_runs.get(0)
            return run if run is not None and run.at_ms > since else None
        run = world.first(holder, TAKEOVER_SESSIONS * world.session_ms / 1000 + 30)
        if run is None:
            stuck = True
            break
        # The other worker must be there to take over.
        world.wait_for_workers()
        victim = world.workers[run.worker]
        broken = now_ms()
        victim.process.send_signal(sent)
        took_over = world.first(lambda: next((note for note in world.notes() if note.what == "begin"
                                              and note.worker != run.worker and note.at_ms > broken), None),
                                TAKEOVER_SESSIONS * world.session_ms / 1000)
        if took_over is None:
            missing += 1
            since = now_ms()
        else:
            took.append(took_over.at_ms - broken)
            since = took_over.at_ms - 1
        if sent == signal.SIGSTOP:
            victim.process.kill()
        victim.process.wait()
        victim.start()
        world.wait_for_workers()
    # Stuck: the item runs nowhere, although both workers are up.
    return {"ms": spread(took), "without_takeover": missing, "stuck": stuck}


def reshares(world: World, rounds: int) -> dict:
    world.add(), world.add()
    took, began = [], now_ms()
    world.wait_for_workers()
    world.wait("item", lambda: world.notes())
    added = world.add()
    for _ in range(rounds):
        started = added.started_ms
        first = world.wait("item on the worker that came",
                           lambda: next((note for note in added.notes() if note.what == "begin" and note.at_ms > started), None))
        took.append(first.at_ms - started)
        added.process.terminate()
        added.process.wait()
        time.sleep(world.session_ms / 1000 + 2)
        added.start()
    short = [note for note in world.notes()
             if note.what == "begin" and note.job == "mixed" and note.item > 0 and note.at_ms > began]
    seconds = {note.at_ms // 1000 for note in short}
    expected = max(seconds) - min(seconds) + 1
    return {"ms": spread(took), "late_ms": spread([note.at_ms % 1000 for note in short]),
            "seconds_without_a_fire": expected - len(seconds), "seconds": expected}


def compensations(world: World, rounds: int) -> dict:
    world.add()

    def pauses():
        notes = world.notes()
        return [after.at_ms - before.at_ms for before, after in zip(notes, notes[1:])
                if before.what == "end" and after.what == "begin"]

    world.wait("compensations", lambda: len(pauses()) >= rounds)
    return {"ms": spread(pauses())}


def items(world: World, seconds: float) -> dict:
    for _ in range(2):
        world.add()
    world.wait("item on each worker", lambda: all(worker.notes() for worker in world.workers))
    time.sleep(5)
    before, cpu = now_ms(), sum(worker.cpu_s() for worker in world.workers)
    time.sleep(seconds)
    after, used = now_ms(), sum(worker.cpu_s() for worker in world.workers) - cpu
    began = [note for note in world.notes() if note.what == "begin" and before <= note.at_ms < after]
    return {"runs": len(began), "runs_per_s": round(len(began) / seconds, 1),
            "cpu_us_per_run": round(used * 1e6 / max(1, len(began)), 1),
            "rss_mb": [round(worker.memory_mb(), 1) for worker in world.workers]}


def idle(world: World, seconds: float, count: int) -> dict:
    worker = world.add()
    world.wait_for_workers(900)
    time.sleep(5)
    cpu = worker.cpu_s()
    time.sleep(seconds)
    return {"jobs": count, "rss_mb": round(worker.memory_mb(), 1), "threads": worker.threads(),
            "cpu_percent_of_a_core": round((worker.cpu_s() - cpu) / seconds * 100, 2)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--takeover", choices=["kill", "stop"])
    mode.add_argument("--reshare", action="store_true")
    mode.add_argument("--compensate", action="store_true")
    mode.add_argument("--items", type=int, help="one job with N items in each second, on two workers")
    mode.add_argument("--idle", type=int, help="N jobs with ten items that do not fire, on one worker")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--session-ms", type=int, default=60_000,
                        help="session time-out of ZooKeeper's client; default: Curator's")
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    if not (HERE / "target/lib").is_dir():
        print("run `mvn -q package` in this folder first", file=sys.stderr)
        return 2
    if given.takeover:
        jobs = [f"held:1:3600000:{EACH_SECOND}"]
    elif given.reshare:
        # Item 0 runs for 2.5 s; the others are short.
        jobs = [f"mixed:12:2500,0:{EACH_SECOND}"]
    elif given.compensate:
        jobs = [f"overrun:1:1300:{EACH_SECOND}"]
    elif given.items:
        jobs = [f"wide:{given.items}:0:{EACH_SECOND}"]
    else:
        jobs = [f"idle-{i}:10:0:0 0 0 1 1 ? 2099" for i in range(given.idle)]
    with tempfile.TemporaryDirectory() as folder, World(pathlib.Path(folder), given.session_ms, jobs) as world:
        if given.takeover:
            report = takeovers(world, given.rounds, signal.SIGKILL if given.takeover == "kill" else signal.SIGSTOP)
        elif given.reshare:
            report = reshares(world, given.rounds)
        elif given.compensate:
            report = compensations(world, given.rounds)
        elif given.items:
            report = items(world, given.seconds)
        else:
            report = idle(world, given.seconds, given.idle)
    name = next(name for name in ("takeover", "reshare", "compensate", "items", "idle") if getattr(given, name))
    print(json.dumps({"rival": "ElasticJob 3.0.4", "mode": name, "value": getattr(given, name), "session_ms": given.session_ms}
                     | report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
