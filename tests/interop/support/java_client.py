"""A Java process that calls executors as the admin of a release does (ringmaster.interop.ClientMain)."""

import json
import subprocess
import threading
from pathlib import Path

from support import maven
from support.executor import JAVA
from support.process import DIES_WITH_US, environment

ANSWER_DEADLINE_S = 30  # the client itself gives up after 3 s


class JavaClient:
    def __init__(self, release: str, output: Path):
        self.output = output
        command = [*DIES_WITH_US, *JAVA, "-cp", f"{maven.jars(release)}/*", "ringmaster.interop.ClientMain"]
        with output.open("ab") as log:
            self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                          encoding="utf-8", env=environment())

    def connect(self, address: str, token: str) -> None:
        """Sends further requests to that executor."""
        self.ask("connect", address=address, token=token)

    def ask(self, operation: str, **fields):
        """Returns code, msg and payload, for `log` the chunk, or the thrown error; None if the release read nothing."""
        self.child.stdin.write("\t".join([operation, *(f"{name}={value}" for name, value in fields.items())]) + "\n")
        self.child.stdin.flush()
        watchdog = threading.Timer(ANSWER_DEADLINE_S, self.child.kill)
        watchdog.start()
        line = self.child.stdout.readline()
        watchdog.cancel()
        if not line:
            raise RuntimeError(f"the client ended: {self.output.read_text(errors='replace').splitlines()[-6:]}")
        return json.loads(line)

    def close(self) -> None:
        self.child.kill()
        self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()
