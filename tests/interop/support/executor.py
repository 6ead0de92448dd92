"""A Java executor process and the journal of its runs."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from support import maven
from support.process import Process

JAVA = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
        "-Dorg.slf4j.simpleLogger.showDateTime=true"]


class Executor:
    def __init__(self, release: str, app: str, port: int, admin: str, token: str, folder: Path):
        self.release, self.app, self.port = release, app, port
        self.address = f"http://127.0.0.1:{port}/"
        self.log_folder = folder / f"{app}-{port}"
        self.journal_file = folder / f"{app}-{port}.journal"
        command = [*JAVA, "-cp", f"{maven.jars(release)}/*", "ringmaster.interop.Main", "--admin", admin, "--app", app,
                   "--port", str(port), "--token", token, "--log-folder", str(self.log_folder),
                   "--journal", str(self.journal_file)]
        self.process = Process(command, folder / f"{app}-{port}.out")

    def journal(self) -> list[dict]:
        return journal_of(self.journal_file)

    def log_file(self, day: str, log_id: int) -> Path:
        return self.log_folder / day / f"{log_id}.log"


def journal_of(file: Path) -> list[dict]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def executions(executors: Iterable[Executor]) -> dict[int, list[dict]]:
    """Returns every journalled execution by log id."""
    by_log_id: dict[int, list[dict]] = defaultdict(list)
    for executor in executors:
        for entry in executor.journal():
            by_log_id[entry["log_id"]].append(entry)
    return by_log_id


def shown(entries: list[dict]) -> str:
    """Returns where and when the runs of one log id started."""
    return ", ".join(f"port {entry['port']} at {entry['ms']}" for entry in entries) or "never"


def repeated(executors: Iterable[Executor]) -> list[str]:
    """Returns log ids that were executed more than once."""
    return [f"log {log_id} ({entries[0]['handler']}) executed {len(entries)} times: {shown(entries)}"
            for log_id, entries in executions(executors).items() if len(entries) > 1]
