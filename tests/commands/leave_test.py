"""A node that stops while an executor hangs: the other node plans its slots at once, not after `drain_timeout`."""

import re
import signal
import threading
import time

from command_case import DEADLINE_S
from mariadb_case import MariadbCase
from stub_executor import StubExecutor

FREE, HUNG = 60, 6
# Of 10 s of `drain_timeout`.
WATCHED_S = 6
# A busy machine is late too. Without the hand-over, instants are up to 10 s late.
LATE_S = 1.0
TAKEN_OVER_S = 3.0


class Recorder(StubExecutor):
    """Stores the arrival time and the instant of every run; answers them while it does not hang."""

    def __init__(self, case):
        self.goes_on = threading.Event()
        self.goes_on.set()
        case.addCleanup(self.goes_on.set)
        self.lock = threading.Lock()
        self.taken: list[tuple[float, float]] = []
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict | None:
        if path == "/run":
            with self.lock:
                self.taken.append((time.time(), asked["logDateTime"] / 1000))
        if self.goes_on.is_set():
            return {"code": 200, "msg": None}
        self.goes_on.wait(DEADLINE_S)
        return None  # the node has given up

    def of(self, since: float) -> list[tuple[float, float]]:
        with self.lock:
            return [(came, due) for came, due in self.taken if due >= since]


class LeaveTest(MariadbCase):
    def jobs_file(self, **executors: StubExecutor) -> str:
        text = ""
        for (name, executor), count in zip(executors.items(), (FREE, HUNG)):
            text += f'[[group]]\napp_name = "{name}"\naddresses = ["{executor.address}"]\n'
            for number in range(count):
                text += (f'\n[[job]]\ngroup = "{name}"\nkey = "{number}"\nhandler = "h"\nschedule = {{ rate = "1s" }}\n'
                         'misfire = "do_nothing"\n')
        return self.write("jobs.toml", text)

    def start_node(self, name: str):
        server = self.start(data=self.folder / name)
        server.wait_until_ready()
        return server

    def states(self) -> list[tuple]:
        return sorted(self.sql("SELECT state, serves FROM rm_node"))

    def test_the_others_plan_while_a_node_waits_for_its_executors(self):
        free, hung = Recorder(self), Recorder(self)
        self.succeed("migrate")
        self.succeed("apply", self.jobs_file(free=free, hung=hung))
        leaving, staying = self.start_node("one"), self.start_node("two")
        staying.wait_for_line(r"serves \d+ slots among 2 nodes")
        leaving.wait_for_line(r"serves \d+ slots among 2 nodes")
        hung.goes_on.clear()
        begun = time.time()
        leaving.wait_for(lambda: len(hung.of(begun)) >= 2 * HUNG, "runs hang")
        stopped = time.time()
        leaving.signal(signal.SIGTERM)
        staying.wait_for_line("serves 256 slots among 1 nodes")
        taken_over = time.time() - stopped
        self.assertEqual(self.states(), [("up", 0), ("up", 1)])
        leaving.wait_for(lambda: time.time() >= stopped + WATCHED_S, "it waits for its executor")
        runs = free.of(stopped)
        latest = max(came - due for came, due in runs)
        print(f"slots taken over after {taken_over:.2f} s, latest run {1000 * latest:.0f} ms after its instant", flush=True)
        self.assertLess(taken_over, TAKEN_OVER_S)
        self.assertLess(latest, LATE_S)
        for second in range(int(stopped) + 1, int(stopped) + WATCHED_S - 1):
            self.assertEqual(sum(1 for _, due in runs if int(due) == second), FREE, f"firings of second {second}")
        self.assertEqual(len(set(re.findall(r"hands its slots over", leaving.text()))), 1)
        self.assertEqual(leaving.child.wait(DEADLINE_S), 0)
        self.assertGreater(time.time(), stopped + WATCHED_S)
        self.assertEqual(self.states(), [("down", 1), ("up", 1)])
        hung.goes_on.set()
        self.assertEqual(staying.stop(), 0)

    def test_a_node_joins_when_it_knows_its_jobs(self):
        free, hung = Recorder(self), Recorder(self)
        self.succeed("migrate")
        self.succeed("apply", self.jobs_file(free=free, hung=hung))
        first = self.start_node("one")
        first.wait_for(lambda: len(free.of(0)) >= 2 * FREE, "all fire")
        begun = time.time()
        second = self.start_node("two")
        first.wait_for_line(r"serves \d+ slots among 2 nodes")
        first.wait_for(lambda: time.time() >= begun + WATCHED_S, "both fire")
        runs = free.of(begun)
        self.assertLess(max(came - due for came, due in runs), LATE_S)
        for instant in range(int(begun) + 1, int(begun) + WATCHED_S - 1):
            self.assertEqual(sum(1 for _, due in runs if int(due) == instant), FREE, f"firings of second {instant}")
        text = second.text()
        self.assertLess(text.index("jobs loaded"), re.search(r"serves \d+ slots among 2 nodes", text).start())
        for server in (first, second):
            self.assertEqual(server.stop(), 0)
