#!/usr/bin/env python3
"""A real executor process against stub admins, request by request: the vectors E1 to E47 and L1 to L13 (XXL wire 7.3, 7.4).

vectors_test.py VECTOR_EXECUTOR [TEST...]
"""

import http.client
import json
import socket
import subprocess
import sys
import time
import unittest

from executor_case import APP, Admin, Case, DEADLINE_S, Executor, NOW_MS, OK, TOKEN, refusal, wait_until
from vector_clients import ClientTest  # noqa: F401 (unittest finds it here)


class RequestTest(Case):
    """E1 to E47."""

    def setUp(self):
        super().setUp()
        self.admin = Admin(self)
        self.executor = self.start(self.admin)

    def test_beat(self):  # E1
        for body in (b"{}", b'""', b"", None):
            self.assertEqual(self.executor.post("/beat", body), OK)

    def test_only_post(self):  # E2
        status, text = self.executor.ask("GET", "/beat", None)
        self.assertEqual((status, json.loads(text)), (200, refusal("invalid request, HttpMethod not support.")))

    def test_token(self):  # E3, E46, E47
        for headers in ({}, {"XXL-JOB-ACCESS-TOKEN": "other"}, {"XXL-JOB-ACCESS-TOKEN": ""}):
            self.assertEqual(self.executor.post("/beat", b"{}", headers), refusal("The access token is wrong."))
        self.assertEqual(self.executor.post("/beat", b"{}", {"xxl-job-access-token": TOKEN}), OK)
        right = {"XXL-JOB-ACCESS-TOKEN": TOKEN}
        self.assertEqual(self.executor.post("/beat", b"{}", right | {"XXL-JOB-APPNAME": "other"}),
                         refusal("invalid request, accessToken or appname invalid."))
        self.assertEqual(self.executor.post("/beat", b"{}", right | {"XXL-JOB-APPNAME": APP}), OK)

    def test_unknown_target(self):  # E5
        self.assertEqual(self.executor.post("/nope", b"{}"), refusal("invalid request, uri-mapping(/nope) not found."))
        self.assertEqual(self.executor.post("/x?y", b"{}"), refusal("invalid request, uri-mapping(/x?y) not found."))

    def test_idle_question(self):  # E6 to E8
        self.assertEqual(self.executor.post("/idleBeat", {"jobId": 1}), OK)
        self.assertEqual(self.executor.post("/idleBeat", {"jobId": "1"}), OK)
        reply = self.executor.post("/idleBeat", b"{x")
        self.assertEqual(reply["code"], 500)
        self.assertTrue(reply["msg"].startswith("request error:"), reply)

    def test_run(self):  # E9 to E11
        self.assertEqual(self.executor.run(11), OK)
        self.assertEqual(self.admin.outcome(11), (200, None))
        self.assertEqual(self.executor.run(12, path="/trigger"), OK)
        self.assertEqual(self.admin.outcome(12), (200, None))
        few = {"jobId": 1, "executorHandler": "ok", "logId": 13, "logDateTime": NOW_MS, "glueType": "BEAN"}
        self.assertEqual(self.executor.post("/run", few), OK)
        self.assertEqual(self.admin.report(13)["handleCode"], 200)
        self.assertEqual(self.admin.report(11)["logDateTim"], NOW_MS)

    def test_results(self):  # E12 to E16
        for run, handler in enumerate(("bad", "boom", "zero", "nine", "long"), 1):
            self.assertEqual(self.executor.run(run, handler, jobId=run), OK)
        self.assertEqual(self.admin.outcome(1), (500, "no stock"))
        code, message = self.admin.outcome(2)
        self.assertEqual(code, 500)
        self.assertIn("the roof fell in", message)
        self.assertEqual(self.admin.outcome(3), (500, "job handle result lost."))
        self.assertEqual(self.admin.outcome(4), (999, "n"))
        self.assertEqual(self.admin.outcome(5), (200, "x" * 50_000 + "..."))

    def test_refusals(self):  # E17, E18
        self.assertEqual(self.executor.run(1, "ghost"), refusal("job handler [ghost] not found."))
        self.assertEqual(self.executor.run(2, glueType="GLUE_RUBY"), refusal("glueType[GLUE_RUBY] is not valid."))
        self.assertEqual(self.executor.run(3, glueType=None), refusal("glueType[null] is not valid."))
        self.assertEqual(self.executor.run(4, glueType="GLUE_GROOVY"), refusal("glueType[GLUE_GROOVY] is not valid."))
        self.assertEqual(self.executor.run(5), OK)
        self.admin.outcome(5)
        self.assertEqual([one["logId"] for one in self.admin.reports()], [5])

    def test_series(self):  # E19 to E21, E25
        begin = time.monotonic()
        self.assertEqual(self.executor.run(21, "sleep", executorParams="3"), OK)
        self.assertEqual(self.executor.run(22, "sleep", executorParams="1", executorBlockStrategy="X"), OK)
        self.assertEqual(self.executor.post("/idleBeat", {"jobId": 1}), refusal("job thread is running or has trigger queue."))
        self.assertEqual(self.executor.run(22, "sleep", executorParams="1"), refusal("repeat trigger job, logId:22"))
        self.admin.outcome(22)
        self.assertGreater(time.monotonic() - begin, 3.9)
        self.assertEqual([one["logId"] for one in self.admin.reports()], [21, 22])

    def test_a_run_is_run_once(self):
        self.assertEqual(self.executor.run(23, "sleep", executorParams="1"), OK)
        self.executor.wait_for_start(23)
        self.assertEqual(self.executor.run(23, "sleep", executorParams="1"), refusal("repeat trigger job, logId:23"))
        self.admin.outcome(23)
        self.assertEqual(self.executor.run(23, "ok"), refusal("repeat trigger job, logId:23"))
        self.executor.child.kill()
        self.executor.child.wait()
        again = self.start(self.admin)
        self.assertEqual(again.run(23, "ok"), refusal("repeat trigger job, logId:23"))

    def test_discard_later(self):  # E22, E23
        later = {"executorBlockStrategy": "DISCARD_LATER"}
        self.assertEqual(self.executor.run(21, "sleep", executorParams="1", **later), OK)
        self.assertEqual(self.executor.run(23, "sleep", **later), refusal("block strategy effect：Discard Later"))
        self.assertEqual(self.admin.outcome(21)[0], 200)
        self.assertEqual([one["logId"] for one in self.admin.reports()], [21])

    def test_cover_early(self):  # E24
        self.executor.run(31, "sleep", executorParams="60")
        self.executor.wait_for_start(31)
        self.executor.run(32, "sleep", executorParams="60")
        self.assertEqual(self.executor.run(33, "sleep", executorParams="0", executorBlockStrategy="COVER_EARLY"), OK)
        self.assertEqual(self.admin.outcome(31), (500, "block strategy effect：Cover Early [job running, killed]"))
        self.assertEqual(self.admin.outcome(32),
                         (500, "block strategy effect：Cover Early [job not executed, in the job queue, killed.]"))
        self.assertEqual(self.admin.outcome(33)[0], 200)

    def test_other_handler(self):  # E26, E27
        self.executor.run(1, "sleep", executorParams="60")
        self.executor.wait_for_start(1)
        self.assertEqual(self.executor.run(2, "ok"), OK)
        self.assertEqual(self.admin.outcome(1),
                         (500, "change jobhandler or glue type, and terminate the old job thread. [job running, killed]"))
        self.assertEqual(self.admin.outcome(2)[0], 200)
        self.executor.run(3, "sleep", executorParams="1", jobId=2)
        self.assertEqual(self.executor.run(4, "ghost", jobId=2), refusal("job handler [ghost] not found."))
        self.assertEqual(self.admin.outcome(3)[0], 200)

    def test_kill(self):  # E28 to E30
        self.executor.run(41, "sleep", executorParams="60")
        self.executor.wait_for_start(41)
        self.executor.run(42, "sleep", executorParams="60")
        begin = time.monotonic()
        self.assertEqual(self.executor.post("/kill", {"jobId": 1}), OK)
        self.assertEqual(self.admin.outcome(41), (500, "scheduling center kill job. [job running, killed]"))
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(self.admin.outcome(42),
                         (500, "scheduling center kill job. [job not executed, in the job queue, killed.]"))
        self.assertEqual(self.executor.post("/kill", {"jobId": 77}), {"code": 200, "msg": "job thread already killed."})
        self.assertEqual(self.executor.run(43), OK)
        self.assertEqual(self.admin.outcome(43)[0], 200)

    def test_a_deaf_handler_is_reported_at_once(self):
        self.executor.run(44, "deaf", executorParams="4")
        self.executor.wait_for_start(44)
        self.executor.post("/kill", {"jobId": 1})
        self.assertEqual(self.admin.outcome(44)[0], 500)
        self.executor.run(45, "ok")
        self.assertEqual(self.admin.outcome(45)[0], 200)
        wait_until(lambda: "job execute end" in self.executor.log(44)["logContent"], "the deaf one ends")
        self.assertEqual(sorted(one["logId"] for one in self.admin.reports()), [44, 45])

    def test_timeout(self):  # E31
        begin = time.monotonic()
        self.executor.run(51, "sleep", executorParams="5", executorTimeout=1)
        self.assertEqual(self.admin.outcome(51), (502, "job execute timeout "))
        self.assertLess(time.monotonic() - begin, 2.5)

    def test_log(self):  # E39 to E42
        self.executor.run(11)
        self.admin.outcome(11)
        wait_until(lambda: "callback finish" in self.executor.log(11)["logContent"], "the last line")
        told = self.executor.log(11)
        self.assertEqual(self.executor.log(11, spelling="logDateTime"), told)
        self.assertEqual((told["fromLineNum"], told["isEnd"]), (1, False))
        self.assertGreaterEqual(told["toLineNum"], 3)
        self.assertIn("xxl-job job execute start", told["logContent"].splitlines()[0])
        self.assertEqual(len(told["logContent"].splitlines()), told["toLineNum"])
        behind = self.executor.log(11, told["toLineNum"] + 1)
        self.assertEqual((behind["logContent"], behind["isEnd"]), ("", False))
        self.assertGreater(behind["fromLineNum"], behind["toLineNum"])
        missing = self.executor.log(12)
        self.assertEqual((missing["toLineNum"], missing["logContent"], missing["isEnd"]),
                         (0, "readLog fail, logFile not exists", True))

    def test_log_with_bounds(self):
        self.executor.run(11)
        self.admin.outcome(11)
        wait_until(lambda: "callback finish" in self.executor.log(11)["logContent"], "the last line")
        whole = self.executor.log(11)
        self.assertEqual(whole.keys(), {"fromLineNum", "toLineNum", "logContent", "isEnd"})
        lines = whole["logContent"].splitlines(keepends=True)
        asked = {"logDateTim": NOW_MS, "logId": 11, "fromLineNum": 1}
        last = self.executor.post("/log", asked | {"tail": 1})["content"]
        self.assertEqual((last["logContent"], last["fromLineNum"], last["toLineNum"]), (lines[-1], len(lines), len(lines)))
        self.assertEqual((last["totalLines"], last["fileSize"]), (len(lines), len(whole["logContent"].encode())))
        first = self.executor.post("/log", asked | {"maxBytes": max(256, len(lines[0].encode()))})["content"]
        self.assertTrue(whole["logContent"].startswith(first["logContent"]), first)
        self.assertEqual((first["totalLines"], first["fileSize"]), (last["totalLines"], last["fileSize"]))
        missing = self.executor.post("/log", asked | {"logId": 12, "tail": 1})["content"]
        self.assertEqual((missing["toLineNum"], missing["totalLines"], missing["fileSize"]), (0, 0, 0))
        self.assertTrue(self.executor.post("/log", asked | {"tail": "x"})["msg"].startswith("request error:"))

    def test_shards(self):
        self.executor.run(61, "shard", broadcastIndex=2, broadcastTotal=5)
        self.assertEqual(self.admin.outcome(61), (200, "2/5"))
        self.assertIn("shard 2 of 5", self.executor.log(61)["logContent"])

    def test_connections(self):  # E43 to E45
        with socket.create_connection(("127.0.0.1", self.executor.port)) as one:
            one.sendall(f"POST /beat HTTP/1.1\r\nHost: x\r\nConnection: close\r\nXXL-JOB-ACCESS-TOKEN: {TOKEN}\r\n"
                        "Content-Length: 2\r\n\r\n{}".encode())
            reply = b"".join(iter(lambda: one.recv(4096), b""))
        head, body = reply.split(b"\r\n\r\n", 1)
        self.assertIn(b"content-length: %d" % len(body), head.lower())
        try:
            status, text = self.executor.ask("POST", "/run", b"x" * 6_000_000)
            self.assertTrue(status == 413 or json.loads(text)["code"] == 500, (status, text))
        except (BrokenPipeError, ConnectionResetError):
            pass  # it did not read the rest
        self.assertEqual(self.executor.post("/beat", b"{}"), OK)
        connection = http.client.HTTPConnection("127.0.0.1", self.executor.port, timeout=DEADLINE_S)
        pieces = [b'{"jobId":1,"executorHandler":"ok","logId":', b'71,"glueType":"BEAN","logDateTime":1}']
        connection.request("POST", "/run", iter(pieces), {"XXL-JOB-ACCESS-TOKEN": TOKEN}, encode_chunked=True)
        self.assertEqual(json.loads(connection.getresponse().read()), OK)
        connection.close()
        self.assertEqual(self.admin.outcome(71)[0], 200)


class ScriptTest(Case):
    """E33 to E38."""

    def setUp(self):
        super().setUp()
        self.admin = Admin(self)
        self.executor = self.start(self.admin)

    def sources(self) -> list[str]:
        return sorted(path.name for path in self.folder.rglob("gluesource/*"))

    def test_arguments(self):  # E33
        self.executor.script(1, 'echo "$#:$1:$2:$3"; exit 0', executorParams="a b", broadcastIndex=2, broadcastTotal=5)
        self.assertEqual(self.admin.outcome(1), (200, None))
        self.assertIn("3:a b:2:5", self.executor.log(1)["logContent"])
        self.assertEqual(self.sources(), ["1_1000.sh"])

    def test_exit_code(self):  # E34
        self.executor.script(1, "exit 3")
        self.assertEqual(self.admin.outcome(1), (500, "script exit value(3) is failed"))

    def test_new_source(self):  # E35
        for run, job, version in ((1, 1, 1000), (2, 11, 1000), (3, 1, 2000)):
            self.executor.script(run, f"echo {version}", jobId=job, glueUpdatetime=version)
            self.assertEqual(self.admin.outcome(run)[0], 200)
        self.assertEqual(self.sources(), ["11_1000.sh", "1_2000.sh"])
        self.assertIn("2000", self.executor.log(3)["logContent"])

    def test_timeout(self):  # E36
        self.executor.script(1, "sleep 61.25 & sleep 61.25", executorTimeout=1)
        self.assertEqual(self.admin.outcome(1)[0], 502)
        wait_until(lambda: subprocess.run(["pgrep", "-f", "sleep 61.25"], capture_output=True).returncode == 1,
                   "no child remains", 2)

    def test_no_param(self):  # E37
        self.executor.script(1, 'echo "[$1]$#"', executorParams=None)
        self.assertEqual(self.admin.outcome(1)[0], 200)
        self.assertIn("[]3", self.executor.log(1)["logContent"])

    def test_standard_error(self):  # E38
        self.executor.script(1, "echo to-stderr >&2")
        self.assertEqual(self.admin.outcome(1)[0], 200)
        self.assertIn("to-stderr", self.executor.log(1)["logContent"])


if __name__ == "__main__":
    Executor.program = sys.argv[1]
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    sys.exit(1 if failed else 0)
