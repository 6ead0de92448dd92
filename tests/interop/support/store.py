"""Reads the server's SQLite file, read-only, while the server runs."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from support.declared import Job


@dataclass(frozen=True)
class JobId:
    job_id: int
    job_group: int


class Store:
    def __init__(self, file: Path):
        self.file = file

    def query(self, sql: str, *values) -> list[dict]:
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]

    def count(self, sql: str, *values) -> int:
        return self.query(f"SELECT count(*) AS n FROM {sql}", *values)[0]["n"]

    def registered(self, app: str) -> list[str]:
        rows = self.query("SELECT registry_value FROM xxl_job_registry WHERE registry_group = 'EXECUTOR'"
                          " AND registry_key = ? ORDER BY registry_value", app)
        return [row["registry_value"] for row in rows]

    def address_list(self, app: str) -> str | None:
        return self.query("SELECT address_list FROM xxl_job_group WHERE app_name = ?", app)[0]["address_list"]

    def job_ids(self) -> dict[str, JobId]:
        """By job name, which the tests make unique."""
        rows = self.query("SELECT id, job_group, job_desc FROM xxl_job_info")
        return {row["job_desc"]: JobId(row["id"], row["job_group"]) for row in rows}

    def group_ids(self) -> dict[str, int]:
        return {row["app_name"]: row["id"] for row in self.query("SELECT id, app_name FROM xxl_job_group")}

    def rows(self, job: Job) -> list[dict]:
        """The log rows of a job, oldest first."""
        return self.query("SELECT l.* FROM xxl_job_log l JOIN xxl_job_info i ON i.id = l.job_id"
                          " WHERE i.job_desc = ? ORDER BY l.id", job.name)

    def unfinished(self, killed: Sequence[str] = ()) -> dict[str, int]:
        """What a store at rest has none of. Runs that a killed executor had accepted stay open for ten minutes."""
        marks = ", ".join("?" * len(killed))
        return {
            "claims": self.count("rm_claim"),
            "intents waiting": self.count("rm_intent WHERE state = 0"),
            "rows (0, 0)": self.count("xxl_job_log WHERE trigger_code = 0 AND handle_code = 0"),
            "rows (200, 0)": self.count("xxl_job_log WHERE trigger_code = 200 AND handle_code = 0"
                                        f" AND executor_address NOT IN ({marks})", *killed),
        }
