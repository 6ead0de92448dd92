"""The output of `/metrics`; dashboard, alert rules and documentation name no other metrics; log lines as JSON."""

import json
import re
import urllib.request
from pathlib import Path

from command_case import DEADLINE_S, Case, job
from job_test import finer_words

ROOT = Path(__file__).resolve().parents[2]
SERIES = re.compile(r"\bringmaster_[a-z0-9_]+")
# Series that appear with their first event, or in another mode.
LATER = {
    "ringmaster_http_requests_total", "ringmaster_http_reply_time_seconds_total",
    "ringmaster_firing_lateness_seconds", "ringmaster_firing_lateness_seconds_bucket",
    "ringmaster_firing_lateness_seconds_count", "ringmaster_job_last_success_timestamp_seconds",
    "ringmaster_instants_reserved_total", "ringmaster_reservations_refused_total",  # in shared mode
}

NOBODY = '[[group]]\napp_name = "idle"\naddresses = ["http://127.0.0.1:9"]\n'


class MetricsTest(Case):
    def metrics(self, server) -> str:
        with urllib.request.urlopen(server.address() + "/metrics", timeout=DEADLINE_S) as reply:
            return reply.read().decode()

    def shown(self, text: str) -> set[str]:
        names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ringmaster_")}
        return names | {f"{name}_{part}" for name in names for part in ("bucket", "sum", "count")}

    def test_what_is_named_is_there(self):
        server = self.start()
        server.wait_until_ready()
        shown = self.shown(self.metrics(server)) | LATER
        for path in ("packaging/grafana/ringmaster.json", "packaging/prometheus/ringmaster.rules.yml", "docs/metrics.md"):
            named = set(SERIES.findall((ROOT / path).read_text(encoding="utf-8")))
            # A server without native links has no elastic jobs.
            named = {name for name in named if not name.startswith("ringmaster_elastic_")}
            self.assertEqual(named - shown, set(), path)
        documented = set(SERIES.findall((ROOT / "docs/metrics.md").read_text(encoding="utf-8")))
        whole = {line.split()[2] for line in self.metrics(server).splitlines() if line.startswith("# TYPE ringmaster_")}
        ours = {name for name in whole if not re.search(r"callback_items_(skipped|unanswered)", name)}
        self.assertEqual(ours - documented, set(), "a series without a line in docs/metrics.md")
        self.assertEqual(server.stop(), 0)

    def test_counters_are_there_from_the_start(self):
        jobs = self.write("jobs.toml", NOBODY)
        config = self.write("c.toml", '[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:9/"\n')
        server = self.start("--config", config, "--set", f"deploy.files={jobs}")
        server.wait_until_ready()
        server.wait_for(lambda: 'runs_ended_total{group="idle"' in self.metrics(server), "the group is known")
        text = self.metrics(server)
        results = {"succeeded"} | {row.result for row in finer_words().values()}
        self.assertEqual(results, set(re.findall(r'ringmaster_runs_ended_total\{group="idle",result="(\w+)"', text)))
        for result in results:
            self.assertIn(f'ringmaster_runs_ended_total{{group="idle",result="{result}"}} 0', text)
        self.assertIn('ringmaster_instants_missed_total{group="idle"} 0', text)
        for channel in ("mail", "ops"):
            self.assertIn(f'ringmaster_alarms_total{{channel="{channel}",result="failed"}} 0', text)
        self.assertIn('ringmaster_store_errors_total{error="unavailable",work="claim"} 0', text.replace(
            'work="claim",error="unavailable"', 'error="unavailable",work="claim"'))
        self.assertRegex(text, r'ringmaster_build_info\{commit="[^"]+",version="[0-9.]+"\} 1|'
                               r'ringmaster_build_info\{version="[0-9.]+",commit="[^"]+"\} 1')
        for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                     "process_start_time_seconds"):
            self.assertRegex(text, rf"(?m)^{name} [1-9]|^{name} 0\.")
        self.assertEqual(server.stop(), 0)

    def test_a_failed_trigger_is_counted_and_told_as_json(self):
        jobs = self.write("jobs.toml", NOBODY + job("tick", 'schedule = { cron = "* * * * * ?" }', group="idle"))
        server = self.start("--set", f"deploy.files={jobs}", "--set", "log.format=json")
        server.wait_for_line('"run":1,')
        line = next(json.loads(line) for line in server.text().splitlines() if '"run":1,' in line)
        self.assertEqual((line["level"], line["job"], line["run"]), ("info", 1, 1))
        self.assertIn("not sent to http://127.0.0.1:9: ", line["message"])
        text = server.wait_for(lambda: re.search(r'triggers_total\{kind="cron",result="failed"\} [1-9].*', self.metrics(server)),
                               "a failed trigger is counted")
        self.assertTrue(text)
        server.wait_for(lambda: re.search(r'runs_ended_total\{group="idle",result="not_sent"\} [1-9]', self.metrics(server)),
                        "the end of the run is counted")
        for other in server.text().splitlines():
            self.assertEqual(list(json.loads(other))[:2], ["time", "level"])
        self.assertEqual(server.stop(), 0)

    def test_the_dashboard_is_one(self):
        board = json.loads((ROOT / "packaging/grafana/ringmaster.json").read_text(encoding="utf-8"))
        ids = [panel["id"] for panel in board["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        for panel in board["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for target in panel.get("targets", []):
                self.assertEqual(target["expr"].count("("), target["expr"].count(")"), target["expr"])

    def test_rules_and_dashboard_use_what_tells_of_trouble(self):
        for path in ("packaging/grafana/ringmaster.json", "packaging/prometheus/ringmaster.rules.yml"):
            text = (ROOT / path).read_text(encoding="utf-8")
            for name in ("ringmaster_runs_ended_total", "ringmaster_job_last_success_timestamp_seconds",
                         "ringmaster_alarms_total", "ringmaster_executors_refused_total", "ringmaster_build_info",
                         "ringmaster_instants_missed_total", "process_start_time_seconds"):
                self.assertIn(name, text, path)
            # Prometheus renames the label `job` of a series: its own label has this name.
            for expression in re.findall(r"[^\n]*ringmaster_job_last_success_timestamp_seconds[^\n]*", text):
                self.assertIn("by (group, exported_job)", expression, path)
        board = json.loads((ROOT / "packaging/grafana/ringmaster.json").read_text(encoding="utf-8"))
        shown = " ".join(target["expr"] for panel in board["panels"] for target in panel.get("targets", []))
        for name in ("process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"):
            self.assertIn(name, shown)
