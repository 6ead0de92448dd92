"""Child processes of the tests, and free ports."""

import os
import random
import signal
import socket
import subprocess
from pathlib import Path

STOP_DEADLINE_S = 20
DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL"]  # a killed test leaves no child behind


def free_ports(count: int) -> list[int]:
    """Free ports, ascending, of five digits, so that the text order of addresses is their numeric order.

    They lie below the range from which the system serves outgoing connections: a restarted server finds its port free.
    """
    outgoing = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    candidates = iter(random.sample(range(10000, max(outgoing, 12000)), 1000))
    found: list[int] = []
    while len(found) < count:
        port = next(candidates)
        if is_free(port):
            found.append(port)
    return sorted(found)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def environment() -> dict[str, str]:
    """Returns the environment of the tests, without settings of an installed Ringmaster, and in UTC."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RINGMASTER_")}
    return kept | {"TZ": "UTC"}


class Process:
    """A started program whose output goes to a file."""

    def __init__(self, command: list[str], output: Path, variables: dict[str, str] | None = None):
        """`variables`: additional ones of its environment."""
        self.output = output
        with output.open("ab") as log:
            self.child = subprocess.Popen([*DIES_WITH_US, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env=environment() | (variables or {}))

    def alive(self) -> bool:
        return self.child.poll() is None

    def terminate(self) -> int | None:
        """Sends SIGTERM; returns the exit code, or None when it had to be killed after the deadline."""
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
