"""Every operation of /api/v1 against the OpenAPI document, with generated requests of schemathesis (PyPI).

RINGMASTER_SCHEMATHESIS_EXAMPLES: requests per operation (15); RINGMASTER_SCHEMATHESIS_SEED: another seed than the default.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from command_case import DEADLINE_S
from web_case import WebCase

VERSION = "4.32.5"
EXAMPLES = os.environ.get("RINGMASTER_SCHEMATHESIS_EXAMPLES", "15")
SEED = os.environ.get("RINGMASTER_SCHEMATHESIS_SEED", "7")
HOOKS = Path(__file__).resolve().parent / "schemathesis_hooks.py"
# Requests and responses must match the document, and no request may cause an internal error. Not checked: that every request that
# matches the schemas is accepted, because a job's group must exist.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "negative_data_rejection"]
RUN_S = 240 + 4 * int(EXAMPLES)
FILLED = 6


class SchemathesisTest(WebCase):
    def schemathesis(self) -> str:
        folder = self.folder / "venv"
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=DEADLINE_S)
            subprocess.run([folder / "bin" / "pip", "install", "-q", f"schemathesis=={VERSION}"], check=True, capture_output=True,
                           timeout=3 * DEADLINE_S)
        except (subprocess.SubprocessError, OSError) as failure:
            self.skipTest(f"schemathesis cannot be installed from PyPI: {failure}")
        return str(folder / "bin" / "schemathesis")

    def own_key(self) -> tuple[int, str]:
        made = self.succeed("key", "add", "schemathesis", "--user", "admin").out.strip()
        listed = json.loads(self.succeed("key", "list", "--json").out)["items"]
        return next(each["id"] for each in listed if each["name"] == "schemathesis"), made

    def fill(self, key: str) -> None:
        """Creates objects of every kind, so that generated ids sometimes exist."""
        client = self.client({"Authorization": f"Bearer {key}"})
        for at in range(1, FILLED + 1):
            group = {"app_name": f"worker-{at}", "title": "Workers", "address_type": "manual",
                     "addresses": ["http://127.0.0.1:9"]}
            self.assertEqual(client.send("POST", "/groups", group).status, 201)
            reply = client.send("POST", "/jobs", {"group": at, "name": f"job {at}", "author": "x", "handler": "h",
                                                  "schedule": {"type": "CRON", "conf": "0 0 1 * * ?"}})
            self.assertEqual(reply.status, 201, reply)
            self.assertEqual(client.send("POST", f"/jobs/{at}/trigger", {}).status, 202)
            user = {"name": f"user{at}", "password": "a password", "admin": False}
            self.assertEqual(client.send("POST", "/users", user).status, 201)

    def test_every_operation_is_as_the_document_says(self):
        tool = self.schemathesis()
        server = self.serve()
        number, key = self.own_key()
        self.fill(key)
        print(f"schemathesis: seed {SEED}, {EXAMPLES} examples", file=sys.stderr)
        done = subprocess.run([tool, "run", server.address() + "/api/v1/openapi.json", "-H", f"Authorization: Bearer {key}",
                               "--checks", ",".join(CHECKS), "--max-examples", EXAMPLES, "--continue-on-failure", "--no-color",
                               "--warnings", "off", "--generation-with-security-parameters", "false", "--seed", SEED],
                              capture_output=True, text=True, cwd=self.folder, timeout=RUN_S, check=False,
                              env=self.environment({"SCHEMATHESIS_HOOKS": str(HOOKS), "RINGMASTER_OWN_KEY": str(number)}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.client({"Authorization": f"Bearer {key}"}).send("GET", "/session").status, 200)
        self.assertNotRegex(server.text(), r"\[error\]|AddressSanitizer|runtime error")
        self.assertEqual(server.stop(), 0, server.text())
