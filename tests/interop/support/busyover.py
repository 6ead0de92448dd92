"""BUSYOVER checked by the journals: the executors that were running the job when they were asked."""

from support.rows import brief, instant

PROBE_EARLY_MS = 300  # the route is chosen up to 200 ms before the instant,
PROBE_LATE_MS = 700  # or after it, on a machine with other work
QUEUED_MS = 100  # a run that had to wait for the one before it starts at once when that ends


def port(address: str) -> int:
    return int(address.rstrip("/").rsplit(":", 1)[1])


def problems(rows: list[dict], executions: dict[int, list[dict]], addresses: list[str], lasts_ms: int) -> list[str]:
    """Checks that both executors are used, no run is queued after another one, and none is refused while an executor is idle."""
    runs = [entry for row in rows for entry in executions.get(row["id"], [])]
    found = [f"{address} was never chosen" for address in addresses
             if not any(row["executor_address"] == address for row in rows)]
    for row in rows:
        if not row["executor_address"]:
            if not rightly_refused(row, runs, addresses, lasts_ms):
                found.append(f"refused though an executor was idle: {brief(row)}")
        elif ahead := queued_behind(row, runs, lasts_ms):
            found.append(f"queued after log {ahead[0]['log_id']}, which ran since {ahead[0]['ms']}: {brief(row)}")
    return found


def rightly_refused(row: dict, runs: list[dict], addresses: list[str], lasts_ms: int) -> bool:
    """Returns whether every executor had a run of the job around the time of the question, as happens during a cold start."""
    due_ms = instant(row) * 1000
    busy = {entry["port"] for entry in runs
            if entry["ms"] < due_ms + PROBE_LATE_MS and due_ms - PROBE_EARLY_MS < entry["ms"] + lasts_ms}
    return busy == set(map(port, addresses))


def queued_behind(row: dict, runs: list[dict], lasts_ms: int) -> list[dict]:
    """Returns runs of the same executor that had begun before the question and ended just before this run began."""
    own = [entry["ms"] for entry in runs if entry["log_id"] == row["id"]]
    return [entry for entry in runs
            if own and entry["log_id"] != row["id"] and entry["port"] == port(row["executor_address"])
            and entry["ms"] <= instant(row) * 1000 - PROBE_EARLY_MS
            and 0 <= own[0] - entry["ms"] - lasts_ms < QUEUED_MS]
