"""All foreign clients on one server: through a restart, one check after the other, then their ends."""

import time
from pathlib import Path

from support import client_checks, node_checks, pyxxl_checks
from support.client_stage import DEAD_AFTER_S, GONE, ClientStage
from support.packages import Packages
from support.report import Report
from support.store import Store
from support.waiting import wait_until

NODE_BEAT_S = 30
AWAY_DEADLINE_S = 10
NEW_TOKEN = "another-token-of-the-node-group"


class ClientRun:
    def __init__(self, stage: ClientStage, report: Report):
        self.stage, self.report = stage, report

    def run(self) -> None:
        self.stage.start()
        self.restart()
        for checks in (pyxxl_checks, node_checks):
            for scenario, body in client_checks.EVERYBODY.items():
                self.check(checks, scenario, lambda body=body, checks=checks: body(self.stage, checks.WHO))
            for scenario, body in checks.CHECKS.items():
                self.check(checks, scenario, lambda body=body: body(self.stage))
        self.ends()

    def check(self, checks, scenario: str, body) -> None:
        self.report.check(f"{checks.WHO.name}: {scenario}", body)

    def restart(self) -> None:
        """Restarts during a run in Python, and between two heartbeats of Node, whose process ends when a heartbeat fails."""
        stage = self.stage
        since_beat = (time.monotonic() - stage.node_began) % NODE_BEAT_S
        if since_beat > NODE_BEAT_S / 2:
            time.sleep(NODE_BEAT_S - since_beat + 2)
        run = stage.begun(pyxxl_checks.APP, "slow", "3000")
        stage.set_token(node_checks.APP, NEW_TOKEN)
        code = stage.server.stop()
        wait_until(lambda: "Connection error 1 times" in stage.pyxxl[0].output() + stage.pyxxl[1].output(), AWAY_DEADLINE_S,
                   "a callback that fails to connect", lambda: stage.pyxxl[0].process.tail(3))
        stage.start_server()
        shown = stage.done(node_checks.APP, "last", "former")
        self.check(node_checks, "after a restart its group's former token is shown",
                   lambda: node_checks.former_token(stage, shown))
        self.check(pyxxl_checks, "an undelivered result is sent again", lambda: pyxxl_checks.callback_retried(stage, run))
        if code != 0:
            self.report.fail("the server stops cleanly", [f"exit code {code}", *stage.server.tail()])

    def ends(self) -> None:
        stage = self.stage
        self.check(pyxxl_checks, "SIGTERM withdraws it", lambda: pyxxl_checks.withdrawn(stage))
        self.check(node_checks, "its cancel() withdraws it", lambda: node_checks.withdrawn(stage))
        self.report.check("who vanished is gone when no beat comes, who beats stays", self.beats)
        if (code := stage.server.stop()) != 0:
            self.report.fail("the server stops cleanly", [f"exit code {code}", *stage.server.tail()])

    def beats(self):
        stage = self.stage
        stage.wait_registered(GONE, [], 2 * DEAD_AFTER_S)
        for checks, client in ((pyxxl_checks, stage.pyxxl[0]), (node_checks, stage.node[0])):
            if stage.store.registered(checks.APP) != [client.address]:
                yield f"{client.address} beats, but registered are {stage.store.registered(checks.APP)}: {client.process.tail(3)}"


def run(binary: Path, folder: Path, store: Store, packages: Packages, report: Report) -> None:
    stage = ClientStage(binary, folder, store, packages, pyxxl_checks.APP, node_checks.APP)
    begin = time.monotonic()
    try:
        ClientRun(stage, report).run()
    except Exception as error:
        report.fail("clients: run", [f"{type(error).__name__}: {error}", *stage.server.tail(6)])
    finally:
        stage.close()
    report.note(f"clients took {time.monotonic() - begin:.0f} s")
