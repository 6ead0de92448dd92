#!/usr/bin/env python3
"""Coroutine handlers in a real executor process.

coroutines_test.py VECTOR_EXECUTOR [TEST...]
"""

import http.client
import json
import os
import pathlib
import sys
import time
import unittest
import unittest.mock

from executor_case import Admin, Case, Executor, NOW_MS, OK, TOKEN, wait_until

KILLED = "scheduling center kill job. [job running, killed]"
MANY = 5000


class CoroutinesTest(Case):
    def setUp(self):
        super().setUp()
        self.admin = Admin(self)

    def status(self, executor: Executor, key: str) -> int:
        """Returns `Threads`, or a size in KiB."""
        text = pathlib.Path(f"/proc/{executor.child.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(key + ":"))

    def test_results_and_logs(self):
        executor = self.start(self.admin)
        self.assertEqual(executor.run(1, "nap"), OK)
        self.assertEqual(self.admin.outcome(1), (200, "slept"))
        executor.run(2, "nap_boom")
        self.assertEqual(self.admin.outcome(2), (500, "the roof fell in"))
        log = executor.log(2)["logContent"]
        self.assertIn("xxl-job job execute start", log)
        self.assertIn("JobThread Exception:the roof fell in", log)

    def test_kill_and_timeout(self):
        executor = self.start(self.admin)
        executor.run(1, "nap", executorParams="s=600")
        executor.wait_for_start(1)
        executor.run(2, "nap", executorParams="s=600")
        executor.post("/kill", {"jobId": 1})
        self.assertEqual(self.admin.outcome(1), (500, KILLED))
        self.assertEqual(self.admin.outcome(2)[0], 500)
        wait_until(lambda: "woken: scheduling center kill job." in executor.log(1)["logContent"], "the stop wakes it")
        executor.run(3, "nap", executorParams="s=600", executorTimeout=1)
        self.assertEqual(self.admin.outcome(3), (502, "job execute timeout "))
        wait_until(lambda: "woken:" in executor.log(3)["logContent"], "the timeout wakes it")

    def test_one_after_the_other(self):
        executor = self.start(self.admin)
        for run in (1, 2):
            executor.run(run, "nap", executorParams="s=1")
        self.assertFalse(executor.idle())
        self.admin.outcome(2)
        self.assertEqual([one["logId"] for one in self.admin.reports()], [1, 2])

    def test_hooks(self):
        executor = self.start(self.admin, idle_limit_ms="1")
        for run in (1, 2):
            executor.run(run, "hooked_nap", jobId=run)
        for run in (1, 2):
            self.admin.outcome(run)
        executor.stop()
        said = executor.child.stdout.read().split("\n")
        self.assertEqual((said.count("hook init"), said.count("hook destroy")), (2, 2))

    def test_thousands_wait(self):
        executor = self.start(self.admin, drain_ms="100")
        before = self.status(executor, "VmRSS")
        connection = http.client.HTTPConnection("127.0.0.1", executor.port, timeout=60)
        for run in range(1, MANY + 1):
            body = {"jobId": run, "executorHandler": "nap", "executorParams": "s=600", "logId": run, "logDateTime": NOW_MS,
                    "glueType": "BEAN"}
            connection.request("POST", "/run", json.dumps(body), {"XXL-JOB-ACCESS-TOKEN": TOKEN})
            self.assertEqual(json.loads(connection.getresponse().read()), OK)
        connection.close()
        executor.wait_for_start(MANY)
        threads, grown = self.status(executor, "Threads"), self.status(executor, "VmRSS") - before
        files = len(list(pathlib.Path(f"/proc/{executor.child.pid}/fd").iterdir()))
        print(f"{MANY} runs wait: {threads} threads, {files} files, {grown / MANY:.1f} KiB each")
        self.assertLess(threads, 60)
        self.assertLess(files, 200)
        self.assertLess(grown / MANY, 64)  # a few KiB; sanitizers need more, and so would threads
        begin = time.monotonic()
        self.assertEqual(executor.stop(), 0)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(sorted({one["logId"] for one in self.admin.reports()}), list(range(1, MANY + 1)))

    def test_one_that_nobody_resumes_does_not_hold_up_the_end(self):
        # It stays in memory until the process ends, as documented; the test must not report it as a leak.
        kept = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        with unittest.mock.patch.dict(os.environ, kept):
            executor = self.start(self.admin, drain_ms="100")
        executor.run(1, "nap_deaf")
        executor.wait_for_start(1)
        executor.post("/kill", {"jobId": 1})
        self.assertEqual(self.admin.outcome(1), (500, KILLED))
        wait_until(lambda: "not yet" in executor.log(1)["logContent"], "it goes on")
        executor.run(2, "nap")
        self.assertEqual(self.admin.outcome(2), (200, "slept"))
        begin = time.monotonic()
        self.assertEqual(executor.stop(), 0)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(sorted(one["logId"] for one in self.admin.reports()), [1, 2])


if __name__ == "__main__":
    Executor.program = sys.argv[1]
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    sys.exit(1 if failed else 0)
