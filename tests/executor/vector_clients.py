"""The requests that an executor makes itself, to stub admins: L1 to L13 (XXL wire 7.4). Part of vectors_test.py."""

import socket
import threading

from executor_case import APP, Admin, Case, NOW_MS, OK, TOKEN, free_port, refusal, wait_until


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
