#!/usr/bin/env python3
"""The runs of an executor that is killed with -9: a real process and stub admins.

taken_runs_test.py VECTOR_EXECUTOR [TEST...]
"""

import os
import random
import re
import subprocess
import sys
import threading
import time
import unittest

from executor_case import NOW_MS, Admin, Case, Executor, OK, refusal, wait_until

UNKNOWN_END = "the executor was ended while the run was open; whether it ran to its end is not known"
NEVER_BEGAN = "the executor was ended before the run began"


class KillTest(Case):
    def setUp(self):
        super().setUp()
        self.admin = Admin(self)

    def hang(self) -> threading.Event:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.admin.answer = lambda path, body: (gate.wait(60), OK)[1] if path.endswith("callback") else OK
        return gate

    def kill(self, executor: Executor) -> None:
        executor.child.kill()
        executor.child.wait()

    def log_text(self, run: int) -> str:
        return "".join(path.read_text() for path in self.folder.rglob(f"{run}.log"))

    def told(self, run: int) -> set[tuple[int, str | None]]:
        return {(one["handleCode"], one.get("handleMsg")) for one in self.admin.reports() if one["logId"] == run}

    def open_everything(self, executor: Executor) -> None:
        """1 hangs in its report, 2 has ended after it, 3 runs, 4 and 5 wait."""
        self.assertEqual(executor.run(1, "bad", jobId=1), OK)
        wait_until(lambda: self.admin.of("callback"), "the report hangs")
        self.assertEqual(executor.run(2, "nine", jobId=2), OK)
        wait_until(lambda: "job execute end" in self.log_text(2) and executor.idle(2), "run 2 is over")
        self.assertEqual(executor.run(3, "sleep", jobId=3, executorParams="60"), OK)
        executor.wait_for_start(3)
        for run in (4, 5):
            self.assertEqual(executor.run(run, "sleep", jobId=3), OK)

    def check_results(self) -> None:
        expected = {1: (500, "no stock"), 2: (999, "n"), 3: (500, UNKNOWN_END), 4: (500, NEVER_BEGAN), 5: (500, NEVER_BEGAN)}
        for run, outcome in expected.items():
            wait_until(lambda: self.told(run), f"the result of run {run}")
            self.assertEqual(self.told(run), {outcome})

    def test_each_open_run_has_a_result(self):
        gate = self.hang()
        executor = self.start(self.admin)
        self.open_everything(executor)
        self.kill(executor)
        gate.set()
        again = self.start(self.admin)
        for run in range(1, 6):
            self.assertEqual(again.run(run, jobId=min(run, 3)), refusal(f"repeat trigger job, logId:{run}"))
        self.check_results()
        wait_until(lambda: "callback finish" in again.log(4)["logContent"], "the log of one that never began")
        self.assertIn(NEVER_BEGAN, again.log(4)["logContent"])
        self.assertIn(UNKNOWN_END, again.log(3)["logContent"])
        self.kill(again)
        third = self.start(self.admin)
        for run in range(1, 6):
            self.assertEqual(third.run(run, jobId=min(run, 3)), refusal(f"repeat trigger job, logId:{run}"))
        self.assertEqual(third.run(6, jobId=1), OK)
        self.admin.report(6)
        self.assertEqual(third.stop(), 0)
        self.check_results()

    def test_a_second_kill_loses_nothing(self):
        gate = self.hang()
        executor = self.start(self.admin)
        self.open_everything(executor)
        for _ in range(3):
            self.kill(executor)
            calls = len(self.admin.of("callback"))
            executor = self.start(self.admin)
            wait_until(lambda: len(self.admin.of("callback")) > calls, "the next attempt")
        self.kill(executor)
        gate.set()
        self.start(self.admin)
        self.check_results()

    def test_a_kill_at_any_moment(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}", flush=True)
        chance = random.Random(seed)
        self.admin.answer = lambda path, body: (time.sleep(0.02), refusal("later") if len(self.admin.seen) % 3 == 0 else OK)[1] \
            if path.endswith("callback") else OK
        taken = []
        for life in range(6):
            executor = self.start(self.admin)
            runs = range(1000 * life + 1, 1000 * life + 1 + chance.randrange(20, 120))
            for run in runs:
                job = chance.randrange(9)
                self.assertEqual(executor.run(run, ("ok", "bad", "nine")[job % 3], jobId=job), OK)
                taken.append((run, job))
            for run, job in chance.sample(taken, 10):
                self.assertEqual(executor.run(run, "ok", jobId=job), refusal(f"repeat trigger job, logId:{run}"))
            self.kill(executor)
        self.admin.answer = lambda path, body: OK
        self.start(self.admin)
        for run, _ in taken:
            wait_until(lambda: self.told(run), f"the result of run {run}", 60)
        for run, _ in taken:
            self.assertEqual(len(self.told(run)), 1, (run, self.told(run)))
            starts = len(re.findall("job execute start", self.log_text(run)))
            self.assertLessEqual(starts, 1)
            if starts == 0:
                self.assertEqual(self.told(run) - {(500, NEVER_BEGAN), (500, UNKNOWN_END)}, set())

    def test_a_known_id_of_another_run_runs(self):
        """As after a restore: a second, a job or a date apart. Also after a kill, and each with its own log."""
        later, tomorrow = NOW_MS + 15_000, NOW_MS + 86_400_000
        others = ({"logDateTime": later}, {"jobId": 2}, {"logDateTime": later, "jobId": 2}, {"logDateTime": tomorrow})
        executor = self.start(self.admin)
        self.assertEqual(executor.run(1), OK)
        for at, other in enumerate(others):
            if at == 2:
                self.kill(executor)
                executor = self.start(self.admin)
            self.assertEqual(executor.run(1, **other), OK, other)
        wait_until(lambda: len(self.admin.reports()) >= 5, "five results")
        wait_until(lambda: self.log_count("callback finish") == 5, "five logs")
        for lives in range(2):
            for other in ({}, *others):
                self.assertEqual(executor.run(1, **other), refusal("repeat trigger job, logId:1"), other)
            if lives == 0:
                self.kill(executor)
                executor = self.start(self.admin)
        asked = executor.post("/log", {"logDateTim": later + 2000, "logId": 1, "fromLineNum": 1})["content"]
        self.assertIn("logFile not exists", asked["logContent"])
        for when in (later, tomorrow):
            asked = executor.post("/log", {"logDateTim": when, "logId": 1, "fromLineNum": 1})["content"]
            self.assertIn(f"]-[{when // 1000}] ", asked["logContent"].splitlines()[0])

    def log_count(self, text: str) -> int:
        return sum(text in path.read_text() for path in self.folder.rglob("1*.log"))

    @unittest.skipUnless(os.geteuid() == 0, "a file system of its own needs root")
    def test_a_disk_without_room_for_logs(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,nr_inodes=40", "none", self.folder], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.folder], check=True)
        executor = self.start(self.admin)
        ballast = []
        try:
            for number in range(100):
                ballast.append(self.folder / f"ballast-{number}")
                ballast[-1].write_text("")
        except OSError:
            pass
        self.assertEqual(executor.run(1), OK)
        code, message = self.admin.outcome(1)
        self.assertEqual(code, 500)
        self.assertRegex(message, "^the run did not begin, for its log cannot be made: .* No space left on device$")
        self.kill(executor)
        again = self.start(self.admin)
        self.assertEqual(again.run(1), refusal("repeat trigger job, logId:1"))
        for path in ballast:
            path.unlink(missing_ok=True)
        wait_until(lambda: list(self.folder.rglob("1.log")), "the log that was missing")
        self.assertEqual(again.run(2), OK)
        self.assertEqual(self.admin.outcome(2), (200, None))
        self.assertEqual(again.run(1), refusal("repeat trigger job, logId:1"))
        self.assertEqual(self.told(1), {(code, message)})

    def test_a_broken_list_does_not_keep_it_from_starting(self):
        (self.folder / "joblogs").mkdir(parents=True)
        (self.folder / "joblogs" / "taken-runs").write_text("something else\n")
        executor = self.start(self.admin)
        self.assertEqual(executor.run(1), OK)
        self.assertEqual(self.admin.outcome(1), (200, None))
        self.assertIn("renamed to", executor.text())
        self.assertTrue((self.folder / "joblogs" / "taken-runs.broken").exists())


if __name__ == "__main__":
    Executor.program = sys.argv[1]
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    sys.exit(1 if failed else 0)
