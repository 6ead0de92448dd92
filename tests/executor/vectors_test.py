#!/usr/bin/env python3
"""A real executor process against stub admins, request by request: the vectors E1 to E47 and L1 to L13 (XXL wire 7.3, 7.4).

vectors_test.py VECTOR_EXECUTOR [TEST...]
"""

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
import unittest

from executor_case import APP, Admin, Case, DEADLINE_S, Executor, NOW_MS, OK, TOKEN, free_port, refusal, wait_until


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


class ClientTest(Case):
    """L1 to L13, and the executor's own requests."""

    def refuse(self, path, body):
        return {"code": 500, "msg": "not now"}

    def test_registration(self):  # L1, L4
        admin = Admin(self)
        executor = self.start(admin.url + "/")
        _, path, headers, body = wait_until(lambda: admin.of("registry"), "a registration", 1)[0]
        self.assertEqual(path, "/xxl-job-admin/api/registry")
        self.assertEqual(headers["xxl-job-access-token"], TOKEN)
        self.assertEqual(body, {"registryGroup": "EXECUTOR", "registryKey": APP, "registryValue": executor.address})
        self.assertNotIn("xxl-job-appname", headers)

    def test_order_of_admins(self):  # L2, L3
        first, second, third = Admin(self), Admin(self), Admin(self)
        first.answer = self.refuse
        self.start(first, second, third)
        wait_until(lambda: second.of("registry"), "a registration")
        self.assertTrue(first.of("registry"))
        self.assertFalse(third.seen)

    def test_stop(self):  # L5
        admin = Admin(self)
        executor = self.start(admin, drain_ms="200")
        executor.run(1, "sleep", executorParams="60")
        executor.wait_for_start(1)
        self.assertEqual(executor.stop(), 0)
        told, removed = admin.report(1), admin.of("registryRemove")
        self.assertEqual((told["handleCode"], told["handleMsg"]),
                         (500, "web container destroy and kill the job. [job running, killed]"))
        self.assertEqual(len(removed), 1)
        self.assertLess(removed[0][0], admin.of("callback")[0][0])

    def test_a_stop_waits_for_runs(self):
        admin = Admin(self)
        executor = self.start(admin)
        executor.run(1, "sleep", executorParams="1")
        executor.wait_for_start(1)
        self.assertEqual(executor.stop(), 0)
        self.assertEqual(admin.outcome(1), (200, None))

    def test_refused_results(self):  # L6, L7, L8
        admin = Admin(self)
        said = [(500, "{}"), (201, '{"code":200}')]
        admin.answer = lambda path, body: (said.pop(0) if said else {"code": 200, "content": None, "data": None, "x": 1}) \
            if path.endswith("callback") else OK
        executor = self.start(admin)
        executor.run(1)
        wait_until(lambda: [path for path in self.folder.rglob("callbacklogs/*") if path.is_file()], "a file of results")
        wait_until(lambda: "callback fail" in executor.log(1)["logContent"], "the log tells of it")
        wait_until(lambda: len(admin.of("callback")) == 3, "the result is sent again", 90)
        wait_until(lambda: not [path for path in self.folder.rglob("callbacklogs/*") if path.is_file()], "the file is gone")

    def test_results_outlive_the_process(self):
        admin = Admin(self)
        admin.answer = lambda path, body: (503, "") if path.endswith("callback") else OK
        executor = self.start(admin)
        executor.run(1, "nine")
        wait_until(lambda: [path for path in self.folder.rglob("callbacklogs/*") if path.is_file()], "a file of results")
        executor.child.kill()
        executor.child.wait()
        admin.answer = lambda path, body: OK
        self.start(admin)
        wait_until(lambda: admin.of("callback")[-1][3][0]["handleCode"] == 999 and len(admin.of("callback")) > 1, "the result")

    def test_family_with_app_name(self):  # L9
        admin = Admin(self)
        asked = refusal("invalid request, accessToken or appname is empty.")
        admin.answer = lambda path, body: OK if "xxl-job-appname" in admin.seen[-1][2] else asked
        executor = self.start(admin)
        wait_until(lambda: any(one[2].get("xxl-job-appname") == APP for one in admin.of("registry")), "the app name is said")
        executor.run(1)
        told = admin.report(1)
        self.assertEqual(told["logDateTime"], NOW_MS)

    def test_admin_restarts(self):  # L10
        port = free_port()
        first = Admin(self, port)
        executor = self.start(first)
        wait_until(lambda: first.of("registry"), "a registration")
        executor.run(1, "sleep", executorParams="1")
        executor.wait_for_start(1)
        first.close()
        wait_until(lambda: [path for path in self.folder.rglob("callbacklogs/*") if path.is_file()], "a file of results")
        second = Admin(self, port)
        self.assertEqual(wait_until(lambda: second.reports(), "the result", 90)[0]["logId"], 1)

    def test_many_results(self):  # L11
        admin = Admin(self)
        gate = threading.Event()
        self.addCleanup(gate.set)
        admin.answer = lambda path, body: (gate.wait(2), OK)[1] if path.endswith("callback") else OK
        executor = self.start(admin)
        for run in range(1, 121):
            self.assertEqual(executor.run(run, jobId=run), OK)
        gate.set()
        wait_until(lambda: len(admin.reports()) >= 120, "all results")
        self.assertLessEqual(max(len(body) for _, _, _, body in admin.of("callback")), 50)
        self.assertEqual(sorted(one["logId"] for one in admin.reports()), list(range(1, 121)))

    def test_next_port(self):  # L12
        admin = Admin(self)
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                taken.bind(("127.0.0.1", 9999))
                taken.listen()
            except OSError:
                pass  # used by another process, which has the same effect
            executor = self.start(admin, port="0")
            port = int(executor.address.rstrip("/").rsplit(":", 1)[1])
            self.assertNotEqual(port, 9999)
            self.assertEqual(executor.post("/beat", b"{}"), OK)

    def test_address(self):  # L13
        admin = Admin(self)
        self.start(admin, address="http://pub.example:80/x/")
        wait_until(lambda: admin.of("registry"), "a registration")
        self.assertEqual(admin.of("registry")[0][3]["registryValue"], "http://pub.example:80/x/")

    def test_no_token(self):  # E4
        admin = Admin(self)
        executor = self.start(admin, token="")
        for headers in ({}, {"XXL-JOB-ACCESS-TOKEN": "any"}):
            self.assertEqual(executor.post("/beat", b"{}", headers), OK)
        wait_until(lambda: admin.of("registry"), "a registration")
        self.assertNotIn("xxl-job-access-token", admin.of("registry")[0][2])

    def test_pages_drive_nothing(self):
        for token, page in (("", {"Origin": "http://page.example"}), ("", {"Sec-Fetch-Site": "cross-site"}),
                            ("", {"Host": "rebound.example:9999"}), (TOKEN, {"Origin": "http://page.example"})):
            executor = self.start(Admin(self), token=token)
            own = {"XXL-JOB-ACCESS-TOKEN": token} if token else {}
            self.assertEqual(executor.post("/beat", b"{}", own | page)["code"], 500, page)
            self.assertEqual(executor.post("/beat", b"{}", own | {"Sec-Fetch-Site": "none"}), OK)
            self.assertEqual(executor.post("/beat", b"{}", own | {"Host": "localhost:1"}), OK)
            executor.kill()

    def test_an_idle_worker_ends(self):  # E32
        admin = Admin(self)
        executor = self.start(admin, idle_limit_ms="1000")
        executor.run(1, "hooked")
        self.assertEqual([executor.child.stdout.readline().strip() for _ in range(2)], ["hook init", "hook destroy"])
        executor.run(2, "hooked")
        self.assertEqual(executor.child.stdout.readline().strip(), "hook init")

    def test_a_full_queue(self):
        admin = Admin(self)
        executor = self.start(admin, queue_max="2")
        executor.run(1, "sleep", executorParams="60")
        executor.wait_for_start(1)
        self.assertEqual([executor.run(run, "sleep", executorParams="0")["code"] for run in (2, 3, 4)], [200, 200, 500])
        executor.post("/kill", {"jobId": 1})
        self.assertEqual({admin.outcome(run)[0] for run in (1, 2, 3)}, {500})


if __name__ == "__main__":
    Executor.program = sys.argv[1]
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    sys.exit(1 if failed else 0)
