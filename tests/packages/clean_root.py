"""A clean Debian in a folder: created once by debootstrap from the machine's own mirror; each test gets a copy."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

DEADLINE_S = 600
RELEASE = "bookworm"


class Unusable(Exception):
    """This machine cannot create a clean root; the text gives the reason."""


def call(*words, **more) -> str:
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=DEADLINE_S, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {' '.join(str(word) for word in words)}\n{done.stdout[-6000:]}")
    return done.stdout


def mirror() -> str:
    """Returns the machine's own mirror of the release."""
    said = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages")
    for line in said.splitlines():
        uri, _, name = line.partition(" ")
        if name == RELEASE:
            return uri
    raise Unusable(f"no source of Debian {RELEASE} in /etc/apt")


class CleanRoot:
    def __init__(self):
        if os.geteuid() != 0:
            raise Unusable("a clean root needs the rights of root")
        if not shutil.which("debootstrap"):
            raise Unusable("debootstrap is not installed")
        self.folder = tempfile.TemporaryDirectory(prefix="ringmaster-root-")
        self.path = Path(self.folder.name)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringmaster"
        archive = cache / f"debian-{RELEASE}.tar"
        if not archive.exists():
            self.bootstrap(cache, archive)
        call("tar", "-C", self.path, "-xf", archive)
        self.path.chmod(0o755)  # both folders were created for their owner only
        self.adopt_network()
        # Services that are installed here are started manually.
        policy = self.path / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        policy.chmod(0o755)
        mount = ["mount", "-t", "proc", "proc", self.path / "proc"]
        self.mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0

    def bootstrap(self, cache: Path, archive: Path) -> None:
        cache.mkdir(parents=True, exist_ok=True)
        uri = mirror()
        with tempfile.TemporaryDirectory(prefix="ringmaster-root-") as made:
            try:
                call("debootstrap", "--variant=minbase", RELEASE, made, uri)
            except AssertionError as failed:
                raise Unusable(f"debootstrap failed; is there a network? {str(failed)[-300:]}") from failed
            part = archive.with_suffix(f".{os.getpid()}")
            call("tar", "-C", made, "--exclude=./var/cache/apt/archives/*.deb", "-cf", part, ".")
            part.rename(archive)

    def adopt_network(self) -> None:
        """Uses the package sources of the machine."""
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", self.path / "etc" / name)
        (self.path / "etc/apt/sources.list").write_text(f"deb {mirror()} {RELEASE} main\n", encoding="utf-8")
        for file in Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copyfile(file, self.path / "etc/apt/apt.conf.d" / file.name)

    def run(self, *words, **more) -> str:
        return call("chroot", self.path, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *words, **more)

    def install(self, *packages: Path) -> str:
        """Installs like an administrator: apt also installs the dependencies."""
        for package in packages:
            shutil.copyfile(package, self.path / "root" / package.name)
        return self.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold",
                        *[f"/root/{package.name}" for package in packages])

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", self.path / "proc"], check=False)
        self.folder.cleanup()


def datagram_socket(address: str) -> socket.socket:
    """Creates a socket in the abstract namespace, which a chroot shares."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind("\0" + address)
    made.settimeout(60)
    return made
