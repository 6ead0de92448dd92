"""Declared groups and jobs: the file format, and the expected log rows of each job."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

NEVER = "0 0 0 1 1 ? 2098"


@dataclass(frozen=True)
class Group:
    app_name: str
    title: str


@dataclass(frozen=True)
class Job:
    group: str
    key: str
    handler: str = "echo"
    params: str = ""
    every_s: int | None = 1  # None: never fires by itself
    by_rate: bool = False
    route: str = "FIRST"
    block: str = "SERIAL_EXECUTION"
    misfire: str = "DO_NOTHING"
    timeout_s: int = 0
    retry: int = 0
    children: tuple[str, ...] = ()
    enabled: bool = True
    keep_logs: bool = False
    on_unknown: str = "ask"

    @property
    def name(self) -> str:
        return f"{self.group} {self.key}"

    @property
    def cron(self) -> str:
        if self.every_s is None:
            return NEVER
        return "* * * * * ?" if self.every_s == 1 else f"0/{self.every_s} * * * * ?"

    def stopped(self) -> "Job":
        return replace(self, enabled=False)

    def result(self, shard: str | None) -> tuple[int, str]:
        """Returns the handle code and message that the handler reports."""
        if self.handler == "slow" and 0 < self.timeout_s * 1000 < int(self.params):
            return 502, "job execute timeout"
        return {
            "echo": (200, self.params),
            "failing": (500, f"failed on purpose: {self.params}"),
            "slow": (200, f"slept {self.params}"),
            "shard": (200, shard or "0/1"),
            "logging": (200, "logged 5"),
        }[self.handler]


def jobs_file(groups: Iterable[Group], jobs: Iterable[Job]) -> str:
    return "\n".join([*map(group_text, groups), *map(job_text, jobs)])


def group_text(group: Group) -> str:
    return f"[[group]]\napp_name = {text(group.app_name)}\ntitle = {text(group.title)}\n"


def job_text(job: Job) -> str:
    schedule = f'rate = "{job.every_s}s"' if job.by_rate else f"cron = {text(job.cron)}"
    lines = [
        "[[job]]",
        f"group = {text(job.group)}",
        f"key = {text(job.key)}",
        f"name = {text(job.name)}",
        f"schedule = {{ {schedule} }}",
        f"handler = {text(job.handler)}",
        f"params = {text(job.params)}",
        f"route = {text(job.route)}",
        f"block = {text(job.block)}",
        f"misfire = {text(job.misfire)}",
        f"timeout = {job.timeout_s}",
        f"retry = {job.retry}",
        f"enabled = {str(job.enabled).lower()}",
        f"keep_logs = {str(job.keep_logs).lower()}",
    ]
    if job.on_unknown != "ask":
        lines.append(f"on_unknown = {text(job.on_unknown)}")
    if job.children:
        lines.append(f"children = [{', '.join(map(text, job.children))}]")
    return "\n".join(lines) + "\n"


def text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
