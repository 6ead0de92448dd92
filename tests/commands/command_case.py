"""Base of all command line tests: a folder, commands that end, servers that are stopped."""

import contextlib
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

# Generous for sanitizers and a busy machine. Tests never wait this long when they succeed.
DEADLINE_S = 60
POLL_S = 0.05

JOBS = """[[group]]
app_name = "pay-worker"

[[job]]
group = "pay-worker"
key = "settle"
handler = "settle"
schedule = { cron = "0 0 1 * * ?" }
misfire = "do_nothing"
"""


def job(key: str, extra: str = "", group: str = "pay-worker") -> str:
    return f'\n[[job]]\ngroup = "{group}"\nkey = "{key}"\nhandler = "h"\n{extra}\n'


class Result:
    def __init__(self, code: int, out: str, err: str):
        self.code, self.out, self.err = code, out, err

    @property
    def errors(self) -> list[str]:
        return self.err.splitlines()

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"


def status_of(url: str) -> int:
    """Returns 0 without an answer."""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE_S) as reply:
            return reply.status
    except urllib.error.HTTPError as refused:
        return refused.code
    except OSError:
        return 0


def wait_until(condition, what: str, child: subprocess.Popen, said=lambda: ""):
    """Returns the result of the condition once it holds; the child must keep running until then."""
    end = time.monotonic() + DEADLINE_S
    while not (value := condition()):
        if child.poll() is not None:
            raise AssertionError(f"the server ended with code {child.returncode}:\n{said()}")
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE_S} s: {what}\n{said()}")
        time.sleep(POLL_S)
    return value


class Server:
    """`ringmaster serve` until `stop`; its log goes to a file."""

    def __init__(self, command: list[str], log: Path, environment: dict[str, str],
                 files: tuple[int, int] | None = None):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_NOFILE, files)

        self.log = log
        with log.open("ab") as sink:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment,
                                          preexec_fn=limit_files if files else None)

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, condition, what: str):
        return wait_until(condition, what, self.child, self.text)

    def wait_for_line(self, pattern: str) -> re.Match:
        return self.wait_for(lambda: re.search(pattern, self.text()), f"a log line like {pattern}")

    def address(self) -> str:
        return self.wait_for_line(r'serving on (http://[^\s"]+)')[1]

    def answers(self, path: str) -> int:
        return status_of(self.address() + path)

    def wait_until_ready(self) -> None:
        self.wait_for(lambda: self.answers("/readyz") == 200, "/readyz answers 200")

    def signal(self, number: int) -> None:
        self.child.send_signal(number)

    def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return self.child.wait(DEADLINE_S)


class Case(unittest.TestCase):
    binary = ""
    # Tests begin in the state after `ringmaster migrate`: apply alone creates no database.
    apply_finds_database = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringmaster-commands-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.folder / "data"
        self.servers = 0

    def environment(self, more: dict[str, str] | None = None) -> dict[str, str]:
        """Returns the environment without the settings of an installed Ringmaster."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RINGMASTER_")}
        return kept | {"TZ": "UTC", "RINGMASTER_DATA_DIR": str(self.data)} | (more or {})

    def write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def make_database(self, variables: dict[str, str] | None = None) -> None:
        """Creates a database like `ringmaster migrate`: apply does not."""
        if not (self.data / "ringmaster.db").exists() or variables:
            subprocess.run([self.binary, "migrate"], check=True, capture_output=True, env=self.environment(variables),
                           timeout=DEADLINE_S)

    def backup(self, to: Path) -> None:
        with (contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as source,
              contextlib.closing(sqlite3.connect(to)) as target):
            source.backup(target)

    def restore(self, copy: Path) -> None:
        """Puts a backup in the place of the database of a server that has stopped."""
        for path in self.data.glob("ringmaster.db-*"):
            if not path.name.endswith("-lock"):
                path.unlink()
        shutil.copyfile(copy, self.data / "ringmaster.db")

    def assert_nothing_applied(self) -> None:
        """If there is a database, it is in the state after `migrate`."""
        if self.data.exists():
            self.assertEqual(self.jobs(), [])
            self.assertEqual(self.rows("SELECT app_name FROM xxl_job_group WHERE app_name <> 'xxl-job-executor-sample'"), [])
            self.assertEqual(self.rows("SELECT * FROM rm_audit"), [])

    def run_it(self, *arguments: str, variables: dict[str, str] | None = None, limit_s: int = DEADLINE_S) -> Result:
        elsewhere = {"--dry-run", "--server", "--config"}
        if self.apply_finds_database and arguments[:1] == ("apply",) and not elsewhere & set(arguments):
            self.make_database()
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=limit_s,
                              stdin=subprocess.DEVNULL, env=self.environment(variables), check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def succeed(self, *arguments: str, **more) -> Result:
        result = self.run_it(*arguments, **more)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result

    def refuse(self, code: int, line: str, *arguments: str, **more) -> Result:
        """Expects exactly this exit code and one line on stderr."""
        result = self.run_it(*arguments, **more)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.errors, [f"ringmaster: {line}".replace("{}", str(self.folder))], result)
        return result

    def start(self, *arguments: str, data: Path | None = None, listen: str = "127.0.0.1:0",
              files: tuple[int, int] | None = None) -> Server:
        self.servers += 1
        environment = self.environment({"RINGMASTER_DATA_DIR": str(data or self.data), "RINGMASTER_SERVER_LISTEN": listen})
        server = Server([self.binary, "serve", *arguments], self.folder / f"serve-{self.servers}.log", environment, files)
        self.addCleanup(server.child.wait)
        self.addCleanup(lambda: server.child.poll() is None and server.child.kill())
        return server

    def rows(self, sql: str, data: Path | None = None) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(f"file:{data or self.data}/ringmaster.db?mode=ro", uri=True, timeout=10)) as db:
            return db.execute(sql).fetchall()

    def jobs(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT job_desc FROM xxl_job_info ORDER BY job_desc")]
