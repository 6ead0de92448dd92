#!/usr/bin/env python3
"""Runs the real `ringmaster` binary in shared mode alongside a stand-in Java admin, on a private MariaDB of the test.

    run_shared_mode.py --ringmaster PATH [--seconds N] [--only TEXT] [--keep]

Counts every instant that either side fires: none twice, none lost, through edits, a kill -9 and a graceful stop. A separate check
shows the one residual: a Java console that saves a row which it read before the instant was taken. Prints one line per check;
exits with 0 if nothing failed.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.java_admin import JavaAdmin, console_save, console_start, console_stop, now_ms
from support.mariadb_server import MariadbServer
from support.mariadb_store import driver
from support.process import Process, environment, free_ports
from support.report import Skip
from support.waiting import wait_until

QUICK, SLOW, FAILING, EDITED, RATES = range(1, 61), range(101, 141), range(201, 206), range(301, 321), range(401, 421)
READY_DEADLINE_S = 20
CONFIG = """\
data_dir = "{folder}/data"
[server]
listen = "127.0.0.1:{port}"
[database]
url = "{url}"
migrate = "auto"
time_zone = "UTC"
[schedule]
time_zone = "UTC"
[security]
access_token = "shared-mode-test"
[cluster]
node = "rm"
"""


class Executor(ThreadingHTTPServer):
    """Accepts every run except those of FAILING jobs; remembers job and instant, and log ids as Java executors do."""
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address) -> None:
        """Ignores broken connections: a node that was killed does not read its answers."""

    def __init__(self):
        self.runs: list[tuple[int, int]] = []
        self.known: set[int] = set()
        # A child that another lane forks at this moment may still hold a port that was only seen to be free.
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        code = 200
        content = None
        if self.path.endswith("/run"):
            self.server.runs.append((body["jobId"], body["logDateTime"]))
            code = 500 if body["jobId"] in FAILING else 200
            if code == 200:
                self.server.known.add(body["logId"])
        elif self.path.endswith("/log"):  # the question of a node that does not know whether a run was delivered
            known = body["logId"] in self.server.known
            content = {"fromLineNum": 1, "toLineNum": int(known), "isEnd": True,
                       "logContent": "job execute start" if known else "readLog fail, logFile not exists"}
        answer = json.dumps({"code": code, "msg": "refused" if code == 500 else None, "content": content}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_arguments) -> None:
        pass


class Stage:
    """A database in shared mode with its jobs, an executor, and a Ringmaster node that can be restarted."""

    def __init__(self, binary: Path, folder: Path, server: MariadbServer, name: str):
        self.binary, self.folder = binary, folder / name
        (self.folder / "data").mkdir(parents=True)
        self.account = {"host": "127.0.0.1", "port": server.port, "user": "ringmaster", "password": server.password,
                        "database": name, "autocommit": True, "charset": "utf8mb4"}
        node_port, = free_ports(1)
        self.url = f"http://127.0.0.1:{node_port}"
        self.executor = Executor()
        self.config = self.folder / "ringmaster.toml"
        self.config.write_text(CONFIG.format(folder=self.folder, port=node_port, url=server.store(name).settings.split('"')[1]))
        self.node: Process | None = None
        self.command("migrate")
        self.command("takeover", "--back")
        self.sql = self.connect()
        self.run_sql("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list)"
                     " VALUES (1, 'app', 'App', 1, %s)", (f"http://127.0.0.1:{self.executor.server_port}/",))
        # Only an address that registered itself is trusted when it denies having a run.
        self.run_sql("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)"
                     " VALUES ('EXECUTOR', 'app', %s, now())", (f"http://127.0.0.1:{self.executor.server_port}/",))

    def connect(self):
        pymysql = driver()
        return pymysql.connect(**self.account, cursorclass=pymysql.cursors.DictCursor)

    def run_sql(self, text: str, values=()) -> list[dict]:
        with self.sql.cursor() as cursor:
            cursor.execute(text, values)
            return cursor.fetchall()

    def command(self, *words: str) -> str:
        done = subprocess.run([str(self.binary), words[0], "--config", str(self.config), *words[1:]], capture_output=True,
                              text=True, env=environment(), timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def add_job(self, job: int, step_s: int, retries: int = 0) -> None:
        begin = ((now_ms() + 2000) // (step_s * 1000) + 1) * step_s * 1000
        self.run_sql("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, schedule_conf, executor_route_strategy,"
                     " executor_handler, executor_param, executor_block_strategy, executor_fail_retry_count, glue_type,"
                     " glue_source, glue_updatetime, child_jobid, update_time, trigger_status, trigger_next_time)"
                     " VALUES (%s, 1, 'x', 'CRON', %s, 'FIRST', 'handler', '', 'SERIAL_EXECUTION', %s, 'BEAN', '',"
                     " '2024-01-01', '', '2024-01-01', 1, %s)", (job, f"*/{step_s} * * * * ?", retries, begin))

    def start(self) -> None:
        self.node = Process([str(self.binary), "serve", "--config", str(self.config)], self.folder / "ringmaster.log")
        wait_until(self.ready, READY_DEADLINE_S, "the node is ready", lambda: self.node.tail(6))

    def ready(self) -> bool:
        if not self.node.alive():
            raise RuntimeError(f"ringmaster ended: {self.node.tail(6)}")
        return subprocess.run(["curl", "-fs", "-m", "1", f"{self.url}/readyz"], capture_output=True, check=False).returncode == 0

    def close(self) -> None:
        if self.node:
            self.node.kill()
        self.executor.shutdown()


def edit_jobs(stage: Stage, stopping: threading.Event, errors: list[str]) -> None:
    """Saves rows as a Java console does, each locked from read to write: the check of the residual tests overlaps. A job that was
    stopped stays so for more than a second (docs/beside_java_admins.md, Known limits)."""
    chance = random.Random(7)
    stopped_at: dict[int, float] = {}
    connection = stage.connect()
    try:
        while not stopping.wait(0.05):
            with connection.cursor() as cursor:
                connection.begin()
                cursor.execute("SELECT * FROM xxl_job_info WHERE id = %s FOR UPDATE", (chance.choice(EDITED),))
                job = cursor.fetchone()
                if job["trigger_status"] == 1 and chance.random() < 0.5:
                    console_stop(job)
                    stopped_at[job["id"]] = time.monotonic()
                elif job["trigger_status"] == 0 and time.monotonic() > stopped_at[job["id"]] + 1.5:
                    console_start(job)
                else:
                    job["executor_param"] = str(chance.random())
                console_save(cursor, job)
                connection.commit()
    except Exception as failure:  # pylint: disable=broad-except
        errors.append(f"console: {failure!r}")


def lists(title: str, values) -> list[str]:
    some = sorted(values)
    return [f"{title}: {len(some)}, first {some[:5]}"] if some else []


def side_by_side(stage: Stage, version: str, seconds: float) -> list[str]:
    for job in QUICK:
        stage.add_job(job, 1)
    for job in SLOW:
        stage.add_job(job, 2)
    for job in FAILING:
        stage.add_job(job, 2, retries=1)
    for job in EDITED:
        stage.add_job(job, 1)
    java = JavaAdmin(stage.connect, version)
    stage.start()
    java.start()
    stopping, problems = threading.Event(), []
    console = threading.Thread(target=edit_jobs, args=(stage, stopping, problems))
    console.start()
    begin = now_ms()
    time.sleep(seconds * 0.3)
    stage.node.kill()  # -9: its reserved instants wait for its next incarnation
    stage.start()
    time.sleep(seconds * 0.4)
    stopping.set()
    console.join()
    if stage.node.terminate() != 0:  # gracefully: its reserved instants are given back to Java
        problems.append("the node did not end well: " + str(stage.node.tail(4)))
    time.sleep(seconds * 0.3)
    end = now_ms()
    java.stop()
    return problems + java.errors + account(stage, java, begin, end)


def graceful_stop(stage: Stage, version: str) -> list[str]:
    """Stops the only node while a Java admin sleeps as a real one does: no instant is lost, fixed rates keep their phase."""
    for job in QUICK:
        stage.add_job(job, 1)
    for job in SLOW:
        stage.add_job(job, 2)
    for job in RATES:
        stage.add_job(job, 2)
        stage.run_sql("UPDATE xxl_job_info SET schedule_type = 'FIX_RATE', schedule_conf = '2',"
                      " trigger_next_time = trigger_next_time + %s WHERE id = %s", (job % 2 * 1000, job))
    java = JavaAdmin(stage.connect, version, sleeps=True)
    stage.start()
    java.start()
    begin = now_ms()
    time.sleep(12.3)
    problems, stopped_at = [], now_ms()
    if stage.node.terminate() != 0:
        problems.append("the node did not end well: " + str(stage.node.tail(4)))
    if now_ms() - stopped_at > 9000:
        problems.append(f"the stop took {now_ms() - stopped_at} ms")
    time.sleep(9)
    end = now_ms()
    java.stop()
    counts = Counter(stage.executor.runs) + Counter(java.fired)
    problems += lists("fired twice", (run for run, times in counts.items() if times > 1))
    first = begin + 6000 - (begin + 6000) % 2000
    wanted = {(job, instant) for jobs, step in ((QUICK, 1000), (SLOW, 2000)) for job in jobs
              for instant in range(first, end - 1000, step)}
    wanted |= {(job, instant) for job in RATES for instant in range(first + job % 2 * 1000, end - 1000, 2000)}
    problems += lists("lost", wanted - set(counts))
    if java.late:
        problems.append(f"the Java admin came to {java.late} instants late")
    if not java.fired:
        problems.append("the Java admin fired nothing")
    print(f"      {len(stage.executor.runs)} instants by Ringmaster, {len(java.fired)} by Java")
    return problems + java.errors


def account(stage: Stage, java: JavaAdmin, begin: int, end: int) -> list[str]:
    ours = [run for run in stage.executor.runs if run[0] not in FAILING]
    theirs = [run for run in java.fired if run[0] not in FAILING]
    counts = Counter(ours) + Counter(theirs)
    problems = lists("fired twice", (run for run, times in counts.items() if times > 1))
    wanted = {(job, instant) for jobs, step in ((QUICK, 1000), (SLOW, 2000)) for job in jobs
              for instant in range(begin + 6000 - (begin + 6000) % 60000, end - 1000, step) if instant > begin + 6000}
    problems += lists("lost", wanted - set(counts))
    if len(ours) < len(QUICK) or not theirs:
        problems.append(f"no contest: {len(ours)} fired by Ringmaster, {len(theirs)} by Java")
    retries = {row["origin_log_id"] for row in stage.run_sql("SELECT origin_log_id FROM rm_intent WHERE kind = 'retry'")}
    failed = {row["id"] for row in stage.run_sql("SELECT id FROM xxl_job_log WHERE trigger_code = 500"
                                                 " AND executor_fail_retry_count = 1")}
    problems += lists("failed and not retried", failed - retries - set(java.retried))
    problems += lists("retried by both", retries & set(java.retried))
    if not failed:
        problems.append("nothing failed")
    print(f"      {len(ours)} instants by Ringmaster, {len(theirs)} by Java, {len(retries)} retries")
    return problems


def residual(stage: Stage, version: str) -> list[str]:
    """A console reads a row, an instant is taken and fired, the console saves: Java fires the instant again, Ringmaster never."""
    stage.add_job(1, 5)
    stage.start()
    console = stage.connect()
    with console.cursor() as cursor:
        cursor.execute("SELECT * FROM xxl_job_info WHERE id = 1")
        old = cursor.fetchone()
        instant = (1, old["trigger_next_time"])
        wait_until(lambda: instant in stage.executor.runs, 15, "Ringmaster fires the instant")
        old["job_desc"] = "saved late"
        console_save(cursor, old)
    wait_until(lambda: (1, instant[1] + 5000) in stage.executor.runs, 15, "the next instant is fired")
    problems = lists("fired twice by Ringmaster", (run for run, times in Counter(stage.executor.runs).items() if times > 1))
    stage.node.terminate()
    # The same with a Java admin and without Ringmaster: Java has no unique key that refuses the instant.
    java = JavaAdmin(stage.connect, version)
    with console.cursor() as cursor:
        old["trigger_next_time"] = max(instant for _, instant in stage.executor.runs)
        console_save(cursor, old)
    java.start()
    again = (1, old["trigger_next_time"])
    try:
        wait_until(lambda: again in java.fired, 4, "Java fires an instant again that Ringmaster fired: the documented residual")
    finally:
        java.stop()
    return problems + java.errors


def takeover(stage: Stage, _version: str) -> list[str]:
    """Switches to native mode while node and Java admin run, and back; meanwhile Java finds nothing to do."""
    for job in QUICK:
        stage.add_job(job, 1)
    stage.start()
    java = JavaAdmin(stage.connect, "3.4")
    java.start()
    begin = now_ms()
    time.sleep(3)
    stage.command("takeover")
    before = len(java.fired)
    wait_until(stage.ready, 10, "the node is ready in native mode")
    wait_until(lambda: "holds XXL-JOB's schedule lock" in "".join(stage.node.tail(50)), 5, "the guard holds the lock",
               lambda: stage.node.tail(20))
    time.sleep(4)
    problems = lists("fired by Java in native mode", java.fired[before:])
    stage.command("takeover", "--back")
    wait_until(stage.ready, 10, "the node is ready in shared mode")
    time.sleep(6)
    stage.node.terminate()
    time.sleep(3)
    end = now_ms()
    java.stop()
    counts = Counter(stage.executor.runs) + Counter(java.fired)
    problems += lists("fired twice", (run for run, times in counts.items() if times > 1))
    wanted = {(job, instant) for job in QUICK for instant in range(begin - begin % 1000 + 4000, end - 1000, 1000)}
    return problems + java.errors + lists("lost", wanted - set(counts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringmaster", type=Path, required=True, metavar="PATH")
    parser.add_argument("--seconds", type=float, default=8, metavar="N", help="duration of each side-by-side check")
    parser.add_argument("--only", default="", metavar="TEXT")
    arguments = parser.parse_args()
    checks = {"2.4: side by side": (side_by_side, "2.4"), "3.4: side by side": (side_by_side, "3.4"),
              "2.4: graceful stop": (graceful_stop, "2.4"), "3.0: graceful stop": (graceful_stop, "3.0"),
              "3.4: graceful stop": (graceful_stop, "3.4"), "residual": (residual, "3.4"), "takeover": (takeover, "")}
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="shared-mode-") as folder:
        names = tuple(f"shared_{position}" for position in range(len(checks)))
        try:
            server = MariadbServer(Path(folder) / "mariadb", names)
            server.folder.mkdir()
            server.start()
        except Skip as reason:
            print(f"SKIP  shared mode: {reason}\ncases: passed=0 failed=0 skipped={len(checks)}")
            return 0
        def run(database: str, name: str) -> bool:
            check, version = checks[name]
            stage = Stage(arguments.ringmaster.resolve(), Path(folder), server, database)
            try:
                extra = (arguments.seconds,) if check is side_by_side else ()
                problems = check(stage, version, *extra)
            except (TimeoutError, RuntimeError) as failure:
                problems = [str(failure)]
            finally:
                stage.close()
            if problems and stage.node:
                problems += [line for line in stage.node.tail(1000) if " warning " in line or " error " in line][-8:]
            print("\n      ".join([("FAIL  " if problems else "PASS  ") + name, *problems]), flush=True)
            return not problems

        try:
            wanted = [(database, name) for database, name in zip(names, checks) if arguments.only in name]
            skipped = len(checks) - len(wanted)
            with ThreadPoolExecutor(2) as lanes:  # they mostly wait
                failed = list(lanes.map(lambda one: run(*one), wanted)).count(False)
        finally:
            server.close()
    print(f"cases: passed={len(checks) - failed - skipped} failed={failed} skipped={skipped}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
