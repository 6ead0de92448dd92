"""Jobs that every release of xxl-job-core runs, and the scenarios that check them while all executors are alive."""

from support import busyover
from support.declared import Job
from support.routes import RULES
from support.rows import (brief, by_itself, differences, executed_problems, finished, gap_problems, instant,
                          row_problems, trigger_message, unfinished_problems)
from support.stage import Stage, app_name
from support.waiting import wait_until

SPECIAL_PARAMS = "a=1&b=<x> \"q\" 'p' \\ ünï 任务"
ROUTED = {"ROUND": "round", "RANDOM": "random", "CONSISTENT_HASH": "hash", "LEAST_FREQUENTLY_USED": "lfu",
          "LEAST_RECENTLY_USED": "lru", "FAILOVER": "failover", "BUSYOVER": "busyover",
          "SHARDING_BROADCAST": "shard", "FIRST": "echo", "LAST": "rate"}
ROWS_DEADLINE_S = 40
KEPT_DEADLINE_S = 15


def jobs_of(release: str) -> list[Job]:
    group = app_name(release)
    routed = [Job(group, ROUTED[route], params=route, route=route)
              for route in ("ROUND", "RANDOM", "CONSISTENT_HASH", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED",
                            "FAILOVER")]
    return routed + [
        Job(group, "echo", params=SPECIAL_PARAMS),
        Job(group, "rate", params="by rate", by_rate=True, route="LAST"),
        Job(group, "busyover", "slow", "1300", route="BUSYOVER"),
        Job(group, "shard", "shard", "", route="SHARDING_BROADCAST"),
        Job(group, "logging", "logging", "this run", every_s=5, keep_logs=True),
        Job(group, "failing", "failing", "no luck", every_s=2),
        Job(group, "retry", "failing", "again", every_s=20, retry=2, route="ROUND"),
        Job(group, "timeout", "slow", "3000", every_s=3, timeout_s=1),
        Job(group, "parent", params="parent", every_s=2, children=("child",)),
        Job(group, "child", params="child", every_s=None, enabled=False),
        Job(group, "barren", "failing", "no children", every_s=5, children=("unborn",)),
        Job(group, "unborn", params="unborn", every_s=None, enabled=False),
        Job(group, "discard", "slow", "1500", block="DISCARD_LATER"),
        Job(group, "cover", "slow", "3000", every_s=2, block="COVER_EARLY"),
    ]


BLOCKED = ("discard", "cover")  # some runs of these end differently on purpose


def finished_rows(stage: Stage, release: str, key: str, count: int) -> list[dict]:
    job = stage.job(release, key)
    return stage.wait_rows(job, lambda rows: sum(map(finished, rows)) >= count, ROWS_DEADLINE_S,
                           f"{count} finished rows")


def registered(stage: Stage, release: str):
    app, addresses = app_name(release), stage.addresses(release)
    if stage.store.registered(app) != addresses:
        yield f"xxl_job_registry: expected {addresses}, got {stage.store.registered(app)}"
    wait_until(lambda: stage.store.address_list(app) == ",".join(addresses), ROWS_DEADLINE_S,
               f"xxl_job_group.address_list of {app} is {','.join(addresses)}", lambda: stage.store.address_list(app))


def every_second(key: str):
    def problems(stage: Stage, release: str):
        job = stage.job(release, key)
        rows = finished_rows(stage, release, key, 10)
        yield from gap_problems(job, rows)
        yield from executed_problems(job, list(filter(finished, rows)), stage.executions(release))
    return problems


def rows_in_full(stage: Stage, release: str):
    """Checks every finished row of every job, column by column, against its declaration and the journals."""
    finished_rows(stage, release, "timeout", 3)
    addresses = stage.addresses(release)
    for job in [job for job in stage.jobs if job.group == app_name(release) and job.key not in BLOCKED]:
        rows, executions = stage.store.rows(job), stage.executions(release)
        done = [row for row in rows if finished(row) and not (job.route == "BUSYOVER" and not row["executor_address"])]
        yield from unfinished_problems(rows)
        if rows and job.every_s and job.route != "SHARDING_BROADCAST":
            yield from gap_problems(job, by_itself(job, rows))
        for row in done:
            yield from row_problems(job, stage.ids[job.name], addresses, row)
        yield from executed_problems(job, done, executions)


def failing(stage: Stage, release: str):
    for row in filter(finished, finished_rows(stage, release, "failing", 3)):
        yield from differences(row, {"trigger_code": 200, "handle_code": 500,
                                     "handle_msg": "failed on purpose: no luck"})


def retry(stage: Stage, release: str):
    """Checks that a firing with two retries makes three rows: 2, 1 and 0 left."""
    job = stage.job(release, "retry")
    rows = stage.wait_rows(job, lambda rows: any(map(last_attempt, rows)), ROWS_DEADLINE_S,
                           "a finished row without retries left")
    left = [row["executor_fail_retry_count"] for row in rows[:3]]
    if left != [2, 1, 0]:
        yield f"executor_fail_retry_count of the first rows: expected [2, 1, 0], got {left}"
    for row in filter(finished, rows):
        yield from differences(row, {"handle_code": 500, "executor_param": "again"})


def last_attempt(row: dict) -> bool:
    return row["executor_fail_retry_count"] == 0 and finished(row)


def timeout(stage: Stage, release: str):
    for row in filter(finished, finished_rows(stage, release, "timeout", 3)):
        yield from differences(row, {"trigger_code": 200, "handle_code": 502})
        if "timeout" not in row["handle_msg"]:
            yield f"handle_msg does not speak of the timeout: {brief(row)}"


def route(name: str):
    def problems(stage: Stage, release: str):
        job, count = stage.job(release, ROUTED[name]), 22 if name == "RANDOM" else 12
        rows = finished_rows(stage, release, job.key, count)
        yield from RULES[name](by_itself(job, rows), stage.addresses(release), stage.ids[job.name].job_id)
    return problems


def route_busyover(stage: Stage, release: str):
    job = stage.job(release, "busyover")
    rows = finished_rows(stage, release, job.key, 12)
    yield from busyover.problems(rows, stage.executions(release), stage.addresses(release), int(job.params))


def logging(stage: Stage, release: str):
    """Checks that the executor files the log under the day of trigger_time, so that the admin finds it again."""
    job = stage.job(release, "logging")
    row = next(filter(finished, finished_rows(stage, release, "logging", 1)))
    executor = next(e for e in stage.executors[release] if e.address == row["executor_address"])
    file = executor.log_file(row["trigger_time"][:10], row["id"])
    content = file.read_text(encoding="utf-8") if file.exists() else f"{file} does not exist"
    for line in range(1, 6):
        if f"line {line} of {job.params}" not in content:
            yield f"log {row['id']}: line {line} missing in: {content}"


def kept_log(stage: Stage, release: str):
    job = stage.job(release, "logging")
    return kept_problems(stage, release, next(filter(finished, finished_rows(stage, release, job.key, 1))), job.params)


def kept_problems(stage: Stage, release: str, row: dict, param: str):
    """Checks that the admin keeps the executor's log some seconds after the result, literally."""
    wait_until(lambda: stage.store.count("rm_kept_log WHERE log_id = ? AND state = 1", row["id"]) == 1, KEPT_DEADLINE_S,
               f"the log of run {row['id']} is kept", lambda: stage.store.query("SELECT * FROM rm_kept_log LIMIT 10"))
    pieces = stage.store.query("SELECT text FROM rm_run_log WHERE log_id = ? ORDER BY piece", row["id"])
    kept = "".join(piece["text"] for piece in pieces)
    executor = next(e for e in stage.executors[release] if e.address == row["executor_address"])
    written = executor.log_file(row["trigger_time"][:10], row["id"]).read_text(encoding="utf-8")
    if not written.startswith(kept) or f"line 5 of {param}" not in kept:
        yield f"log {row['id']}: kept {kept!r}, written {written!r}"


def discard_later(stage: Stage, release: str):
    """Checks that during a run the next one is refused by the executor, recorded with its text, and never executed."""
    rows = by_itself(stage.job(release, "discard"), finished_rows(stage, release, "discard", 8))
    executions = stage.executions(release)
    refused = [row for row in rows if row["trigger_code"] == 500]
    if not refused or not any(row["trigger_code"] == 200 for row in rows):
        yield f"expected refused and accepted runs, got trigger codes {[row['trigger_code'] for row in rows]}"
    for row in refused:
        if "Discard Later" not in trigger_message(row):
            yield f"trigger_msg lacks the executor's text: {brief(row)}"
        if row["id"] in executions:
            yield f"executed though refused: {brief(row)}"


def cover_early(stage: Stage, release: str):
    """Checks that each run is killed by the next one and its row says so."""
    rows = [row for row in finished_rows(stage, release, "cover", 3) if finished(row)]
    for row in rows:
        yield from differences(row, {"trigger_code": 200, "handle_code": 500})
        if "Cover Early" not in (row["handle_msg"] or ""):
            yield f"handle_msg lacks the executor's text: {brief(row)}"


def child(stage: Stage, release: str):
    rows = finished_rows(stage, release, "child", 3)
    parents = [row for row in stage.store.rows(stage.job(release, "parent")) if row["handle_code"] == 200]
    if len(rows) > len(parents):
        yield f"{len(rows)} children of {len(parents)} successful parents"
    for row in rows:
        if not any(instant(parent) <= instant(row) + 1 for parent in parents):
            yield f"child before any parent: {brief(row)}"


RUNNING = {
    "registered": registered,
    "echo every second": every_second("echo"),
    "fixed rate every second": every_second("rate"),
    "failing": failing,
    "timeout": timeout,
    "logging": logging,
    "kept log": kept_log,
    "child": child,
    "block DISCARD_LATER": discard_later,
    "block COVER_EARLY": cover_early,
    "retry": retry,
    **{f"route {name}": route(name) for name in RULES},
    "route BUSYOVER": route_busyover,
    "rows in full": rows_in_full,
}
