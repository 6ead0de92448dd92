"""How the server handles answers: a proxy's in place of the executor's, and those about reused log ids."""

import http.client
import re
import shutil
import socket
import sqlite3
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from command_case import DEADLINE_S, Case, Server

JOBS = """[[group]]
app_name = "batch-worker"

[[job]]
group = "batch-worker"
key = "note"
handler = "note"
schedule = { rate = "1s" }
retry = 1
"""

COMMANDS = """
[[command]]
name = "note"
program = "/bin/sh"
arguments = ["-c", "echo $JOB_LOG_ID >> $RAN"]
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """Passes everything on to the executor, and replaces some of its answers."""

    def __init__(self, case: Case, to: int):
        self.passed: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                connection = http.client.HTTPConnection("127.0.0.1", to, timeout=DEADLINE_S)
                connection.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k.startswith("XXL")})
                status, said = (reply := connection.getresponse()).status, reply.read()
                connection.close()
                outer.passed.append(self.path)
                if (foreign := outer.instead_of(self.path, outer.passed.count(self.path))) is not None:
                    status, said = foreign
                self.send_response(status)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        case.addCleanup(self.close)

    @staticmethod
    def instead_of(path: str, times: int) -> tuple[int, bytes] | None:
        """Every run gets a page of the proxy as its answer; so does every second request of the other kinds."""
        if path == "/run":
            return (504, b"<html>Gateway Time-out</html>") if times % 3 else (200, b"<html>Please log in</html>")
        if path in ("/idleBeat", "/log") and times % 2:
            return 502, b"<html>Bad Gateway</html>"
        return None

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


class AnswersTest(Case):
    def setUp(self):
        super().setUp()
        self.ran = self.folder / "ran"
        self.ran.touch()

    def start_node(self) -> Server:
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', JOBS)}")
        server.wait_until_ready()
        return server

    def start_executor(self, server: Server, port: int, *settings: str) -> Server:
        token = re.search(r"^access_token = (\S+)", (self.data / "initial-secrets").read_text(), re.M)[1]
        given = ["executor.app_name=batch-worker", f"security.access_token={token}", f"executor.admins={server.address()}",
                 "executor.listen=127.0.0.1", f"executor.port={port}", *settings]
        words = [word for setting in given for word in ("--set", setting)]
        child = Server([self.binary, "executor", "--config", self.write("executor.toml", COMMANDS), *words],
                       self.folder / f"executor-{port}.log",
                       self.environment({"RINGMASTER_DATA_DIR": str(self.folder / "executor"), "RAN": str(self.ran)}))
        self.addCleanup(child.child.wait)
        self.addCleanup(lambda: child.child.poll() is None and child.child.kill())
        return child

    def noted(self) -> list[int]:
        return [int(line) for line in self.ran.read_text().split()]

    def test_a_run_behind_a_proxy_that_gave_up_is_not_retried(self):
        server = self.start_node()
        port = free_port()
        proxy = Proxy(self, port)
        executor = self.start_executor(server, port, f"executor.address={proxy.address}")
        done = "SELECT count(*) FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 200"
        server.wait_for(lambda: self.rows(done)[0][0] >= 8, "eight runs are delivered and have a result")
        self.assertGreaterEqual(proxy.passed.count("/run"), 8)
        self.assertEqual(server.stop(), 0, server.text())
        self.assertEqual(executor.stop(), 0, executor.text())
        instants = self.rows("SELECT trigger_time, count(*) FROM xxl_job_log WHERE executor_address <> '' GROUP BY trigger_time"
                             " HAVING count(*) > 1")
        self.assertEqual(instants, [], "an instant was retried")
        self.assertEqual(self.rows("SELECT count(*) FROM rm_intent WHERE kind = 'retry'"), [(0,)])
        noted = self.noted()
        self.assertEqual(len(noted), len(set(noted)), "a run came twice")

    def test_runs_after_a_restore_are_executed_although_their_ids_come_again(self):
        server = self.start_node()
        executor = self.start_executor(server, free_port())
        done = "SELECT count(*) FROM xxl_job_log WHERE handle_code = 200"
        server.wait_for(lambda: self.rows(done)[0][0] >= 3, "three runs have succeeded")
        kept = self.folder / "kept.db"
        source = f"file:{self.data}/ringmaster.db?mode=ro"
        with closing(sqlite3.connect(source, uri=True)) as live, closing(sqlite3.connect(kept)) as copy:
            live.backup(copy)
            last = copy.execute("SELECT max(id) FROM xxl_job_log").fetchone()[0]
        server.wait_for(lambda: self.rows(done)[0][0] >= 8, "five more have succeeded")
        listen = server.address().removeprefix("http://").split("/")[0]
        self.assertEqual(server.stop(), 0, server.text())
        for leftover in ("ringmaster.db-wal", "ringmaster.db-shm"):
            (self.data / leftover).unlink(missing_ok=True)
        shutil.copyfile(kept, self.data / "ringmaster.db")
        before = self.noted()
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', JOBS)}", listen=listen)
        server.wait_until_ready()
        again = f"SELECT id, trigger_code, handle_code, trigger_msg FROM xxl_job_log WHERE id > {last} ORDER BY id"
        server.wait_for(lambda: len([row for row in self.rows(again) if row[2]]) >= 8, "eight runs after the restore have ended")
        self.assertEqual(server.stop(), 0, server.text())
        self.assertEqual(executor.stop(), 0, executor.text())
        new = self.noted()[len(before):]
        for run, trigger_code, handle_code, said in self.rows(again):
            if trigger_code == 200 and handle_code == 200:
                self.assertEqual(new.count(run), 1, f"run {run}")
            else:
                self.assertTrue(handle_code == 0 or said, f"run {run} ended as {trigger_code}, {handle_code} without a reason")
