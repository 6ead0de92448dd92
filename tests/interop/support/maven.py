"""Builds the Java executors: one folder of jars per release of xxl-job-core."""

import shutil
import subprocess
from pathlib import Path

from support.report import Skip

RELEASES = ("2.2.0", "2.4.1", "3.3.2")
PROJECT = Path(__file__).resolve().parent.parent / "java"
BUILD_DEADLINE_S = 600
UNREACHABLE = ("Could not transfer", "Could not resolve", "Unknown host", "Connection refused", "Connect timed out",
               "Connection timed out", "could not be resolved", "Cannot access")


class BuildFailed(Exception):
    pass


def jars(release: str) -> Path:
    return PROJECT / f"xxl-{release}" / "target" / "lib"


def ensure_built() -> None:
    """Builds when a source is newer than the jars. Raises Skip when tools or the registry are missing."""
    for tool in ("java", "mvn"):
        if not shutil.which(tool):
            raise Skip(f"`{tool}` is not installed")
    if is_current() or maven("-o").returncode == 0:
        return
    online = maven()
    if online.returncode == 0:
        return
    output = online.stdout.strip()
    errors = [line for line in output.splitlines() if "ERROR" in line] or [output[-300:]]
    if any(text in output for text in UNREACHABLE):
        raise Skip(f"xxl-job-core cannot be fetched from the package registry: {errors[0]}")
    raise BuildFailed("\n".join(errors[:10]))


def is_current() -> bool:
    sources = [path for path in PROJECT.rglob("*") if path.suffix in (".java", ".xml") and "target" not in path.parts]
    newest = max(path.stat().st_mtime for path in sources)
    built = [jars(release) / f"interop-executor-{release}-1.jar" for release in RELEASES]
    return all(jar.exists() and jar.stat().st_mtime >= newest for jar in built)


def maven(*flags: str) -> subprocess.CompletedProcess:
    for release in RELEASES:  # jars of another version would stay on the class path
        shutil.rmtree(PROJECT / f"xxl-{release}" / "target", ignore_errors=True)
    command = ["mvn", "-q", "-B", *flags, "-f", str(PROJECT / "pom.xml"), "package"]
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=BUILD_DEADLINE_S)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, f"ERROR: Could not transfer: no end after {BUILD_DEADLINE_S} s")
