"""Run logs through `/api/v1` of the real binary: while they are written, and of a whole broadcast."""

import gzip
import json
import subprocess
import threading
import time
import urllib.request

from command_case import DEADLINE_S, Case
from stub_executor import StubExecutor, report

JOBS = """[[group]]
app_name = "pay-worker"
addresses = [{addresses}]

[[job]]
group = "pay-worker"
key = "settle"
handler = "settle"
enabled = false
route = "sharding_broadcast"
keep_logs = true
schedule = {{ cron = "0 0 1 * * ?" }}
"""


class WritingExecutor(StubExecutor):
    """Accepts `/run` without ever reporting a result; its log has the number of lines that the test sets."""

    def __init__(self, case: Case, name: str):
        self.lines = [f"{name} begins\n"]
        self.asked = 0
        self.broken = False
        # Each answer has at most this many lines; with `grows`, each request adds lines.
        self.lines_max = 1 << 30
        self.grows = False
        # The lines after the first one are held back until this is set.
        self.goes_on = threading.Event()
        self.goes_on.set()
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict | None:
        if self.broken:
            return None
        if not path.endswith("/log"):
            return {"code": 200}
        self.asked += 1
        first, lines = asked["fromLineNum"], self.lines[:asked["fromLineNum"] - 1 + self.lines_max]
        content = {"fromLineNum": first, "toLineNum": len(lines), "logContent": "".join(lines[first - 1:]), "isEnd": False}
        if first > 1:
            self.goes_on.wait(DEADLINE_S)
        if self.grows:
            self.lines.append(f"line {len(self.lines)}\n")
        return {"code": 200, "content": content, "data": content}


class LogTest(Case):
    def setUp(self):
        super().setUp()
        self.executors = [WritingExecutor(self, "first"), WritingExecutor(self, "second")]
        jobs = JOBS.format(addresses=", ".join(f'"{each.address}"' for each in self.executors))
        self.succeed("apply", self.write("jobs.toml", jobs))
        self.server = self.start()
        self.server.wait_until_ready()
        self.key = self.succeed("key", "add", "ci", "--user", "admin").out.strip()
        job = self.server.wait_for(lambda: self.call("GET", "/jobs")["items"], "the job is there")[0]["id"]
        self.call("POST", f"/jobs/{job}/trigger", {})
        taken = "SELECT id FROM xxl_job_log WHERE trigger_code = 200 ORDER BY executor_sharding_param"
        self.runs = [row[0] for row in self.server.wait_for(lambda: len(self.rows(taken)) == 2 and self.rows(taken), "two runs")]

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(f"{self.server.address()}/api/v1{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    def executor_of(self, run: int) -> WritingExecutor:
        address = self.rows(f"SELECT executor_address FROM xxl_job_log WHERE id = {run}")[0][0]
        return next(each for each in self.executors if each.address.rstrip("/") == address.rstrip("/"))

    def follow(self, run: int, told: list) -> threading.Thread:
        reading = threading.Thread(target=lambda: told.append(self.call("GET", f"/runs/{run}/log?from_line=2&wait_s=30")))
        reading.start()
        return reading

    def test_a_reader_gets_the_next_line_when_it_is_written(self):
        executor = self.executor_of(self.runs[0])
        told: list[dict] = []
        readers = [self.follow(self.runs[0], told) for _ in range(3)]
        # First one request per reader, then one per second for all: a fourth request shows that the readers wait.
        self.server.wait_for(lambda: executor.asked >= 4, "the executor is asked again")
        self.assertEqual(told, [])
        executor.lines.append("and goes on\n")
        for reader in readers:
            reader.join(DEADLINE_S)
        self.assertEqual([part["content"] for part in told], ["and goes on\n"] * 3)
        self.assertEqual({(part["from_line"], part["to_line"], part["end"]) for part in told}, {(2, 2, False)})
        self.assertEqual(self.server.stop(), 0, self.server.text())

    def file(self, run: int, query: str = "", encoding: str = "identity") -> tuple[bytes, dict]:
        request = urllib.request.Request(f"{self.server.address()}/api/v1/runs/{run}/log/file{query}",
                                         headers={"Authorization": f"Bearer {self.key}", "Accept-Encoding": encoding})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return reply.read(), {name.lower(): value for name, value in reply.headers.items()}

    def test_a_log_is_downloaded_compressed_and_merged(self):
        executor = self.executor_of(self.runs[0])
        executor.lines += [f"{i} of many lines\n" for i in range(100_000)]
        plain, _ = self.file(self.runs[0])
        self.assertEqual(plain.decode(), "".join(executor.lines))
        packed, headers = self.file(self.runs[0], encoding="gzip")
        self.assertEqual((headers["content-encoding"], headers["vary"]), ("gzip", "Accept-Encoding"))
        self.assertEqual(gzip.decompress(packed), plain)
        self.assertLess(len(packed), len(plain) / 2)
        merged, headers = self.file(self.runs[1], "?merged=true")
        self.assertEqual(merged.decode(), self.call("GET", f"/runs/{self.runs[1]}/log?merged=true")["content"])
        self.assertIn(f'filename="run-{self.runs[1]}-merged.log"', headers["content-disposition"])

    def test_the_command_follows_a_run_until_it_is_ended(self):
        run = self.runs[0]
        executor, asked = self.executor_of(run), {"RINGMASTER_SERVER": self.server.address(), "RINGMASTER_TOKEN": self.key}
        first = executor.lines[0]
        with subprocess.Popen([self.binary, "log", str(run), "--follow"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.environment(asked)) as reader:
            self.addCleanup(lambda: reader.poll() is None and reader.kill())
            self.assertEqual(reader.stdout.readline(), first)
            executor.lines.append("goes <b>on</b>\n")
            self.assertEqual(reader.stdout.readline(), "goes <b>on</b>\n")
            ended = self.run_it("run", "kill", str(run), variables=asked)
            self.assertEqual((ended.code, ended.err), (0, ""), ended)
            self.assertTrue(ended.out.startswith(f"run {run} ended"), ended)
            rest = reader.communicate(timeout=DEADLINE_S)
            self.assertEqual((rest, reader.returncode), (("", ""), 0))
        self.assertEqual(self.rows(f"SELECT handle_code FROM xxl_job_log WHERE id = {run}"), [(500,)])
        self.assertEqual(self.run_it("log", str(run), variables=asked).out, first + "goes <b>on</b>\n")
        again = self.run_it("run", "kill", str(run), variables=asked)
        self.assertEqual((again.code, again.errors), (2, [f"ringmaster: run {run} has ended"]), again)

    def test_without_follow_it_ends_while_the_run_goes_on_writing(self):
        run = self.runs[0]
        executor, asked = self.executor_of(run), {"RINGMASTER_SERVER": self.server.address(), "RINGMASTER_TOKEN": self.key}
        executor.grows = True
        self.assertEqual(self.succeed("log", str(run), variables=asked).out, executor.lines[0])
        one = json.loads(self.succeed("log", str(run), "--json", variables=asked).out)
        self.assertEqual((one["from_line"], one["to_line"], one["end"]), (1, 2, False))
        # The reader continues only after full parts. Another run, because a log only grows.
        run = self.runs[1]
        executor = self.executor_of(run)
        executor.grows = True
        long = ["x" * 9_999 + "\n" for _ in range(6)]
        executor.lines, executor.lines_max = [*long, "the rest\n"], 2
        self.assertEqual(self.succeed("log", str(run), variables=asked).out, "".join([*long, "the rest\n"]))
        self.assertEqual(self.server.stop(), 0, self.server.text())

    def test_a_long_log_comes_out_part_by_part(self):
        run = self.runs[0]
        executor = self.executor_of(run)
        executor.lines, executor.lines_max = [letter * 19_999 + "\n" for letter in "abc"], 1
        executor.goes_on.clear()
        asked = {"RINGMASTER_SERVER": self.server.address(), "RINGMASTER_TOKEN": self.key}
        with subprocess.Popen([self.binary, "log", str(run)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.environment(asked)) as reader:
            self.addCleanup(lambda: reader.poll() is None and reader.kill())
            self.assertEqual(reader.stdout.readline(), executor.lines[0])
            executor.goes_on.set()
            self.assertEqual(reader.stdout.read(), "".join(executor.lines[1:]))
            self.assertEqual((reader.communicate(timeout=DEADLINE_S), reader.returncode), (("", ""), 0))

    def test_a_kept_log_outlives_its_executor(self):
        run, executor = self.runs[0], self.executor_of(self.runs[0])
        executor.lines.append("and ends\n")
        self.assertFalse(self.call("GET", f"/runs/{run}/log")["kept"])
        self.end(run)
        self.server.wait_for(lambda: self.rows(f"SELECT 1 FROM rm_kept_log WHERE log_id = {run} AND state = 1"), "it is kept")
        whole = "".join(executor.lines)
        executor.broken = True
        part = self.call("GET", f"/runs/{run}/log")
        self.assertEqual((part["content"], part["end"], part["kept"]), (whole, True, True))
        self.assertEqual(self.call("GET", f"/runs/{run}/log?from_line=2&wait_s=5")["content"], "and ends\n")
        self.assertIn(whole, self.call("GET", f"/runs/{run}/log?merged=true")["content"])
        self.assertEqual(self.server.stop(), 0, self.server.text())

    def token(self) -> str:
        lines = (self.data / "initial-secrets").read_text(encoding="utf-8").splitlines()
        return next(line.removeprefix("access_token = ") for line in lines if line.startswith("access_token = "))

    def end(self, run: int) -> None:
        report(f"{self.server.address()}/xxl-job-admin", self.token(), {"logId": run, "logDateTime": 0}, 200, "done")

    def test_a_stop_does_not_wait_for_readers(self):
        executor = self.executor_of(self.runs[0])
        told: list[dict] = []
        reader = self.follow(self.runs[0], told)
        self.server.wait_for(lambda: executor.asked >= 2, "the reader waits")
        begun = time.monotonic()
        self.assertEqual(self.server.stop(), 0, self.server.text())
        reader.join(DEADLINE_S)
        self.assertEqual([part["content"] for part in told], [""])
        self.assertLess(time.monotonic() - begun, 20, "less than the reader's wait")

    def test_a_broadcast_is_one_text_and_who_is_away_costs_his_part_alone(self):
        whole = self.call("GET", f"/runs/{self.runs[1]}/log?merged=true")["content"]
        for index, run in enumerate(self.runs):
            self.assertIn(f"---- shard {index}/2, run {run}, {self.executor_of(run).address.rstrip('/')}", whole)
        self.assertIn("first begins\n", whole)
        self.assertIn("second begins\n", whole)
        gone = self.executors[0]
        gone.broken = True
        rest = self.call("GET", f"/runs/{self.runs[1]}/log?merged=true")["content"]
        self.assertNotIn("first begins\n", rest)
        self.assertIn("[executor did not answer", rest)
        self.assertIn("second begins\n", rest)
        self.assertEqual(self.server.stop(), 0, self.server.text())
