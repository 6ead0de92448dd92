"""Checks that every foreign client must pass, each with its own texts."""

import time

from support.client_stage import ClientStage, Manners, differences, missing, said
from support.console import Refused
from support.waiting import wait_for_clock, wait_until

PARAM = "a=1&b=<x> \"q\" 'p' \\ ünï 任务"
LINES = [f"line {number} of this run" for number in range(1, 6)]
LOG_DEADLINE_S = 20
TAKEN_DEADLINE_S = 10
PROBE_VALID_S = 0.15  # an answer to /idleBeat counts for 100 ms


def addresses(stage: ClientStage, who: Manners):
    """Compares addresses: the journal knows the ports; the server got them from the clients alone."""
    wanted = sorted(client.address for client in stage.of(who.app))
    if stage.store.registered(who.app) != wanted:
        yield f"xxl_job_registry: expected {wanted}, got {stage.store.registered(who.app)}"
    for client in stage.of(who.app):
        run = stage.done(who.app, "echo", "here", [client.address])
        yield from differences(run, 200, 200)
        if len(client.begun(run["id"])) != 1:
            yield f"{client.address} did not run {run['id']}: {client.journal()}"


def succeeds(stage: ClientStage, who: Manners):
    run = stage.done(who.app, "echo", PARAM)
    yield from differences(run, 200, 200, who.wrapped(PARAM))
    entries = [entry for client in stage.of(who.app) for entry in client.begun(run["id"])]
    wanted = {"log_id": run["id"], "job_id": run["job"], "handler": "echo", "param": PARAM, "shard_index": 0, "shard_total": 1}
    if len(entries) != 1 or any(entries[0][name] != value for name, value in wanted.items()):
        yield f"journal: expected {wanted} once, got {entries}"


def fails(stage: ClientStage, who: Manners):
    yield from differences(stage.done(who.app, "failing", "no luck"), 200, 500, "failed on purpose: no luck")


def returns_an_object(stage: ClientStage, who: Manners):
    run = stage.done(who.app, "object", "4")
    yield from differences(run, 200, 200)
    yield from missing('{"rows":[4]}', run["handle_message"].replace(" ", ""))


def returns_nothing(stage: ClientStage, who: Manners):
    yield from differences(stage.done(who.app, "nothing"), 200, 200, who.nothing)


def unknown_handler(stage: ClientStage, who: Manners):
    yield from differences(stage.done(who.app, "unknown"), 500, 0, who.unknown)


def timeout(stage: ClientStage, who: Manners):
    run = stage.done(who.app, "timeout", "8000")
    yield from differences(run, 200, 500, who.late.format(job=run["job"]))


def broadcast(stage: ClientStage, who: Manners):
    runs = [stage.console.wait_run(run) for run in stage.console.begin(stage.job(who.app, "shard"))]
    wanted = [(client.address, f"{index}/2", who.wrapped(f"{index}/2"))
              for index, client in enumerate(sorted(stage.of(who.app), key=lambda client: client.address))]
    seen = sorted((run["address"], run["shard"], run["handle_message"]) for run in runs)
    if seen != wanted:
        yield f"expected {wanted}, got {seen}"


def begun_and_noticed(stage: ClientStage, who: Manners) -> int:
    run = stage.begun(who.app, "busyover", "3500")
    wait_for_clock(time.time() + PROBE_VALID_S)
    return run


def busyover(stage: ClientStage, who: Manners):
    first, second = [begun_and_noticed(stage, who) for _ in range(2)]
    refused = stage.done(who.app, "busyover", "1")
    used = {stage.console.run(run)["address"] for run in (first, second)}
    if used != {client.address for client in stage.of(who.app)}:
        yield f"expected both executors, got {used}"
    if refused["trigger_code"] == 200:
        yield f"both were busy, but it ran: {refused}"
    yield from missing(who.busy.format(job=refused["job"]), said(refused))
    for run in (first, second):
        yield from differences(stage.console.wait_run(run), 200, 200, who.wrapped("slept 3500"))


def failover(stage: ClientStage, who: Manners):
    """Checks that `/beat` has a body that the strictest parser accepts."""
    run = stage.done(who.app, "failover", "beaten")
    yield from differences(run, 200, 200, who.wrapped("beaten"))


def whole_log(stage: ClientStage, who: Manners):
    """Reads the log by both APIs, once the run has ended: one part, and its end, which is known some seconds after the result."""
    run = stage.done(who.app, "logging", "0", [stage.of(who.app)[0].address])["id"]
    wait_until(lambda: stage.console.log(run)["end"] and stage.console.xxl_log(run)["end"], LOG_DEADLINE_S,
               f"the end of the log of run {run} in both APIs")
    ours, theirs = stage.console.log(run), stage.console.xxl_log(run)
    for text, end in ((ours["content"], ours["end"]), (theirs["logContent"], theirs["end"])):
        for line in (*LINES, who.last_line.format(log=run)):
            if text.count(line) != 1:
                yield f"expected {line!r} once, got {text!r}"
        if not end:
            yield f"the run is over, but its log has no end: {ours} {theirs}"


def followed_log(stage: ClientStage, who: Manners):
    """Reads the log while it is written, by `wait_s` and by XXL's pages: each line once, no end before the run has ended."""
    for pull in (pull_ours, pull_theirs):
        run = stage.begin(who.app, "logging", "300", [stage.of(who.app)[0].address])
        stage.console.wait_run(run, "running")
        text, ends_early = read_on(stage, run, pull)
        yield from ends_early
        for line in (*LINES, who.last_line.format(log=run)):
            if text.count(line) != 1:
                yield f"{pull.__name__}: expected {line!r} once, got {text!r}"


def pull_ours(stage: ClientStage, run: int, line: int) -> tuple[int, str, bool]:
    part = stage.console.log(run, line, 2)
    return part["to_line"], part["content"], part["end"]


def pull_theirs(stage: ClientStage, run: int, line: int) -> tuple[int, str, bool]:
    part = stage.console.xxl_log(run, line)
    return part["toLineNum"], part["logContent"], part["end"]


def read_on(stage: ClientStage, run: int, pull) -> tuple[str, list[str]]:
    """Reads as pages do: from the line after the last one, until the end."""
    text, line, early = "", 1, []

    def reached_end() -> bool:
        nonlocal text, line
        to_line, content, end = pull(stage, run, line)
        if to_line >= line:
            text, line = text + content, to_line + 1
        if end and stage.console.run(run)["status"] == "running":
            early.append(f"{pull.__name__}: the end at line {line} while the run goes on")
        return end

    wait_until(reached_end, LOG_DEADLINE_S, f"the end of the log of run {run}", lambda: text)
    return text, early


def taken(stage: ClientStage, who: Manners, params: str) -> int:
    """Starts runs until one is accepted: Node holds on to an ended run until its callback is answered."""
    def begin() -> int | None:
        run = stage.console.wait_run(stage.begin(who.app, "slow", params), "running", "succeeded", "failed")
        return run["id"] if run["trigger_code"] == 200 else None
    return wait_until(begin, TAKEN_DEADLINE_S, "an executor that takes the next run")


def killed(stage: ClientStage, who: Manners):
    """Reads several times, by both APIs: the client's report races our answer."""
    for end in (stage.console.kill, stage.console.xxl_kill) * 3:
        run = taken(stage, who, "20000")
        end(run)
        yield from differences(stage.console.wait_run(run), 200, 500, who.kill)
    try:
        stage.console.kill(run)
        yield f"run {run} was ended twice"
    except Refused as refused:
        yield from missing("has ended", refused.said)
    yield from differences(stage.console.wait_run(taken(stage, who, "1")), 200, 200)


def wrong_token_not_registered(stage: ClientStage, client):
    wait_until(lambda: "The access token is wrong." in client.output(), LOG_DEADLINE_S, "the refusal in its output",
               client.output)
    if client.address in stage.store.registered(client.app):
        yield f"{client.address} is registered with a wrong token"


EVERYBODY = {
    "a run succeeds with its parameter": succeeds,
    "a run fails with the text": fails,
    "an object as the result is kept as JSON": returns_an_object,
    "a handler that returns nothing succeeds": returns_nothing,
    "an unknown handler is refused in its words": unknown_handler,
    "a broadcast over two of them": broadcast,
    "BUSYOVER understands its busy text": busyover,
    "FAILOVER: it takes the body of /beat": failover,
    "its log by both APIs once the run is over": whole_log,
    "its log is followed line by line to the end": followed_log,
}
