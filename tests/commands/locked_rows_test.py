"""Another transaction locks the rows of some jobs, like a backup with locks: the node keeps its incarnation, other jobs fire."""

import contextlib
import re
import threading
import time
import urllib.request

from command_case import DEADLINE_S
from mariadb_case import MariadbCase, driver
from stub_executor import StubExecutor

FREE, HELD = 20, 100
# The default lease of a node is 1.5 s; earlier versions waited one second per claim for such rows.
HELD_S = 6
# A busy machine is late too. A claim that waits for the rows is later than this.
LATE_S = 1.0


class Recorder(StubExecutor):
    """Accepts every run; stores its arrival time and its instant."""

    def __init__(self, case):
        self.lock = threading.Lock()
        self.taken: list[tuple[str, float, float]] = []
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict | None:
        if path == "/run":
            with self.lock:
                self.taken.append((asked["executorParams"], time.time(), asked["logDateTime"] / 1000))
        return {"code": 200, "msg": None}

    def of(self, kind: str, since: float) -> list[tuple[float, float]]:
        with self.lock:
            return [(came, due) for param, came, due in self.taken if param == kind and due >= since]


class LockedRowsTest(MariadbCase):
    def jobs_file(self, address: str) -> str:
        text = f'[[group]]\napp_name = "pay-worker"\naddresses = ["{address}"]\n'
        for kind, count in (("free", FREE), ("held", HELD)):
            for number in range(count):
                text += (f'\n[[job]]\ngroup = "pay-worker"\nkey = "{kind}-{number}"\nhandler = "h"\nparams = "{kind}"\n'
                         'schedule = { rate = "1s" }\n')
        return self.write("jobs.toml", text)

    @contextlib.contextmanager
    def held(self, jobs: list[int]):
        connection = driver().connect(host="127.0.0.1", port=self.server.port, user="admin", password=self.server.password,
                                      database=self.database, autocommit=False, read_timeout=DEADLINE_S)
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")  # otherwise other rows are locked too
            these = ",".join(map(str, jobs))
            cursor.execute(f"SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({these}) FOR UPDATE")
            self.assertEqual(len(cursor.fetchall()), HELD)
            yield
            connection.rollback()

    def metric(self, server, name: str) -> int:
        with urllib.request.urlopen(server.address() + "/metrics", timeout=DEADLINE_S) as reply:
            found = re.search(rf"^{name}(?:\{{[^}}]*\}})? (\d+)", reply.read().decode(), re.M)
        return int(found[1]) if found else 0

    def test_held_jobs_are_late_alone(self):
        executor = Recorder(self)
        self.succeed("migrate")
        self.succeed("apply", self.jobs_file(executor.address))
        server = self.start()
        server.wait_until_ready()
        server.wait_for(lambda: len(executor.of("held", 0)) >= 2 * HELD and len(executor.of("free", 0)) >= 2 * FREE, "all fire")
        life = self.sql("SELECT incarnation, state FROM rm_node")
        with self.held([row[0] for row in self.sql("SELECT id FROM xxl_job_info WHERE executor_param = 'held'")]):
            begun = time.time()
            server.wait_for(lambda: len(executor.of("free", begun + HELD_S)) >= FREE or time.time() > begun + 3 * HELD_S,
                            "the others fire")
            ended = time.time()
            during = [(came, due) for came, due in executor.of("held", begun + 1) if came < ended]
        free = executor.of("free", begun)
        self.assertEqual(during, [], "a held job was claimed")
        for second in range(int(begun) + 2, int(begun) + HELD_S):
            self.assertEqual(sum(1 for _, due in free if int(due) == second), FREE, f"firings of second {second}")
        self.assertLess(max(came - due for came, due in free), LATE_S)
        self.assertEqual(self.sql("SELECT incarnation, state FROM rm_node"), life)
        self.assertNotIn("loses incarnation", server.text())
        self.assertGreaterEqual(self.metric(server, "ringmaster_claims_locked_total"), HELD)
        self.assertEqual(self.metric(server, "ringmaster_node_lives_lost_total"), 0)
        server.wait_for_line("jobs and 0 runs that wait cannot be claimed now")
        server.wait_for(lambda: len(executor.of("held", ended)) >= HELD, "the held jobs fire again")
        self.assertEqual(server.stop(), 0)
