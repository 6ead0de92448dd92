"""Jobs of the types script and http: `ringmaster executor` runs them by configuration alone."""

import http.server
import json
import os
import signal
import threading
from dataclasses import dataclass

from command_case import DEADLINE_S, Server
from elastic_case import EACH_SECOND, GROUP, ElasticCase, said
from notes import LOST, boot_us

FINISHED = 2

# Notes its begin, and a beat each 10 ms for so long.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys, time
path, ms, context = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def note(event):
    facts = {name[3:].lower(): value for name, value in os.environ.items() if name.startswith("EJ_")}
    facts |= {"event": event, "us": time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, "pid": os.getpid(), "context": context}
    with open(path, "a") as out:
        out.write(json.dumps(facts) + "\\n")

print("hello from item", os.environ["EJ_ITEM"], flush=True)
note("begin")
for _ in range(ms // 10):
    time.sleep(0.01)
    note("beat")
note("end")
"""


@dataclass
class Begin:
    """Begin of a program."""
    us: int
    pid: int
    facts: dict


def typed_job(name: str, total: int, kind: str, props: dict[str, str], **options: object) -> str:
    """Returns the declaration of a job with a type instead of a handler."""
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'

    given = {"group": GROUP, "name": name, "type": kind, "total": total} | options
    lines = [f"{key} = {text(value)}" for key, value in given.items()]
    pairs = ", ".join(f'"{key}" = {json.dumps(value)}' for key, value in props.items())
    return "\n".join(["", "[[elastic_job]]", *lines, f'schedule = {{ cron = "{EACH_SECOND}" }}', f"props = {{ {pairs} }}", ""])


class Calls(http.server.BaseHTTPRequestHandler):
    """Keeps the requests of jobs."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append((self.path, self.headers["shardingContext"], body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class TypesTest(ElasticCase):
    def setUp(self):
        super().setUp()
        program = self.folder / "scripts" / "note.py"
        self.write("scripts/note.py", PROGRAM)
        program.chmod(0o755)
        self.noted = self.folder / "programs.notes"
        self.target = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Calls)
        self.target.calls = []
        threading.Thread(target=self.target.serve_forever, daemon=True).start()
        self.addCleanup(self.target.server_close)
        self.addCleanup(self.target.shutdown)
        self.target_url = f"http://127.0.0.1:{self.target.server_port}"

    def script_job(self, name: str, total: int, ms: int, **options: object) -> str:
        return typed_job(name, total, "script", {"script.command.line": f"note.py {self.noted} {ms}"}, **options)

    def start_executor(self, name: str) -> Server:
        """Starts an executor, and waits until the server has admitted it."""
        before = self.hosts_up()
        config = self.write(f"{name}.toml", f"""[executor]
app_name = "{GROUP}"
nodes = ["{self.link}"]
listen = ""
elastic = true
elastic_capacity = 16
elastic_scripts = ["scripts"]
http_allowed = ["{self.target_url}/in/"]
""")
        child = Server([self.binary, "executor", "--config", config, *self.link_words("executor"),
                        "--set", f"security.access_token={self.token()}"], self.folder / f"{name}.log",
                       self.environment({"RINGMASTER_DATA_DIR": str(self.folder / name)}))
        self.addCleanup(child.child.wait)
        self.addCleanup(lambda: child.child.poll() is None and child.child.kill())
        child.wait_for(lambda: self.hosts_up() > before, "the executor is a host")
        return child

    def programs(self) -> list[dict]:
        text = self.noted.read_text(encoding="utf-8") if self.noted.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def begins(self, job: str, item: int) -> list[Begin]:
        return [Begin(note["us"], note["pid"], note) for note in self.programs()
                if (note["event"], note["job"], note["item"]) == ("begin", job, str(item))]

    def last_beat_us(self, pid: int) -> int:
        return max(note["us"] for note in self.programs() if note["pid"] == pid)

    def executor_of(self, pid: int, executors: list[Server]) -> Server:
        """Returns the executor whose program this is: the parent of its supervisor."""
        def parent_of(process: int) -> int:
            with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
                return int(stat.read().rsplit(")", 1)[1].split()[1])

        host = parent_of(parent_of(pid))
        return next(each for each in executors if each.child.pid == host)

    def taken_over(self, server: Server, job: str, first: Begin) -> Begin:
        """Waits for the takeover of a program, and checks it."""
        def found() -> Begin | None:
            return next((each for each in self.begins(job, 0) if each.facts["attempt"] == "2"), None)

        taken = server.wait_for(found, "the item is taken over")
        self.assertEqual(taken.facts["source"], "FAILOVER")
        self.assertGreater(int(taken.facts["fence"]), int(first.facts["fence"]))
        run = int(first.facts["task_id"].rsplit("@-@", 1)[1])
        self.assertEqual(self.state_of(run), LOST)
        self.assertLess(self.last_beat_us(first.pid), taken.us, "two programs of the item ran at once")
        return taken

    def test_an_executor_runs_both_types_by_configuration_alone(self):
        call = {"http.uri": f"{self.target_url}/in/x", "http.method": "POST", "http.data": "a=b"}
        forbidden = {"http.uri": f"{self.target_url}/out"}
        server = self.start_server(self.script_job("shown", 2, 20, param="dä y", item_params="0=nörd,1=south")
                                   + typed_job("called", 2, "http", call, item_params="0=nörd")
                                   + typed_job("kept-out", 1, "http", forbidden))
        # A host without the types gets none of these items.
        self.start_workers("plain")
        self.start_executor("typed")

        def ends(job: str) -> list:
            return [run for run in self.stored_runs(job) if run.state > 1]

        server.wait_for(lambda: all(len(ends(job)) >= 4 for job in ("shown", "called")) and ends("kept-out"), "runs end")
        self.assertEqual({run.state for job in ("shown", "called") for run in ends(job)}, {FINISHED})
        for item, param in ((0, "nörd"), (1, "south")):
            facts = self.begins("shown", item)[0].facts
            self.assertEqual((facts["total"], facts["param"], facts["item_param"], facts["attempt"]), ("2", "dä y", param, "1"))
            self.assertEqual(json.loads(facts["context"]), {
                "jobName": "shown", "taskId": facts["task_id"], "shardingTotalCount": 2, "jobParameter": "dä y",
                "shardingItem": item, "shardingParameter": param})
        logs = [path.read_text(encoding="utf-8") for path in (self.folder / "typed").rglob("joblogs/elastic/*/*.log")]
        self.assertTrue(any("hello from item 1\n" in text for text in logs), logs)
        self.assertTrue(any("is not among the addresses" in text for text in logs), logs)
        contexts = [json.loads(context) for path, context, body in self.target.calls if (path, body) == ("/in/x", b"a=b")]
        self.assertEqual(len(contexts), len(self.target.calls), self.target.calls)
        self.assertEqual({context["shardingItem"] for context in contexts}, {0, 1})
        self.assertIn("nörd", {context.get("shardingParameter") for context in contexts})
        self.assertTrue(all(context.isascii() for _, context, _ in self.target.calls))

    def test_a_script_of_a_killed_executor_is_taken_over(self):
        server = self.start_server(self.script_job("fallen", 1, 60_000, failover=True))
        executors = [self.start_executor(name) for name in ("x", "y")]
        first = server.wait_for(lambda: self.begins("fallen", 0), "the program begins")[0]
        victim = self.executor_of(first.pid, executors)
        killed_us = boot_us()
        victim.signal(signal.SIGKILL)
        victim.child.wait(DEADLINE_S)
        taken = self.taken_over(server, "fallen", first)
        said("takeover of a script after kill -9", killed_us, taken.us)

    def test_a_script_of_a_stopped_executor_ends_with_its_lease(self):
        server = self.start_server(self.script_job("fenced", 1, 60_000, failover=True, fence_mode="fast"))
        executors = [self.start_executor(name) for name in ("x", "y")]
        first = server.wait_for(lambda: self.begins("fenced", 0), "the program begins")[0]
        victim = self.executor_of(first.pid, executors)
        stopped_us = boot_us()
        victim.signal(signal.SIGSTOP)
        taken = self.taken_over(server, "fenced", first)
        said("end of the script of a stopped executor", stopped_us, self.last_beat_us(first.pid))
        said("takeover of a script after SIGSTOP", stopped_us, taken.us)
        self.assertFalse(os.path.exists(f"/proc/{first.pid}"), "the program outlived its lease")
        victim.signal(signal.SIGCONT)
        victim.wait_for_line(r"item run \d+: its lease has ended")
