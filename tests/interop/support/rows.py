"""Required content of a log row, column by column."""

import re
import time
from datetime import datetime, timezone

from support.declared import Job
from support.executor import shown
from support.store import JobId

DATETIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
SETTLED_S = 12  # by then a run of the tests has its result, also on a busy machine
EARLY_MS_MAX = 5
LATE_MS_MAX = 10000  # cold executors queue their first runs; this is not a measurement


def epoch(value: str) -> int:
    """Returns the seconds of a DATETIME text in UTC; refuses anything but whole seconds."""
    if not isinstance(value, str) or not DATETIME.fullmatch(value):
        raise ValueError(f"not a DATETIME text: {value!r}")
    return int(datetime.strptime(value, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp())


def instant(row: dict) -> int:
    return epoch(row["trigger_time"])


def finished(row: dict) -> bool:
    """Returns whether the run has ended. Trigger and result are stored independently, in either order."""
    return row["trigger_code"] != 0 and (row["handle_code"] != 0 or row["trigger_code"] != 200)


def by_itself(job: Job, rows: list[dict]) -> list[dict]:
    """Returns the rows of firings by schedule, without retries."""
    return [row for row in rows if row["executor_fail_retry_count"] == job.retry]


def brief(row: dict) -> str:
    shown = {key: value for key, value in row.items() if key not in ("executor_handler", "job_group")}
    return str({key: value[:120] if isinstance(value, str) else value for key, value in shown.items()})


CHILDREN = '<br><br><span style="color:#00c0ef;" > '  # begins the list of children in a parent's result


def trigger_message(row: dict) -> str:
    """Returns the text of the executor or the server about sending: the part after the fixed fields of the compact note."""
    text = row["trigger_msg"] or ""
    count = {"rm1;": 8, "rm2;": 9}.get(text[:4])
    fields = text.split(";", count or 0)
    return fields[count].removeprefix("refused: ") if count and len(fields) == count + 1 else text


def differences(row: dict, expected: dict) -> list[str]:
    """Returns one line for all wrong columns of a row, or none."""
    wrong = [f"{column}: expected {wanted!r}, got {row[column]!r}"
             for column, wanted in expected.items() if row[column] != wanted]
    return [f"log {row['id']} {'; '.join(wrong)}; row {brief(row)}"] if wrong else []


def row_problems(job: Job, ids: JobId, addresses: list[str], row: dict, check_instant: bool = True) -> list[str]:
    """Checks every column of the row of a run that was sent and has its result."""
    shard = row["executor_sharding_param"]
    code, message = job.result(shard)
    said, _, children = (row["handle_msg"] or "").partition(CHILDREN)
    same_message = said.strip() == message
    problems = differences(row, {
        "job_group": ids.job_group,
        "job_id": ids.job_id,
        "executor_handler": job.handler,
        "executor_param": job.params,
        "trigger_code": 200,
        "handle_code": code,
        "handle_msg": row["handle_msg"] if same_message else message,
    })
    if bool(children) != bool(job.children and code == 200):
        problems.append(f"log {row['id']} handle_msg: expected {'a' if job.children else 'no'} list of children: {brief(row)}")
    if row["executor_address"] not in addresses:
        problems.append(f"log {row['id']} executor_address: none of {addresses}: {brief(row)}")
    if not row["trigger_msg"]:
        problems.append(f"log {row['id']} trigger_msg is empty: {brief(row)}")
    if not 0 <= row["executor_fail_retry_count"] <= job.retry:
        problems.append(f"log {row['id']} executor_fail_retry_count: not within 0..{job.retry}: {brief(row)}")
    if code == 200 and row["alarm_status"] != 0:
        problems += differences(row, {"alarm_status": 0})
    return problems + shard_problems(job, addresses, row) + time_problems(job, row, check_instant)


def shard_problems(job: Job, addresses: list[str], row: dict) -> list[str]:
    if job.route != "SHARDING_BROADCAST":
        return differences(row, {"executor_sharding_param": None})
    wanted = {address: f"{index}/{len(addresses)}" for index, address in enumerate(addresses)}
    return differences(row, {"executor_sharding_param": wanted.get(row["executor_address"])})


def time_problems(job: Job, row: dict, check_instant: bool) -> list[str]:
    try:
        triggered, handled = instant(row), epoch(row["handle_time"])
    except ValueError as error:
        return [f"log {row['id']}: {error}: {brief(row)}"]
    problems = []
    due = check_instant and job.every_s and not job.by_rate and row["executor_fail_retry_count"] == job.retry
    if due and triggered % job.every_s:
        problems.append(f"log {row['id']} trigger_time: no instant of `{job.cron}`: {brief(row)}")
    if not triggered <= handled <= time.time() + 1:
        problems.append(f"log {row['id']} handle_time: not between trigger_time and now: {brief(row)}")
    return problems


def unfinished_problems(rows: list[dict]) -> list[str]:
    limit = time.time() - SETTLED_S
    return [f"no result after {SETTLED_S} s: {brief(row)}" for row in rows
            if instant(row) < limit and not finished(row)]


def executed_problems(job: Job, rows: list[dict], executions: dict[int, list[dict]]) -> list[str]:
    """Checks that each run with a result was executed once, at the right executor, with the right parameter and shard."""
    problems = []
    for row in rows:
        entries = executions.get(row["id"], [])
        if len(entries) != 1:
            problems.append(f"log {row['id']} executed {len(entries)} times ({shown(entries)}): {brief(row)}")
            continue
        problems += execution_problems(job, row, entries[0])
    return problems


def execution_problems(job: Job, row: dict, entry: dict) -> list[str]:
    index, total = map(int, (row["executor_sharding_param"] or "0/1").split("/"))
    expected = {"handler": job.handler, "param": job.params, "shard_index": index, "shard_total": total,
                "port": int(row["executor_address"].rstrip("/").rsplit(":", 1)[1])}
    if entry["job_id"] != -1:
        expected["job_id"] = row["job_id"]
    problems = [f"log {row['id']} ran with {name}: expected {wanted!r}, got {entry[name]!r}"
                for name, wanted in expected.items() if entry[name] != wanted]
    late_ms = entry["ms"] - instant(row) * 1000
    if row["executor_fail_retry_count"] == job.retry and job.every_s and not -EARLY_MS_MAX <= late_ms <= LATE_MS_MAX:
        problems.append(f"log {row['id']} ran {late_ms} ms after its instant: {brief(row)}")
    return problems


def gap_problems(job: Job, rows: list[dict]) -> list[str]:
    """Checks that every instant between the first and the last row has exactly one row."""
    instants = [instant(row) for row in rows]
    if not instants:
        return [f"{job.name} has no rows"]
    wanted = range(min(instants), max(instants) + 1, job.every_s)
    return [f"{job.name}: {instants.count(second)} rows at {datetime.fromtimestamp(second, timezone.utc)}"
            for second in wanted if instants.count(second) != 1]
