"""`ringmaster serve` and `demo` as processes: conditions of a start, signals, and the state after a refused start."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import urllib.error
import urllib.request

from command_case import DEADLINE_S, JOBS, Case, Result, Server, job, status_of, wait_until


class ServeTest(Case):
    def config(self, files: str = "jobs.d/*.toml") -> str:
        return self.write("c.toml", f'[deploy]\nfiles = ["{files}"]\nprune = true\n')

    def free_address(self) -> str:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            return f"127.0.0.1:{taken.getsockname()[1]}"

    def lives(self) -> bool:
        with contextlib.suppress(sqlite3.OperationalError):
            return bool(self.rows("SELECT * FROM rm_node WHERE state = 'up'"))
        return False

    def ended(self, *arguments: str, **more) -> Result:
        server = self.start(*arguments, **more)
        return Result(server.child.wait(DEADLINE_S), "", server.text())

    def test_start_ready_stop(self):
        server = self.start()
        server.wait_until_ready()
        self.assertEqual(server.answers("/livez"), 200)
        self.assertEqual((self.data / "initial-secrets").stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.data.stat().st_mode & 0o777, 0o700)
        self.assertEqual(server.stop(), 0)

    def test_the_first_administrator_is_made_once(self):
        server = self.start()
        server.wait_until_ready()
        server.wait_for_line(f"created administrator admin: the password is in {self.data}/initial-secrets")
        self.assertEqual(server.stop(), 0)
        secrets = (self.data / "initial-secrets").read_text()
        self.assertRegex(secrets, r"\Aaccess_token = [0-9a-f]{64}\nadmin_password = [a-z2-9]{20}\n\Z")
        self.assertNotIn(secrets.split()[-1], server.text())
        again = self.start()
        again.wait_until_ready()
        self.assertEqual(again.stop(), 0)
        self.assertEqual((self.data / "initial-secrets").read_text(), secrets)
        self.assertNotIn("administrator", again.text())

    def test_a_configured_token_leaves_the_password_alone_in_the_file(self):
        server = self.start("--set", "security.access_token=known-by-all-executors")
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
        self.assertRegex((self.data / "initial-secrets").read_text(), r"\Aadmin_password = [a-z2-9]{20}\n\Z")
        # After its removal from the configuration, a token is created next to it.
        server = self.start()
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
        self.assertRegex((self.data / "initial-secrets").read_text(), r"\Aadmin_password = .*\naccess_token = .*\n\Z")

    def test_a_lost_password_is_replaced(self):
        server = self.start()
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
        result = self.succeed("user", "reset-password", "ADMIN")
        self.assertRegex(result.out, r"\Apassword: [a-z2-9]{20}\n\Z")
        self.refuse(1, "unknown user stranger", "user", "reset-password", "stranger")

    def test_connections_fit_into_the_limit_of_files(self):
        server = self.start(files=(256, 256))
        server.wait_until_ready()
        server.wait_for_line("server.connections_max lowered to 192 from 8192, because the limit of open files is 256")
        self.assertEqual(server.stop(), 0)

    def test_too_few_files(self):
        server = self.start(files=(100, 100))
        self.assertEqual(server.child.wait(DEADLINE_S), 1)
        self.assertIn("the limit of open files is 100; the server needs at least 128 ", server.text())

    def test_log_lines_that_nobody_reads_hold_up_nothing(self):
        address = self.free_address()
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * 512)
        os.set_blocking(writing, True)
        environment = self.environment({"RINGMASTER_SERVER_LISTEN": address, "RINGMASTER_LOG_LEVEL": "trace"})
        child = subprocess.Popen([self.binary, "serve"], stdin=subprocess.DEVNULL, stderr=writing, env=environment)
        self.addCleanup(lambda: child.poll() is None and child.kill())
        os.close(writing)
        wait_until(lambda: status_of(f"http://{address}/readyz") == 200, "/readyz answers 200", child)
        # After a part was read, the lines dropped since are counted.
        while b"log lines were dropped: standard error was not read" not in os.read(reading, 65536):
            child.send_signal(signal.SIGHUP)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(DEADLINE_S), 0)

    def test_closed_standard_files_become_no_other_files(self):
        child = subprocess.Popen(["/bin/sh", "-c", 'exec "$0" serve <&- >&- 2>&-', self.binary],
                                 env=self.environment({"RINGMASTER_SERVER_LISTEN": "127.0.0.1:0"}))
        self.addCleanup(lambda: child.poll() is None and child.kill())
        lock = self.data / "lock"
        wait_until(self.lives, "a life in the store", child)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(DEADLINE_S), 0)
        self.assertEqual(lock.read_text(), f"{child.pid}\n")

    def test_a_node_id_of_rubbish(self):
        self.data.mkdir()
        (self.data / "node-id").write_bytes(b"a\x1b[31mb\n")
        result = self.ended("--new-database")
        self.assertEqual((result.code, result.errors),
                         (1, [f"ringmaster: {self.data}/node-id cannot be used: it does not contain a valid node name"]))

    def test_the_second_server_in_a_folder_changes_nothing(self):
        first = self.start()
        first.wait_until_ready()
        life = self.rows("SELECT * FROM rm_node")[0][:2]
        self.write("jobs.d/a.toml", JOBS)
        second = self.ended("--config", self.config())
        self.assertEqual(second.code, 1, second)
        self.assertEqual(second.errors, [f"ringmaster: data_dir: {self.data} is in use by another server "
                                         f"(process {first.child.pid}); give this server its own folder"])
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.rows("SELECT * FROM rm_node")[0][:2], life)
        self.assertEqual(first.answers("/readyz"), 200)
        self.assertEqual(first.stop(), 0)
        # The lock ends with its process.
        third = self.start()
        third.wait_until_ready()
        self.assertEqual(third.stop(), 0)

    def test_a_second_server_on_the_same_sqlite_file_changes_nothing(self):
        first = self.start()
        first.wait_until_ready()
        life = self.rows("SELECT * FROM rm_node")[0][:2]
        self.write("jobs.d/a.toml", JOBS)
        (self.folder / "link.db").symlink_to(self.data / "ringmaster.db")
        # With its own name and another one; each with its own folder.
        for place in (self.data / "ringmaster.db", self.folder / "link.db"):
            second = self.ended("--config", self.config(), "--set", f"database.url=sqlite:{place}", data=self.folder / "other")
            self.assertEqual(second.code, 1, second)
            self.assertEqual(second.errors, [f"ringmaster: database.url: sqlite:{place} is in use by another server "
                                             f"(process {first.child.pid}); to run several servers, use a database server"])
        self.assertEqual(self.jobs(), [])
        nodes = self.rows("SELECT * FROM rm_node")
        self.assertEqual([node[:2] for node in nodes], [life])
        self.assertEqual(first.answers("/readyz"), 200)
        self.succeed("apply", self.write("jobs.toml", JOBS + job("often", 'schedule = { rate = "1s" }')))
        first.wait_for(lambda: self.rows("SELECT COUNT(*) FROM xxl_job_log WHERE trigger_code = 500")[0][0] > 0, "a fired run")
        self.assertEqual(first.stop(), 0)
        # The lock ends with its process.
        third = self.start("--set", f"database.url=sqlite:{self.data}/ringmaster.db", data=self.folder / "other")
        third.wait_until_ready()
        self.assertEqual(third.stop(), 0)

    def test_a_port_in_use_changes_nothing(self):
        self.write("jobs.d/a.toml", JOBS)
        other = self.folder / "other"
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            result = self.ended("--config", self.config(), data=other, listen=address)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.errors, [f"ringmaster: cannot listen on {address}: Address already in use"])
        self.assertEqual([path.name for path in other.iterdir()], ["lock"])

    def test_another_name_on_the_same_file_serves_everything_at_once(self):
        first = self.start("--set", "cluster.node=first")
        first.wait_until_ready()
        first.signal(signal.SIGKILL)
        first.child.wait()
        second = self.start("--set", "cluster.node=second")
        second.wait_for_line("node=second serves 256 slots among 1 nodes")
        self.assertNotIn("2 nodes", second.text())
        self.assertEqual(self.rows("SELECT id, state FROM rm_node ORDER BY id"), [("first", "fenced"), ("second", "up")])
        self.assertEqual(second.stop(), 0)

    def test_a_database_that_is_not_there(self):
        result = self.ended("--set", "database.url=mysql://u:hush@127.0.0.1:1/x")
        self.assertEqual((result.code, len(result.errors)), (1, 1), result)
        self.assertIn("127.0.0.1", result.err)
        self.assertNotIn("hush", result.err)

    def test_declared_jobs_that_are_not_there(self):
        result = self.ended("--config", self.config())
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.errors, [f"ringmaster: {self.folder}/c.toml:2: deploy.files: "
                                         f"no file matches {self.folder}/jobs.d/*.toml"])

    def test_secrets_that_cannot_be_read_are_kept(self):
        (self.data / "initial-secrets").mkdir(parents=True)
        result = self.ended("--new-database")
        self.assertEqual((result.code, result.errors),
                         (1, [f"ringmaster: {self.data}/initial-secrets cannot be used: it is a directory"]))
        (self.data / "initial-secrets").rmdir()
        (self.data / "initial-secrets").write_text("token = x\n")
        result = self.ended()
        self.assertEqual((result.code, len(result.errors)), (1, 1), result)
        self.assertEqual((self.data / "initial-secrets").read_text(), "token = x\n")

    def test_a_hangup_applies_the_files_again(self):
        self.write("jobs.d/a.toml", JOBS)
        server = self.start("--config", self.config())
        server.wait_until_ready()
        self.assertEqual(self.jobs(), ["settle"])
        # Another file name and another pattern still belong to the same source.
        (self.folder / "jobs.d/a.toml").rename(self.folder / "jobs.d/b.toml")
        self.write("jobs.d/c.toml", job("report"))
        self.config("jobs.d/[bc].toml")
        server.signal(signal.SIGHUP)
        server.wait_for_line("reload: done")
        self.assertEqual(self.jobs(), ["report", "settle"])
        # The log names the changes, but not the parameters.
        self.write("jobs.d/c.toml", job("report", 'retry = 2\nparams = "token=hush"\nauthor = "ann"'))
        server.signal(signal.SIGHUP)
        server.wait_for_line(r'declared: ~ job pay-worker/report: author: "" -> "ann"; params: changed; retry: 0 -> 2\n')
        self.assertNotIn("hush", server.text())
        # An error changes nothing, and the server continues.
        self.write("jobs.d/c.toml", job("report")[:-6])
        server.signal(signal.SIGHUP)
        server.wait_for_line(r"reload: \S+/jobs.d/c.toml:\d+: ")
        server.wait_for_line("warning +reload: nothing changed, see the errors above")
        self.assertEqual(self.jobs(), ["report", "settle"])
        self.assertEqual(server.answers("/readyz"), 200)
        self.assertEqual(server.stop(), 0)

    def test_a_hangup_during_the_start_applies_the_files(self):
        for count in range(1, 4):
            self.write("jobs.d/a.toml", JOBS + f'params = "{2 * count}"\n')
            server = self.start("--config", self.config())
            server.wait_for_line("declared: [+~] job pay-worker/settle")  # applied before the actors start
            self.write("jobs.d/a.toml", JOBS + f'params = "{2 * count + 1}"\n' + job(f"report-{count}"))
            server.signal(signal.SIGHUP)
            server.wait_for_line("reload: done")
            self.assertIn(f"report-{count}", self.jobs())
            self.assertNotIn("wall clock", server.text())
            self.assertEqual(server.stop(), 0)

    def test_apply_beside_a_running_server(self):
        server = self.start()
        server.wait_until_ready()
        self.succeed("apply", self.write("jobs.toml", JOBS + job("often", 'schedule = { rate = "1s" }')))
        # It loads the new job and fires it; the row says that there is no executor.
        server.wait_for(lambda: self.rows("SELECT COUNT(*) FROM xxl_job_log WHERE trigger_code = 500")[0][0] > 0, "a fired run")
        self.assertEqual(server.stop(), 0)


class DemoTest(Case):
    def test_check(self):
        result = self.run_it("demo", "--check")
        self.assertEqual(result.code, 0, result)
        lines = result.out.splitlines() + result.errors
        runs = [line for line in lines if line.startswith("run ")]
        # Whichever of its jobs are due first.
        self.assertGreaterEqual(len(runs), 3, result)
        self.assertTrue(any("result 200" in line for line in runs), result)
        # The import of exchange rates fails twice a minute, and a failed run has a line in the log.
        for line in runs:
            self.assertRegex(line, "trigger 200  result (200|500 the ledger has no account)")
        self.assertEqual([line for line in lines if "warning" in line and "run=" not in line], [])
        self.assertFalse(self.data.exists())

    def sign_in(self, address: str, token: str) -> int:
        request = urllib.request.Request(f"{address}/api/v1/session", json.dumps({"one_time": token}).encode(),
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                return reply.status
        except urllib.error.HTTPError as refused:
            return refused.code

    def test_the_link_signs_in_once(self):
        demo = Server([self.binary, "demo"], self.folder / "demo.log", self.environment())
        self.addCleanup(demo.child.wait)
        self.addCleanup(lambda: demo.child.poll() is None and demo.child.kill())
        address = demo.wait_for_line(r"Ringmaster serves on (http://[^;]+);")[1]
        demo.wait_for_line("the password of admin and the access token for executors are in ")
        if "the web console was not built into this binary" in demo.text():
            self.skipTest("the binary has no console")
        place, token = re.search(r"(http://\S+)/console/sign-in#one_time=([\w-]{43})\n", demo.text()).groups()
        self.assertEqual(place, address)
        self.assertEqual([self.sign_in(address, each) for each in ("wrong", token, token)], [401, 200, 401])
        demo.wait_for_line("with an unknown or expired link from 127.0.0.1")
        self.assertEqual(demo.stop(), 0)
        self.assertEqual(demo.text().count(token), 1, "only the line of the link has the token")

    def demo(self, *more: str) -> tuple[Server, str]:
        """Starts a demonstration that the end of the test ends. Returns it with its address as this machine reaches it."""
        demo = Server([self.binary, "demo", *more], self.folder / "demo.log", self.environment())
        self.addCleanup(demo.child.wait)
        self.addCleanup(lambda: demo.child.poll() is None and demo.child.kill())
        address = demo.wait_for_line(r"Ringmaster serves on (http://[^;]+);")[1]
        return demo, address.replace("0.0.0.0", "127.0.0.1")

    def client_of(self, demo: Server, address: str):
        """Signs in with the password. Returns a function that sends a request and returns the status and the answer."""
        secrets = demo.wait_for_line("the access token for executors are in (.+)")[1]
        with open(secrets, encoding="utf-8") as file:
            password = re.search(r"^admin_password = (\S+)", file.read(), re.M)[1]
        headers = {"Content-Type": "application/json", "Origin": address}

        def send(method: str, path: str, body=None):
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(f"{address}/api/v1{path}", data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                    if path == "/session":
                        headers["Cookie"] = "; ".join(each.split(";")[0] for each in reply.headers.get_all("Set-Cookie"))
                    return reply.status, json.loads(reply.read() or "null")
            except urllib.error.HTTPError as refused:
                return refused.code, refused.read().decode()

        status, session = send("POST", "/session", {"name": "admin", "password": password})
        self.assertEqual(status, 200, session)
        headers["X-CSRF-Token"] = session["csrf_token"]
        return send

    def script(self, send) -> dict:
        groups = send("GET", "/groups")[1]["items"]
        group = next(each["id"] for each in groups if each["app_name"] == "demo-executor")
        return {"group": group, "name": "a script", "author": "ann", "glue_type": "GLUE_SHELL", "glue_remark": "first version",
                "glue_source": "echo said by the script\nexit 0\n", "schedule": {"type": "NONE"}}

    def test_scripts_run_on_loopback(self):
        demo, address = self.demo()
        demo.wait_for_line(r"scripts \(GLUE jobs\) may be entered; they run as your system user")
        send = self.client_of(demo, address)
        status, made = send("POST", "/jobs", self.script(send))
        self.assertEqual(status, 201, made)
        demo.wait_for(lambda: self.runs_of(send, made["id"], "succeeded"), "a script that succeeded")
        run = self.runs_of(send, made["id"], "succeeded")[0]["id"]
        demo.wait_for(lambda: "said by the script" in send("GET", f"/runs/{run}/log?from_line=1")[1]["content"], "its output")
        self.assertEqual(demo.stop(), 0)

    def runs_of(self, send, job: int, status: str) -> list[dict]:
        """Triggers the job if no run of it is under way: the executors register a moment after the start. Returns its runs with
        this status."""
        runs = send("GET", f"/runs?job={job}")[1]["items"]
        if not any(each["status"] in ("pending", "running", status) for each in runs):
            send("POST", f"/jobs/{job}/trigger", {})
        return [each for each in runs if each["status"] == status]

    def test_the_advice_of_a_failed_run_works(self):
        demo, address = self.demo("--listen", "127.0.0.1:0")
        send = self.client_of(demo, address)
        job = next(each["id"] for each in send("GET", "/jobs?limit=100")[1]["items"] if each["key"] == "import-rates")
        demo.wait_for(lambda: any("no account 4711" in each["handle_text"]
                                  for each in send("GET", f"/runs?job={job}&status=failed")[1]["items"] if each["handle_text"]),
                      "a run that says what is wrong")
        self.assertEqual(send("POST", f"/jobs/{job}/trigger", {"params": "account=1"})[0], 202)
        demo.wait_for(lambda: send("GET", f"/runs?job={job}&status=succeeded")[1]["items"], "a run with the other account")
        self.assertEqual(demo.stop(), 0)

    def test_the_doctor_of_a_node_knows_its_real_port(self):
        demo, address = self.demo("--listen", "127.0.0.1:0")
        send = self.client_of(demo, address)
        self.assertLess(send("POST", "/doctor")[0], 300)
        demo.wait_for(lambda: send("GET", "/doctor")[1]["state"] == "done", "the end of the checks")
        found = {each["check"]: each["text"] for each in send("GET", "/doctor")[1]["findings"]}
        self.assertEqual(found["configuration"], "listens on " + address.removeprefix("http://"))
        self.assertEqual(demo.stop(), 0)

    def test_scripts_are_off_for_other_machines(self):
        demo, address = self.demo("--listen", "0.0.0.0:0")
        demo.wait_for_line(r"scripts \(GLUE jobs\) are off, because other machines reach this server")
        send = self.client_of(demo, address)
        status, refusal = send("POST", "/jobs", self.script(send))
        self.assertIn(status, (400, 403), refusal)
        self.assertEqual(demo.stop(), 0)
