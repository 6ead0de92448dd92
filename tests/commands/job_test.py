"""`ringmaster job`, `run` and `forecast`: their output, their effects, their exit codes."""

import contextlib
import json
import re
import socket
import sqlite3
import threading
from pathlib import Path

from command_case import JOBS, Case, job
from stub_executor import StubExecutor, report


class Executor(StubExecutor):
    """Accepts `/run` and reports success to the server with a callback, like an executor."""

    def __init__(self, case: Case, code: int = 200):
        self.seen: list[dict] = []
        # Code of the first run, then of all later ones.
        self.codes: list[int] = []
        self.code, self.server_address, self.token = code, "", ""
        super().__init__(case)

    def answer(self, path: str, asked: dict) -> dict:
        if path.endswith("run"):
            self.seen.append(asked)
            code = self.codes.pop(0) if self.codes else self.code
            arguments = (self.server_address + "/xxl-job-admin", self.token, asked, code, "said so")
            threading.Thread(target=report, args=arguments, daemon=True).start()
        return {"code": 200}


def documented_words() -> dict[str, str]:
    """Returns the word for each state in docs/execution_states.md, for tables and JSON."""
    text = (Path(__file__).resolve().parents[2] / "docs/execution_states.md").read_text(encoding="utf-8")
    table = re.search(r"^## States$.*?^(\|.*?)^$", text, re.M | re.S)[1]
    cells = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()[2:]]
    return {row[0].strip("`"): row[3] for row in cells}


class FinerWord:
    """One row of the table of finer words in docs/execution_states.md."""

    def __init__(self, cells: list[str]):
        self.word, self.says = cells[0].strip("`"), cells[2].split(", ")
        self.codes, self.result = re.findall(r"`(\w+)`", cells[3]), cells[4].strip("`")


def finer_words() -> dict[str, FinerWord]:
    text = (Path(__file__).resolve().parents[2] / "docs/execution_states.md").read_text(encoding="utf-8")
    table = re.search(r"^### Finer words$.*?^(\|.*?)^$", text, re.M | re.S)[1]
    rows = [FinerWord([cell.strip() for cell in line.strip("|\n ").split("|")]) for line in table.splitlines()[2:]]
    return {row.word: row for row in rows}


def values_of(schema, some: str) -> set[str]:
    """Returns the first list of values in the API's document that has this one."""
    if isinstance(schema, dict) and some in schema.get("enum", []):
        return set(schema["enum"]) - {None}
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    return next((found for part in parts if (found := values_of(part, some))), set())


class JobTest(Case):
    def declare(self, text: str = JOBS) -> None:
        self.succeed("apply", self.write("jobs.toml", text))

    def json(self, *arguments: str) -> dict:
        return json.loads(self.succeed(*arguments, "--json").out)

    def test_list_and_show(self):
        self.declare(JOBS + job("poll", "interval_ms = 250\njitter_ms = 20"))
        listed = self.succeed("job", "list").out.splitlines()
        self.assertEqual(len(listed), 3)
        self.assertIn("every 250 ms", listed[1])
        self.assertRegex(listed[2], r"^1  +pay-worker/settle +settle +0 0 1 \* \* \? +scheduled +\d{4}-")
        first = self.json("job", "list", "--limit", "1")
        self.assertEqual(([each["key"] for each in first["items"]], first["total"]), (["poll"], 2))
        self.assertIn(f"more: --cursor {first['next']}\n", self.succeed("job", "list", "--limit", "1").out)
        rest = self.json("job", "list", "--cursor", first["next"])
        self.assertEqual(([each["key"] for each in rest["items"]], rest["next"]), (["settle"], None))
        self.assertEqual(self.json("job", "list", "--stopped")["items"], [])
        for word in ("--scheduled", "--running"):
            self.assertEqual(len(self.json("job", "list", word)["items"]), 2)
        self.assertEqual(len(self.json("job", "list", "--group", "pay-worker")["items"]), 2)
        self.refuse(1, "unknown group none", "job", "list", "--group", "none")
        shown = self.json("job", "show", "pay-worker/poll")
        self.assertEqual((shown["interval_ms"], shown["jitter_ms"], shown["schedule"]["conf"], shown["last_runs"]),
                         (250, 20, "1", []))
        shown = self.succeed("job", "show", "2").out
        self.assertIn("jitter:", shown)
        # Runs that a user started are in the table below.
        self.assertRegex(shown, r"(?m)^last: +never fired by its schedule$")

    def test_stop_start_and_apply(self):
        self.declare()
        self.assertEqual(self.succeed("job", "stop", "pay-worker/settle").out, "pay-worker/settle stopped\n")
        self.assertEqual(self.rows("SELECT trigger_status, trigger_last_time, trigger_next_time FROM xxl_job_info"), [(0, 0, 0)])
        self.declare()
        self.assertFalse(self.json("job", "show", "1")["running"])
        started = self.json("job", "start", "1")["items"][0]["done"]
        self.assertEqual((started["job"], started["on_their_way"]), (1, 0))
        self.assertEqual(self.rows("SELECT next_ms FROM rm_schedule"), [(started["next_ms"],)])

    def test_wrong_names_and_refusals(self):
        self.declare(JOBS + job("child"))
        self.refuse(1, "unknown job pay-worker/none", "job", "show", "pay-worker/none")
        self.refuse(1, "job 77 does not exist", "job", "stop", "77")
        self.refuse(2, 'invalid job "none"; expected an id or group/key', "job", "stop", "none")
        self.refuse(2, "a job without a schedule cannot be started, only triggered", "job", "start", "pay-worker/child")
        self.refuse(2, 'addresses: "here" is not an address; expected http://host:port/, at most 255 characters', "job",
                    "trigger", "1", "--address", "here")
        for text in ("", " ", ",", "http://127.0.0.1:9/,", "http://127.0.0.1:9/, ,http://127.0.0.1:8/"):
            self.refuse(2, "--address: empty address; omit the option to use the group's executors", "job", "trigger",
                        "1", "--address", "http://127.0.0.1:9/", "--address", text)
        self.assertEqual(self.rows("SELECT * FROM rm_intent"), [])
        self.refuse(1, "run 1 does not exist", "run", "show", "1")
        for text in ("0", "-1", "x", "99999999999999999999"):
            self.assertIn(f'"{text}" is not a valid run id', self.run_it("run", "show", "--", text).err)
        self.refuse(2, 'the parameter cursor must be the "next" value of the previous page', "run", "list", "--cursor", "12")
        self.assertEqual(self.run_it("job").code, 2)
        self.assertEqual(self.run_it("job", "explode").code, 2)

    def test_no_database_is_made(self):
        result = self.run_it("job", "list")
        self.assertEqual(result.code, 1, result)
        self.assertFalse((self.data / "ringmaster.db").exists())

    def test_remove(self):
        self.declare()
        self.refuse(1, "job 1 is declared by the source apply and would come back with its next apply; take it out of the file "
                       "and apply with --prune", "job", "remove", "1", "--yes")
        self.succeed("job", "remove", "1", "--declared-too", "--yes")
        self.assertEqual(self.jobs(), [])

    def test_many_at_once(self):
        self.declare(JOBS + job("one", 'schedule = { cron = "0 0 2 * * ?" }\nmisfire = "do_nothing"') + job("child"))
        result = self.run_it("job", "start", "pay-worker/settle", "2", "pay-worker/child", "77", "2")
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, r"\Apay-worker/settle started; next at .*\njob 2 started; next at .*\n\Z")
        self.assertEqual([line.split(":")[:2] for line in result.errors],
                         [["ringmaster", " pay-worker/child"], ["ringmaster", " job 77"]])
        items = json.loads(self.run_it("job", "stop", "1", "77", "--json").out)["items"]
        self.assertEqual([(each["id"], each["status"]) for each in items], [(1, 200), (77, 404)])
        self.assertEqual(items[1]["problem"]["type"], "urn:ringmaster:not_found")
        self.succeed("job", "remove", "2", "3", "--declared-too", "--yes")
        self.assertEqual(self.jobs(), ["settle"])

    def test_words_of_states_are_the_documented_ones(self):
        self.declare()
        codes = {"claimed": [(0, 0)], "running": [(200, 0)], "succeeded": [(200, 200)], "failed": [(200, 500), (200, 502)],
                 "trigger_failed": [(500, 0)], "result_before_answer": [(0, 200), (0, 500)]}
        for trigger, handle in (pair for pairs in codes.values() for pair in pairs):
            with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as database, database:
                database.execute("DELETE FROM xxl_job_log")
                database.execute("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code)"
                                 " VALUES (1, 1, '2026-01-02 03:04:05', ?, ?)", (trigger, handle))
            shown = re.split(r"  +", self.succeed("run", "list").out.splitlines()[1])[3]
            told = self.json("run", "list")["items"][0]["status"]
            state = next(state for state, pairs in codes.items() if (trigger, handle) in pairs)
            word = documented_words()[state]
            with self.subTest(state=state, trigger=trigger, handle=handle):
                if state == "result_before_answer":
                    self.assertEqual(word, "as with the result")
                    word = documented_words()["succeeded" if handle == 200 else "failed"]
                self.assertEqual((f"`{shown}`", f"`{told}`"), (word, word))

    def test_finer_words_are_the_documented_ones(self):
        self.declare()
        note = "rm1;cron;host;FIRST;0/1;SERIAL_EXECUTION;5;0;"
        rows = [("timed_out", 200, 502, note, "job execute timeout"),
                ("killed", 200, 500, note, "Manual operation, kill job:killed"),
                ("killed", 200, 500, note, "scheduling center kill job. [job running, killed]"),
                ("killed", 200, 500, note, "block strategy effect：Cover Early [job running, killed]"),
                ("killed", 200, 500, note,
                 "web container destroy and kill the job. [job not executed, in the job queue, killed.]"),
                ("lost", 200, 500, note, "Job result lost, marked as failure"),
                ("lost", 200, 500, note, "任务结果丢失，标记失败"),
                ("not_sent", 500, 0, note + "Trigger Fail：registry address is empty", None),
                ("not_sent", 500, 0, note + "http://10.0.0.7:9999/: connection refused", None),
                ("not_sent", 500, 0, note + "refused: job handler [settle] not found.", None),
                ("unknown", 500, 0, note + "delivery unknown: no reply within 3000 ms", None),
                ("unknown", 500, 0, note + "delivery unknown: the owner ended", None),
                ("missed", 500, 0, "rm3;missed;host;FIRST;0/1;SERIAL_EXECUTION;0;0;3;1767225600000;1767229200000;"
                                   "3 instants were missed", None)]
        words = finer_words()
        self.assertEqual({row[0] for row in rows}, set(words))
        for word, *values in rows:
            with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as database, database:
                database.execute("DELETE FROM xxl_job_log")
                database.execute("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code,"
                                 " trigger_msg, handle_msg) VALUES (1, 1, '2026-01-02 03:04:05', ?, ?, ?, ?)", values)
            with self.subTest(word=word, row=values):
                for other in words:
                    found = self.json("run", "list", "--status", other)["items"]
                    self.assertEqual(len(found), int(other == word), other)
                run = self.json("run", "list", "--failed")["items"][0]
                self.assertEqual(run["status"], "missed" if word == "missed" else "failed")
                self.assertTrue(word == "missed" or run["reason"]["code"] in words[word].codes, run["reason"])
                why = self.succeed("run", "list").out.splitlines()[1]
                self.assertTrue(any(said in why for said in words[word].says), why)

    def test_finer_words_are_complete(self):
        words = finer_words()
        api = json.loads((Path(__file__).resolve().parents[2] / "docs/openapi.json").read_text(encoding="utf-8"))
        codes = [code for row in words.values() for code in row.codes] + ["failed", "script_exit"]
        self.assertEqual((set(codes), len(codes)), (values_of(api, "handler_not_found"), len(set(codes))))
        self.declare()
        told = self.run_it("run", "list", "--status", "strange").err
        known = set(re.search(r"\{([\w,]+)\}", told)[1].split(","))
        self.assertEqual(known, set(words) | {"pending", "running", "succeeded", "failed"})

    def test_nobody_takes_a_run(self):
        self.declare()
        self.refuse(1, "no node took the request; is a server running?", "job", "trigger", "1", "--wait", "--timeout", "300ms")
        self.assertEqual(self.rows("SELECT kind, state, fire_ms, origin_log_id < 0 FROM rm_intent"), [("manual", 0, 0, 1)])

    def run_by_hand(self, code: int, through_server: bool = False):
        executor = Executor(self, code)
        text = JOBS.replace('app_name = "pay-worker"',
                            f'app_name = "pay-worker"\naddresses = ["http://127.0.0.1:{free_port()}/"]')
        path = self.write("jobs.toml", text)
        server = self.start("--set", f"deploy.files={path}", "--set", "security.access_token=secret-token")
        server.wait_until_ready()
        executor.server_address, executor.token = server.address(), "secret-token"
        key = self.succeed("key", "add", "ci", "--user", "admin").out.strip()
        variables = {"RINGMASTER_SERVER": server.address(), "RINGMASTER_TOKEN": key} if through_server else None
        result = self.run_it("job", "trigger", "pay-worker/settle", "--param", "day=1", "--address", executor.address, "--wait",
                             "--timeout", "50s", "--json", variables=variables)
        runs = json.loads(result.out)["items"]
        self.assertEqual(len(runs), 1, result)
        self.assertEqual([run["executorParams"] for run in executor.seen], ["day=1"])
        self.assertEqual((runs[0]["address"], runs[0]["params"]), (executor.address, "day=1"))
        shown = self.succeed("run", "show", str(runs[0]["id"])).out
        self.assertRegex(shown, rf"(?m)^started by: +{'api, by admin' if through_server else 'manual, by local'}$")
        # The requested addresses, not those of the group.
        self.assertRegex(shown, rf"(?m)^executor: +{executor.address}$")
        self.assertRegex(shown, rf"(?m)^addresses: +{executor.address}$")
        self.assertIn("said so", shown)
        self.assertEqual(self.json("run", "list", "--job", "1")["items"][0]["id"], runs[0]["id"])
        failed = self.json("run", "list", "--failed")["items"]
        self.assertEqual(len(failed), 0 if code == 200 else 1)
        told = f"job=1 run={runs[0]['id']} failed: code 500: said so\n"
        self.assertEqual(server.text().count(told), len(failed), server.text())
        # Edits on the database next to the server take effect.
        self.succeed("job", "stop", "1")
        self.assertEqual(server.stop(), 0)
        return result.code

    def test_run_by_hand_at_another_address(self):
        self.assertEqual(self.run_by_hand(200), 0)

    def test_run_by_hand_that_fails(self):
        self.assertEqual(self.run_by_hand(500), 1)

    def test_run_by_hand_through_a_server(self):
        self.assertEqual(self.run_by_hand(200, through_server=True), 0)

    def test_run_by_hand_through_a_server_that_fails(self):
        self.assertEqual(self.run_by_hand(500, through_server=True), 1)


    def test_a_refusal_is_told_in_the_words_of_the_executor(self):
        executor = Executor(self)
        executor.answer = lambda path, asked: {"code": 500, "msg": "job handler [settle] not found."}
        text = JOBS.replace('app_name = "pay-worker"', f'app_name = "pay-worker"\naddresses = ["{executor.address}"]')
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', text)}")
        server.wait_until_ready()
        self.assertEqual(self.run_it("job", "trigger", "1", "--wait", "--timeout", "50s").code, 1)
        why = "refused by the executor: job handler [settle] not found."
        self.assertTrue(self.succeed("run", "list").out.splitlines()[1].endswith("  " + why))
        self.assertIn(why + "\n", self.succeed("run", "show", "1").out)
        self.assertEqual(server.stop(), 0)

    def wait_with_retries(self, *codes: int) -> tuple[int, list[dict]]:
        """Returns the exit code and the runs of a job with two retries whose runs end with these codes."""
        executor = Executor(self)
        executor.codes = list(codes)
        text = f'[[group]]\napp_name = "pay-worker"\naddresses = ["{executor.address}"]\n' + job("settle", "retry = 2")
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', text)}", "--set",
                            "security.access_token=secret-token")
        server.wait_until_ready()
        executor.server_address, executor.token = server.address(), "secret-token"
        result = self.run_it("job", "trigger", "pay-worker/settle", "--wait", "--timeout", "50s", "--json")
        shown = self.run_it("run", "show", str(json.loads(result.out)["items"][-1]["id"])).out
        self.assertEqual(server.stop(), 0)
        runs = json.loads(result.out)["items"]
        self.assertEqual([run["origin"] for run in runs], [None] + [run["id"] for run in runs[:-1]], runs)
        self.assertRegex(shown, rf"(?m)^started by: +retry of run {runs[-2]['id']}$")
        return result.code, [run["handle_code"] for run in runs]

    def test_wait_follows_retries_to_success(self):
        self.assertEqual(self.wait_with_retries(500, 500, 200), (0, [500, 500, 200]))

    def test_wait_follows_retries_to_failure(self):
        self.assertEqual(self.wait_with_retries(500, 500, 500), (1, [500, 500, 500]))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class ForecastTest(Case):
    def setUp(self):
        super().setUp()
        stopped = job("stopped", 'schedule = { cron = "* * * * * ?" }\nenabled = false')
        text = JOBS + job("hourly", 'schedule = { cron = "0 0 * * * ?" }') + stopped
        self.succeed("apply", self.write("jobs.toml", text))

    def ask(self, *arguments: str) -> dict:
        return json.loads(self.succeed("forecast", "--json", "--from", "2099-01-01", *arguments).out)

    def test_what_would_fire(self):
        found = self.ask("--for", "2d")
        self.assertEqual((found["firings"], found["not_scheduled"], found["jobs_scheduled"]), (50, 1, 2))
        self.assertEqual(found["seconds"][0], {"at_ms": 4070912400000, "firings": 2})
        self.assertEqual(found["hours"][1], 2)
        self.assertEqual(found["collisions"], [{"from": 1, "to": 1, "seconds": 46}, {"from": 2, "to": 3, "seconds": 2}])
        self.assertEqual([(each["job"], each["firings"]) for each in found["jobs"]], [(2, 48), (1, 2)])
        self.assertEqual(len(found["first_firings"]), 20)

    def test_one_job_and_another_cron(self):
        self.assertEqual(self.ask("--for", "1d", "--job", "pay-worker/settle")["firings"], 1)
        found = self.ask("--for", "1d", "--job", "1", "--cron", "0 0/30 * * * ?")
        self.assertEqual((found["firings"], found["changed"]["firings"]), (25, 72))
        self.assertEqual(self.ask("--for", "1h", "--job", "3", "--cron", "0 * * * * ?")["changed"]["jobs"][0]["firings"], 60)
        text = self.succeed("forecast", "--for", "1d", "--job", "1", "--cron", "0 0/30 * * * ?").out
        self.assertIn("current", text)
        self.assertIn("with the changed cron", text)

    def test_for_people(self):
        text = self.succeed("forecast", "--from", "2099-01-01", "--for", "2d", "--limit", "1").out
        self.assertIn("50 firings of 2 jobs\n1 jobs are not scheduled\n", text)
        self.assertIn("BUSIEST SECONDS", text)
        self.assertIn("… 1 more jobs; raise --limit to show them", text)
        self.assertIn("… 49 more firings", text)

    def test_wrong_questions(self):
        self.refuse(2, "--cron: needs one --job", "forecast", "--cron", "0 0 1 * * ?")
        self.refuse(2, "--for: at most 366d", "forecast", "--for", "400d")
        for text in ("9223372036854775807", "-1"):
            self.refuse(2, f'--from: "{text}" is not a time; expected ISO 8601, such as 2026-11-21T10:00+08:00, or epoch '
                        'milliseconds', "forecast", f"--from={text}")
        self.refuse(2, '--for: "week" is not a duration; expected a number and a unit, such as 90m or 7d', "forecast", "--for",
                    "week")
        self.refuse(2, "--cron: Unexpected end of expression.", "forecast", "--job", "1", "--cron", "1 2 3")

    def test_nothing_is_written(self):
        before = self.rows("SELECT * FROM rm_schedule"), self.rows("SELECT * FROM rm_edit")
        self.ask("--for", "366d")
        self.assertEqual((self.rows("SELECT * FROM rm_schedule"), self.rows("SELECT * FROM rm_edit")), before)


class OptionsTest(Case):
    def test_the_diff_of_options(self):
        path = self.write("jobs.toml", JOBS)
        self.succeed("apply", path)
        self.write("jobs.toml", JOBS + 'time_zone = "Asia/Shanghai"\njitter_ms = 500\nstart_at = 2099-01-01T00:00:00+08:00\n')
        changed = self.succeed("apply", path, "--dry-run").out
        self.assertIn("    time_zone: none -> Asia/Shanghai\n    start_at: none -> 2098-12-31T16:00:00Z\n"
                      "    jitter_ms: none -> 500\n", changed)
        self.succeed("apply", path)
        self.assertEqual(self.rows("SELECT time_zone, start_at, jitter_ms FROM rm_job_ext"),
                         [("Asia/Shanghai", 4070880000000, 500)])
        first, = self.rows("SELECT next_ms FROM rm_schedule")[0]
        self.assertTrue(4070883600000 <= first <= 4070883600500, first)
        self.assertEqual(self.succeed("apply", path).out.splitlines()[0], "0 created, 0 updated, 0 removed, 2 unchanged")

    def refuse_option(self, line: str, error: str) -> None:
        self.refuse(2, "{}/jobs.toml:10: " + error, "apply", self.write("jobs.toml", JOBS + line + "\n"))

    def test_options_that_are_wrong(self):
        self.refuse_option("jitter_ms = -1", "jitter_ms: expected a whole number from 0 to 86400000")
        self.refuse_option("interval_ms = 100", "interval_ms: excludes schedule: it already defines a fixed rate")
        self.refuse_option('start_at = "tomorrow"', "start_at: expected a date and time with its offset, without quotes, such as "
                                                    "2026-12-01T08:00:00+08:00")
        self.refuse_option("end_at = 2026-01-01T00:00:00",
                           "end_at: expected a date and time with its offset, without quotes, such as 2026-12-01T08:00:00+08:00")
