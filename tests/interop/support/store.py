"""Reads the server's database, read-only, while the server runs."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from support.declared import Job


@dataclass(frozen=True)
class JobId:
    job_id: int
    job_group: int


class Store(ABC):
    """Queries of the checks. A column has the same Python type on every database: DATETIME is the stored text."""

    settings: str  # the server's, for the table [database]

    @abstractmethod
    def query(self, sql: str, *values) -> list[dict]:
        """Returns the committed rows; each `?` stands for a value."""

    def count(self, sql: str, *values) -> int:
        return self.query(f"SELECT count(*) AS n FROM {sql}", *values)[0]["n"]

    def registered(self, app: str) -> list[str]:
        rows = self.query("SELECT registry_value FROM xxl_job_registry WHERE registry_group = 'EXECUTOR'"
                          " AND registry_key = ? ORDER BY registry_value", app)
        return [row["registry_value"] for row in rows]

    def address_list(self, app: str) -> str | None:
        return self.query("SELECT address_list FROM xxl_job_group WHERE app_name = ?", app)[0]["address_list"]

    def job_ids(self) -> dict[str, JobId]:
        """Returns the jobs by name, which the tests make unique."""
        rows = self.query("SELECT id, job_group, job_desc FROM xxl_job_info")
        return {row["job_desc"]: JobId(row["id"], row["job_group"]) for row in rows}

    def group_ids(self) -> dict[str, int]:
        return {row["app_name"]: row["id"] for row in self.query("SELECT id, app_name FROM xxl_job_group")}

    def rows(self, job: Job) -> list[dict]:
        """Returns the log rows of a job, oldest first."""
        return self.query("SELECT l.* FROM xxl_job_log l JOIN xxl_job_info i ON i.id = l.job_id"
                          " WHERE i.job_desc = ? ORDER BY l.id", job.name)

    def jobs_finished_since(self, epoch_s: float) -> set[str]:
        """Returns names of the jobs with a finished run of an instant from then on."""
        since = datetime.fromtimestamp(math.ceil(epoch_s), timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        rows = self.query("SELECT DISTINCT i.job_desc FROM xxl_job_log l JOIN xxl_job_info i ON i.id = l.job_id"
                          " WHERE l.trigger_time >= ? AND l.trigger_code <> 0"
                          " AND (l.handle_code <> 0 OR l.trigger_code <> 200)", since)
        return {row["job_desc"] for row in rows}

    def unfinished(self, killed: Sequence[str] = ()) -> dict[str, int]:
        """Counts objects that a store at rest does not have."""
        rows = self.open_rows(killed)
        return {
            "claims": self.count("rm_claim"),
            "intents waiting": self.count("rm_intent WHERE state = 0"),
            "rows (0, 0)": sum(row["trigger_code"] == 0 for row in rows),
            "rows (200, 0)": sum(row["trigger_code"] == 200 for row in rows),
        }

    def open_rows(self, killed: Sequence[str] = ()) -> list[dict]:
        """Returns rows without an end. Runs that a killed executor had accepted stay running for ten minutes and are left out."""
        rows = self.query("SELECT * FROM xxl_job_log WHERE trigger_code IN (0, 200) AND handle_code = 0 ORDER BY id")
        return [row for row in rows if row["trigger_code"] == 0 or row["executor_address"] not in killed]
