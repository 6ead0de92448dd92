#!/usr/bin/env python3
"""The examples, built outside of this project against the installed package, and executed.

examples_test.py CMAKE BUILD_FOLDER CXX CXX_FLAGS [TEST...]
"""

import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from executor_case import Admin, NOW_MS, wait_until

CMAKE = BUILD = CXX = FLAGS = ""
TOKEN = "examples-token"

# Every object of the package, needed or not: a linker's choice depends on flags and compiler.
WHOLE_PACKAGE = """
cmake_minimum_required(VERSION 3.25)
project(whole_package LANGUAGES CXX)
find_package(ringmaster REQUIRED)
file(GLOB_RECURSE archives "${CMAKE_PREFIX_PATH}/*.a")
add_executable(whole main.cpp)
target_link_libraries(whole PRIVATE ringmaster::executor)
target_link_options(whole PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
list(LENGTH archives count)
message(STATUS "archives: ${count}")
"""


DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/executor.md"
ELASTIC_DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/elastic_jobs.md"


def without_heading(text: str) -> str:
    """Returns a file without its first comment."""
    lines = text.splitlines(keepends=True)
    while lines[0].startswith(("# ", "// ")) or not lines[0].strip():
        lines.pop(0)
    return "".join(lines)


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ringmaster-examples-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cls.prefix = cls.path / "prefix"
        cls.call(CMAKE, "--install", BUILD, "--component", "sdk", "--prefix", str(cls.prefix))
        cls.built = cls.path / "build"
        cls.build(next(cls.prefix.rglob("examples/executor")), cls.built)

    @classmethod
    def build(cls, source: pathlib.Path, to: pathlib.Path) -> str:
        """Returns CMake's output. Sets no language standard: the package requires the one of its headers."""
        said = cls.call(CMAKE, "-G", "Ninja", "-S", str(source), "-B", str(to), f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                        f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_CXX_FLAGS={FLAGS}")
        cls.call(CMAKE, "--build", str(to))
        return said

    @classmethod
    def call(cls, *words: str) -> str:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(" ".join(words) + "\n" + done.stdout[-8000:])
        return done.stdout

    def setUp(self):
        self.admin = Admin(self)
        home = tempfile.TemporaryDirectory(prefix="ringmaster-example-")
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)

    def start(self, example: str) -> None:
        self.begin([self.built / example, self.admin.url, "examples", TOKEN], {})

    def begin(self, words: list, variables: dict[str, str]) -> None:
        child = self.child = subprocess.Popen(words, cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                              env=os.environ | variables)
        self.addCleanup(lambda: child.returncode is None and child.communicate())
        self.addCleanup(child.terminate)
        wait_until(lambda: self.admin.of("registry") or child.poll() is not None, "a registration")
        self.address = self.admin.of("registry")[0][3]["registryValue"]

    def ask(self, operation: str, body: dict) -> dict:
        return self.admin.call(self.address + operation, body, TOKEN)

    def run_job(self, run: int, handler: str, param: str, **fields) -> None:
        body = {"jobId": 1, "executorHandler": handler, "executorParams": param, "logId": run, "logDateTime": NOW_MS,
                "glueType": "BEAN"} | fields
        self.assertEqual(self.ask("run", body), {"code": 200})

    def log(self, run: int) -> str:
        return self.ask("log", {"logId": run, "logDateTim": NOW_MS, "fromLineNum": 1})["content"]["logContent"]

    def test_the_package_needs_nothing_that_it_does_not_name(self):
        source = self.path / "whole"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(WHOLE_PACKAGE, encoding="ascii")
        (source / "main.cpp").write_text("int main() {}\n", encoding="ascii")
        said = self.build(source, self.path / "whole-build")
        self.assertNotIn("archives: 0", said)
        archives = {path.name for path in self.prefix.rglob("*.a")}
        self.assertIn("libexecutor.a", archives)
        self.assertNotIn("libconfig.a", archives, "loading of settings, which needs toml++, is the admin's affair")
        targets = next(self.prefix.rglob("ringmaster_targets.cmake")).read_text(encoding="utf-8")
        self.assertNotIn(str(pathlib.Path(BUILD).resolve()), targets)

    def test_the_documented_program(self):
        source = next(self.prefix.rglob("examples/my_executor"))
        document = DOCUMENT.read_text(encoding="utf-8")
        for name, kind in (("CMakeLists.txt", "cmake"), ("main.cpp", "cpp"), ("jobs.toml", "toml")):
            self.assertIn(f"```{kind}\n{without_heading((source / name).read_text(encoding='utf-8'))}```", document, name)
        built = self.path / "documented"
        self.build(source, built)
        try:
            self.admin = Admin(self, 8080)  # its address
        except OSError:
            self.skipTest("port 8080 is in use")
        self.begin([built / "my_executor"], {"RINGMASTER_SECURITY_ACCESS_TOKEN": TOKEN})
        self.assertEqual(self.admin.of("registry")[0][3]["registryKey"], "my-executor")
        self.run_job(7, "hello", "Ada")
        self.assertEqual(self.admin.outcome(7), (200, None))
        self.assertRegex(self.log(7), r"\[main\.cpp#main\]-\[\d+\]-\[job-1\] hello, Ada, in run 7\n")
        self.child.terminate()
        _, said = self.child.communicate(timeout=60)
        self.assertEqual(self.child.returncode, 0, said)
        self.assertIn("stopped: 1 runs accepted", said)

    def test_the_documented_host_of_elastic_jobs(self):
        source = next(self.prefix.rglob("examples/my_elastic_host"))
        document = ELASTIC_DOCUMENT.read_text(encoding="utf-8")
        for name, kind in (("CMakeLists.txt", "cmake"), ("main.cpp", "cpp"), ("jobs.toml", "toml")):
            self.assertIn(f"```{kind}\n{without_heading((source / name).read_text(encoding='utf-8'))}```", document, name)
        built = self.path / "elastic-host"
        self.build(source, built)
        done = subprocess.run([built / "my_elastic_host"], cwd=self.home, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("executor-host.pem", done.stderr)

    def test_hello(self):
        self.start("hello")
        self.run_job(1, "hello", "Ada")
        self.assertEqual(self.admin.outcome(1), (200, None))
        self.assertIn("hello, Ada", self.log(1))

    def test_sharded_batch(self):
        path = self.home / "invoices.db"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, sent_by INTEGER)")
            database.executemany("INSERT INTO invoice (id) VALUES (?)", [(i,) for i in range(1, 1001)])
        self.start("sharded_batch")
        for index in (0, 1, 2):
            self.run_job(10 + index, "send-invoices", f"db={path} batch=100", jobId=index, broadcastIndex=index, broadcastTotal=3)
        self.assertEqual([self.admin.outcome(run) for run in (10, 11, 12)],
                         [(200, "333 invoices sent"), (200, "334 invoices sent"), (200, "333 invoices sent")])
        self.run_job(20, "send-invoices", f"db={self.home / 'none.db'}")
        self.assertEqual(self.admin.outcome(20)[0], 500)

    def test_long_job(self):
        self.start("long_job")
        self.run_job(1, "count-slowly", "steps=10000 step_ms=10")
        wait_until(lambda: "progress" in self.log(1), "some progress")
        begin = time.monotonic()
        self.ask("kill", {"jobId": 1})
        self.assertEqual(self.admin.outcome(1)[0], 500)
        wait_until(lambda: "stopping after" in self.log(1), "it stops")
        self.assertLess(time.monotonic() - begin, 5)
        self.run_job(2, "count-slowly", "steps=3 step_ms=1")
        self.assertEqual(self.admin.outcome(2), (200, "3 steps"))

    def test_waiting(self):
        self.start("waiting")
        inbox = self.home / "orders.csv"
        for run in range(1, 21):
            self.run_job(run, "wait-for-file", f"path={inbox} every_ms=10", jobId=run)
        self.run_job(30, "wait-for-file", f"path={self.home / 'never'} every_ms=10", jobId=30)
        wait_until(lambda: "execute start" in self.log(30), "it waits")
        draft = self.home / "draft"
        draft.write_text("a\nb\nc\n", encoding="ascii")
        draft.rename(inbox)
        self.assertEqual({self.admin.outcome(run) for run in range(1, 21)}, {(200, "3 lines")})
        self.ask("kill", {"jobId": 30})
        wait_until(lambda: "no longer waiting: scheduling center kill job." in self.log(30), "it stops")
        self.run_job(40, "wait-for-file", "")
        self.assertEqual(self.admin.outcome(40), (500, "the parameter needs path=… and optionally every_ms=…"))

    def test_calls(self):
        self.start("calls")
        (self.home / "some").mkdir()
        self.run_job(1, "disk-usage", str(self.home / "some"))
        self.assertEqual(self.admin.outcome(1), (200, None))
        self.assertIn("some", self.log(1))
        elsewhere = ("http://127.0.0.1:8001/reports/", "http://127.0.0.1:8000/secret/../reports/x", "file:///etc/passwd",
                     "http://127.0.0.1:8000/reports/%2e%2e/secret", "http://user@127.0.0.1:8000/reports/",
                     "HTTP://h:8000/reports/",
                     "http://127.0.0.1:8000@h/reports/", "http://127.0.0.1:8000/reports/../secret")
        for run, url in enumerate(elsewhere, 2):
            self.run_job(run, "http", f"url={url}", jobId=run)
            self.assertEqual(self.admin.outcome(run),
                             (500, f'"{url}" is not among the addresses that this executor may call'))
        try:
            reports = Admin(self, 8000)  # the address that the example may call
        except OSError:
            self.skipTest("port 8000 is in use")
        reports.answer = lambda path, body: (201, '"made"')
        param = r'url=http://127.0.0.1:8000/reports/a?b=1 data="{\"day\": 1}" content_type=application/json'
        self.run_job(90, "http", param, jobId=90)
        self.assertEqual(self.admin.outcome(90), (200, "HTTP 201"))
        self.assertEqual([(path, body) for _, path, _, body in reports.seen], [("/reports/a?b=1", {"day": 1})])
        self.assertIn('"made"', self.log(90))
        self.assertIn("[http]-[job-90] POST http://127.0.0.1:8000/reports/a?b=1\n", self.log(90))


if __name__ == "__main__":
    CMAKE, BUILD, CXX, FLAGS = sys.argv[1:5]
    program = unittest.main(argv=[sys.argv[0], *sys.argv[5:]], exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={max(0, result.testsRun - failed - len(result.skipped))} failed={failed} skipped={len(result.skipped)}")
    sys.exit(1 if failed else 0)
