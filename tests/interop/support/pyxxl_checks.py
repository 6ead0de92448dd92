"""Python's `pyxxl`: its quirks."""

import json

from support import client_checks
from support.client_stage import ClientStage, Manners, differences, missing, said
from support.packages import PYXXL
from support.waiting import wait_until

APP = "interop-pyxxl"
WHO = Manners(f"pyxxl {PYXXL}", APP, wrapped=str, nothing="", unknown="handler missing not found.", late="TimeoutError",
              busy="job {job} is running.", kill="CancelledError", last_line="Job finished jobId=")
QUEUE_MAX = 30
CALLBACK_DEADLINE_S = 20


def addresses(stage: ClientStage):
    first, second = (client.address for client in stage.pyxxl)
    if first.endswith("/") or not second.endswith("/python/"):
        yield f"not the forms that this is about: {first} {second}"
    yield from client_checks.addresses(stage, WHO)


def wrong_token(stage: ClientStage):
    yield from client_checks.wrong_token_not_registered(stage, stage.strange_pyxxl)


def refused_twice(stage: ClientStage):
    """Checks that it accepts the run, because it ignores tokens; its result and the failure that it sends then are refused."""
    client = stage.strange_pyxxl
    run = stage.begin(client.app, "echo", "stranger", [client.address])
    stage.console.wait_run(run, "running")
    wait_until(lambda: stage.console.log(run)["content"].count("XXLClientError"), CALLBACK_DEADLINE_S, "the refusal in its log",
               lambda: stage.console.log(run))
    wait_until(lambda: "Finish task" in client.output(), CALLBACK_DEADLINE_S, "the end of its run", client.output)
    if stage.console.run(run)["status"] != "running":
        yield f"a result with a wrong token counted: {stage.console.run(run)}"
    if len(client.begun(run)) != 1:
        yield f"expected one start, got {client.begun(run)}"


def serial(stage: ClientStage):
    """Checks that the text of a success ("is in queue") is not an error; the second run begins when the first has ended."""
    first = stage.begun(APP, "slow", "2000")
    second = stage.begun(APP, "slow", "1")
    log = stage.console.log(second)
    if log["end"] or log["to_line"] != 0:
        yield f"the log of a run that waits: {log}"
    for run, message in ((first, "slept 2000"), (second, "slept 1")):
        yield from differences(stage.console.wait_run(run), 200, 200, message)
    began = [entry["ms"] for run in (first, second) for client in stage.pyxxl for entry in client.begun(run)]
    if len(began) != 2 or began[1] - began[0] < 2000:
        yield f"expected one after the other, got {began}"


def queue_limit(stage: ClientStage):
    """Checks that one runs, 30 wait, and the next one is refused."""
    # Long enough for all others to arrive on a busy machine.
    runs = [stage.begin(APP, "queue", "12000"), *[stage.begin(APP, "queue", "1") for _ in range(QUEUE_MAX + 1)]]
    rows = [stage.console.wait_run(run) for run in runs]
    refused = [row for row in rows if row["trigger_code"] != 200]
    if len(refused) != 1:
        yield f"expected one to be refused, got {refused}"
    for row in refused:
        yield from missing("queue length more than 30", said(row))
    for row in rows:
        if row not in refused:
            yield from differences(row, 200, 200)


def discard(stage: ClientStage):
    first = stage.begun(APP, "discard", "2000")
    second = stage.done(APP, "discard", "1")
    yield from differences(second, 500, 0)
    yield from missing("this has been discarded", said(second))
    yield from differences(stage.console.wait_run(first), 200, 200, "slept 2000")


def cover(stage: ClientStage):
    first = stage.begun(APP, "cover", "20000")
    yield from differences(stage.done(APP, "cover", "1"), 200, 200, "slept 1")
    yield from differences(stage.console.wait_run(first), 200, 500, "CancelledError")


def timeout(stage: ClientStage):
    yield from client_checks.timeout(stage, WHO)


def killed(stage: ClientStage):
    yield from client_checks.killed(stage, WHO)


def killed_queue(stage: ClientStage):
    """Checks that waiting runs are dropped without a callback: the run can still be ended manually."""
    first, second = stage.begun(APP, "slow", "20000"), stage.begun(APP, "slow", "1")
    stage.console.kill(first)
    yield from differences(stage.console.wait_run(first), 200, 500)
    yield from differences(stage.done(APP, "slow", "2"), 200, 200, "slept 2")
    if stage.console.run(second)["status"] != "running" or any(client.begun(second) for client in stage.pyxxl):
        yield f"expected a run of which nothing is heard, got {stage.console.run(second)}"
    stage.console.kill(second)
    yield from differences(stage.console.wait_run(second), 200, 500)


def both_forms(stage: ClientStage):
    """Checks items with `handleCode` and `executeResult`, dated at their start: one result, and a failure code from either."""
    run = stage.done(APP, "failing", json.dumps({"handleCode": 200}))
    yield from differences(run, 200, 500, 'failed on purpose: {"handleCode": 200}')


def callback_retried(stage: ClientStage, run: int):
    """Checks that an undelivered result is sent again after 5 s."""
    yield from differences(stage.console.wait_run(run), 200, 200, "slept 3000")


def withdrawn(stage: ClientStage):
    client = stage.pyxxl[1]
    client.process.terminate()
    stage.wait_registered(APP, stage.pyxxl[:1])


CHECKS = {
    "registers http://ip:port without a slash, and with a path": addresses,
    "with a wrong token it is not registered": wrong_token,
    "it looks at no token; its result with a wrong one is refused twice": refused_twice,
    "a callback in both forms is one result": both_forms,
    "SERIAL_EXECUTION waits, and its words are no error": serial,
    "of a queue of 30 the next run is refused": queue_limit,
    "DISCARD_LATER is refused in its words": discard,
    "COVER_EARLY ends the first with CancelledError": cover,
    "a time limit is 500 TimeoutError": timeout,
    "a killed run has failed with CancelledError": killed,
    "its /kill drops without a word what waits": killed_queue,
}
