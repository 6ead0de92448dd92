"""GET /api/v1/now and /nodes of the real server, with a job that fires every second at an executor that is not there."""

import gzip
import json
import time

from command_case import job
from web_case import WebCase

GROUP = '[[group]]\napp_name = "idle"\naddresses = ["http://127.0.0.1:9"]\n'


class NowTest(WebCase):
    def test_figures_of_a_node(self):
        jobs = self.write("jobs.toml", GROUP + job("tick", 'schedule = { cron = "* * * * * ?" }', group="idle"))
        server = self.serve("--set", f"deploy.files={jobs}")
        client = self.key_client()

        def fired():
            now = client.send("GET", "/now").json
            series = now["series"]
            return now if sum(series["fired"]) > 0 and sum(series["failed"]) > 0 and now["jobs"] == 1 else None

        now = server.wait_for(fired, "firings and failures in the series")
        self.assertEqual((now["jobs_running"], now["partial"], now["executors_online"], now["executors_without_group"]),
                         (1, False, 0, 0), now)
        self.assertEqual(len(now["lateness"]["counts"]), len(now["lateness"]["bounds_ms"]) + 1)
        node, = now["nodes"]
        self.assertEqual(node["slots"], 256)
        self.assertEqual([lane["lane"] for lane in node["lanes"]], ["fast", "slow"])
        self.assertTrue(all(lane["window"] > 0 for lane in node["lanes"]), node)
        self.assertGreater(node["firings_per_s"], 0)
        server.wait_for(lambda: client.send("GET", "/now").json["failed_last_hour"], "failures in the store")

        def unchanged():
            tag = client.send("GET", "/now").headers["etag"]
            again = client.ask("GET", "/api/v1/now", None, {"If-None-Match": tag})
            return again if again.status == 304 else None

        self.assertEqual(server.wait_for(unchanged, "an answer within the same second").body, b"")
        packed = client.ask("GET", "/api/v1/now", None, {"Accept-Encoding": "gzip"})
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertIn("now_ms", json.loads(gzip.decompress(packed.body)))
        self.assertNotIn("tick", client.send("GET", "/now").text)

        listed = client.send("GET", "/nodes").json
        node, = listed["items"]
        self.assertEqual((node["slots"], node["version"]), (256, listed["version"]))
        self.assertLess(abs(time.time() * 1000 - node["started_ms"]), 600_000)
        self.assertEqual(server.stop(), 0)
