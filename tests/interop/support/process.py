"""Child processes of the tests, and free ports."""

import os
import signal
import socket
import subprocess
from pathlib import Path

STOP_DEADLINE_S = 20


def free_ports(count: int) -> list[int]:
    """Distinct free ports of five digits, ascending, so that the text order of addresses is their numeric order."""
    sockets = []
    while len(sockets) < count:
        candidate = socket.socket()
        candidate.bind(("127.0.0.1", 0))
        sockets.append(candidate)
    ports = sorted(s.getsockname()[1] for s in sockets)
    for s in sockets:
        s.close()
    return ports if ports[0] >= 10000 else free_ports(count)


def environment() -> dict[str, str]:
    """The tests' own, without settings of an installed Ringmaster, and in UTC."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RINGMASTER_")}
    return kept | {"TZ": "UTC"}


class Process:
    """A started program whose output goes to a file."""

    def __init__(self, command: list[str], output: Path):
        self.output = output
        with output.open("ab") as log:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment())

    def alive(self) -> bool:
        return self.child.poll() is None

    def terminate(self) -> int | None:
        """SIGTERM; the exit code, or None when it had to be killed after the deadline."""
        if self.alive():
            self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self) -> None:
        if self.alive():
            self.child.kill()
        self.child.wait()

    def tail(self, lines: int = 20) -> list[str]:
        return self.output.read_text(errors="replace").splitlines()[-lines:]
