"""Node's `xxl-job`: its quirks."""

import json

from support import client_checks
from support.client_stage import ClientStage, Manners, differences, missing, said
from support.console import Refused
from support.packages import XXL_JOB

APP = "interop-node"
BUSY = "There is already have a same job is running."
WHO = Manners(f"xxl-job {XXL_JOB}", APP, wrapped=lambda text: json.dumps(text, ensure_ascii=False), nothing="Success",
              unknown="No matched jobHandler: missing", late="Job Task: {job} is Timeout.", busy="busy",
              kill="Manual operation, kill job:", last_line="is finished: {log}")
PARAM_BYTES = 65535


def addresses(stage: ClientStage):
    first, second = (client.address for client in stage.node)
    if "://" in first or not first.endswith("/job") or not second.endswith("/deep/xxl"):
        yield f"not the forms that this is about: {first} {second}"
    yield from client_checks.addresses(stage, WHO)


def wrong_token(stage: ClientStage):
    yield from client_checks.wrong_token_not_registered(stage, stage.strange_node)


def our_token_refused(stage: ClientStage):
    client = stage.strange_node
    run = stage.done(client.app, "echo", "stranger", [client.address])
    yield from differences(run, 500, 0, "Access token incorrect.")
    if client.journal():
        yield f"it ran: {client.journal()}"


def busy(key: str):
    def problems(stage: ClientStage):
        first = stage.begun(APP, key, "2000")
        yield from differences(stage.done(APP, key, "1"), 500, 0, BUSY)
        yield from differences(stage.console.wait_run(first), 200, 200, '"slept 2000"')
    return problems


def timeout(stage: ClientStage):
    yield from client_checks.timeout(stage, WHO)


def killed(stage: ClientStage):
    yield from client_checks.killed(stage, WHO)


def first_line(stage: ClientStage):
    """Checks that it counts lines from 0: line 1 on is everything but the first."""
    run = stage.done(APP, "logging", "0", [stage.node[0].address])["id"]
    text = stage.console.log(run)["content"]
    if f"is running: {run}" in text:
        yield f"not so any more: {text!r}"
    yield from missing("line 1 of this run", text)


def no_log(stage: ClientStage):
    """Checks that `/log` fails without log files; both APIs say why."""
    run = stage.done(APP, "echo", "silent", [stage.node[1].address])["id"]
    for read in (stage.console.log, stage.console.xxl_log):
        try:
            yield f"expected a refusal, got {read(run)}"
        except Refused as refused:
            yield from missing("No local logger found.", refused.said)


def long_parameter(stage: ClientStage):
    """Checks that Express refuses bodies of more than 100 KiB: HTTP 413 with a page, not JSON."""
    run = stage.done(APP, "echo", '"' * PARAM_BYTES)
    yield from differences(run, 500, 0)
    yield from missing("413", said(run))
    yield from differences(stage.done(APP, "echo", "short"), 200, 200, '"short"')


def former_token(stage: ClientStage, run: dict):
    """Checks that a server that does not know it yet sends its group's new token, then the former one."""
    yield from differences(run, 200, 200, '"former"')


def withdrawn(stage: ClientStage):
    client = stage.node[1]
    client.process.terminate()
    stage.wait_registered(APP, stage.node[:1])


CHECKS = {
    "registers ip:port/job without a scheme, and a URL with a path": addresses,
    "with a wrong token it is not registered": wrong_token,
    "it refuses our token in its words when its own is another": our_token_refused,
    "SERIAL_EXECUTION is refused while it is busy": busy("slow"),
    "DISCARD_LATER is refused while it is busy": busy("discard"),
    "COVER_EARLY is refused while it is busy": busy("cover"),
    "a time limit is 500 with its words": timeout,
    "a killed run has failed although it reports a success": killed,
    "the first line of its log is not shown, every other one is": first_line,
    "without log files the reason is shown": no_log,
    "a parameter that Express refuses fails the run": long_parameter,
}
