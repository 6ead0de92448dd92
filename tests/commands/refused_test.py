"""Refused executors are named: in the log, by `group list --unknown`, by `doctor` and as a metric."""

import json
import urllib.request

from command_case import DEADLINE_S, JOBS
from web_case import CONTEXT, WebCase


class RefusedTest(WebCase):
    def setUp(self):
        super().setUp()
        self.serve("--set", f"deploy.files={self.write('jobs.toml', JOBS)}", "--set", "security.executor_networks=127.0.0.0/8")
        self.token = self.secret("access_token")
        self.key = self.succeed("key", "add", "tests", "--user", "admin").out.strip()

    def register(self, app: str, address: str, token: str) -> dict:
        body = {"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": address}
        return self.client().ask("POST", f"{CONTEXT}/api/registry", json.dumps(body), {"XXL-JOB-ACCESS-TOKEN": token}).json

    def refused(self) -> dict[str, dict]:
        out = self.succeed("group", "list", "--unknown", "--json", "--server", self.server.address(),
                           variables={"RINGMASTER_TOKEN": self.key}).out
        return {each["reason"]: each for each in json.loads(out)["items"]}

    def test_each_refusal_has_a_name(self):
        # The registry reports the groups to the gateway a moment after the start.
        self.server.wait_for(lambda: self.register("pay-worke", "http://127.0.0.1:9001/", self.token)["code"] == 200
                             and self.refused().get("unknown_app", {}).get("times"), "an unknown app name is noted")
        for _ in range(3):
            self.assertEqual(self.register("pay-worker", "http://127.0.0.1:9002/", "wrong")["code"], 500)
        self.assertEqual(self.register("pay-worker", "http://192.0.2.7:9003/", self.token)["code"], 500)

        refused = self.refused()
        self.assertEqual(set(refused), {"unknown_app", "wrong_token", "outside_networks"})
        self.assertEqual((refused["wrong_token"]["app_name"], refused["wrong_token"]["address"], refused["wrong_token"]["times"]),
                         ("pay-worker", "http://127.0.0.1:9002/", 3))
        self.assertEqual(refused["unknown_app"]["why"], "no group has this app name; did you mean 'pay-worker'?")
        shown = self.succeed("group", "list", "--unknown", "--server", self.server.address(),
                             variables={"RINGMASTER_TOKEN": self.key}).out
        self.assertIn("did you mean 'pay-worker'?", shown)

        lines = [line for line in self.server.text().splitlines() if "executor refused" in line]
        self.assertEqual(len(lines), 3, lines)
        self.assertTrue(any('app "pay-worker", address "http://127.0.0.1:9002/", from 127.0.0.1' in line
                            and line.endswith(": wrong access token") for line in lines), lines)
        with urllib.request.urlopen(self.server.address() + "/metrics", timeout=DEADLINE_S) as reply:
            metrics = reply.read().decode()
        self.assertRegex(metrics, r'ringmaster_executors_refused_total\{reason="wrong_token"\} 3\b')
        self.assertRegex(metrics, r'ringmaster_executors_refused_total\{reason="outside_networks"\} 1\b')

    def test_doctor_asks_what_was_meant(self):
        self.assertEqual(self.register("pay-worke", "http://127.0.0.1:9001/", self.token)["code"], 200)
        self.server.wait_for(lambda: self.rows("SELECT 1 FROM xxl_job_registry"), "the registration is stored")
        found = self.run_it("doctor").out
        self.assertIn('the executor at http://127.0.0.1:9001/ registers with the app name "pay-worke", but no group has it; '
                      "did you mean 'pay-worker'?", found)
