"""`ringmaster executor`: programs as handlers, with a Ringmaster server; and the errors that prevent its start."""

import re
import signal
from pathlib import Path

from command_case import Case, Server, wait_until

JOBS = """[[group]]
app_name = "batch-worker"

[[job]]
group = "batch-worker"
key = "greet"
handler = "greet"
params = "a b; $HOME"
schedule = { rate = "1s" }

[[job]]
group = "batch-worker"
key = "fail"
handler = "fail"
schedule = { rate = "1s" }
"""

COMMANDS = """
[[command]]
name = "greet"
program = "/bin/echo"
arguments = ["hello"]
append_param = true

[[command]]
name = "fail"
program = "false"
"""


class ExecutorTest(Case):
    def start_executor(self, *settings: str, config: str = "", files: tuple[int, int] | None = None) -> Server:
        words = [word for setting in settings for word in ("--set", setting)]
        path = self.write("executor.toml", config)
        child = Server([self.binary, "executor", "--config", path, *words], self.folder / "executor.log",
                       self.environment({"RINGMASTER_DATA_DIR": str(self.folder / "executor")}), files)
        self.addCleanup(child.child.wait)
        self.addCleanup(lambda: child.child.poll() is None and child.child.kill())
        return child

    def start_both(self, commands: str, files: tuple[int, int] | None = None) -> tuple[Server, Server]:
        """Starts a server with `JOBS`, and an executor with these commands."""
        server = self.start("--set", f"deploy.files={self.write('jobs.toml', JOBS)}")
        server.wait_until_ready()
        secrets = (self.data / "initial-secrets").read_text()
        token = re.search(r"^access_token = (\S+)", secrets, re.M)
        self.assertTrue(token, secrets)
        return server, self.start_executor(f"executor.admins={server.address()}", "executor.app_name=batch-worker",
                                           "executor.port=0", f"security.access_token={token[1]}", config=commands, files=files)

    def test_commands_are_run(self):
        server, executor = self.start_both(COMMANDS)

        def outcomes(handler: str) -> set[tuple]:
            return set(self.rows(f"SELECT handle_code, handle_msg FROM xxl_job_log WHERE executor_handler = '{handler}'"
                                 " AND handle_code <> 0 AND trigger_code = 200"))

        executor.wait_for(lambda: outcomes("greet") and outcomes("fail"), "both jobs have run")
        self.assertRegex(server.text(), r"registry: http://127\.0\.0\.1:\d+/ of batch-worker registered\n")
        self.assertEqual({code for code, _ in outcomes("greet")}, {200})
        self.assertEqual(outcomes("fail"), {(500, "the program ended with exit code 1")})
        logs = [path.read_text() for path in (self.folder / "executor").rglob("joblogs/*/*.log")]
        self.assertTrue(any("hello a b; $HOME\n" in text for text in logs), logs)
        self.assertFalse([text for text in logs if "anonymous" in text])
        self.assertEqual(executor.stop(), 0)
        self.assertRegex(executor.text(), r"stopped: [1-9]\d* runs accepted, 0 results left for the next start")
        server.wait_for(lambda: self.rows("SELECT count(*) FROM xxl_job_registry") == [(0,)], "the registration is withdrawn")

    def test_what_is_wrong_is_said(self):
        word = ("executor", "--set")
        self.refuse(2, "executor.app_name is missing: the group that this executor belongs to", "executor")
        self.refuse(2, "executor.admins and executor.nodes are empty: set at least one of them", *word,
                    "executor.app_name=batch")
        self.refuse(2, "executor.app_name must have from 4 to 64 characters, not 1", *word, "executor.app_name=a")
        named = (*word, "executor.app_name=batch", "--set")
        self.refuse(2, 'executor.admins: "10.0.0.1" is not an address such as http://10.0.0.1:8080/xxl-job-admin',
                    *named, "executor.admins=10.0.0.1")
        usable = (*named, "executor.admins=http://127.0.0.1:1/", "--set")
        self.refuse(2, "executor.listen is 0.0.0.0 without an access token, so every client that can connect could run jobs."
                       " Set the admin's token (security.access_token), or executor.allow_no_token = true",
                    *usable, "executor.listen=0.0.0.0")
        junk = self.run_it("executor", *(word for each in ("executor.app_name=batch", "executor.admins=http://127.0.0.1:1/",
                                                           "security.access_token=x", "executor.listen=junk")
                                         for word in ("--set", each)))
        self.assertEqual(junk.code, 2)
        self.assertIn("executor.listen = `junk:9999`: ", junk.err)
        self.refuse(2, 'executor.http_allowed: "ftp://h/" is not an http or https address with a path that ends with a slash',
                    *usable, "executor.http_allowed=ftp://h/")
        self.refuse(2, "executor.labels and executor.elastic_scripts have no effect without executor.elastic",
                    *usable, "executor.elastic_scripts=/usr")
        elastic = (*usable, "executor.elastic=true")
        self.refuse(2, "executor.elastic: there is nothing to run; set executor.elastic_scripts or executor.http_allowed",
                    *elastic)
        self.refuse(2, "executor.nodes is empty: elastic jobs need native links",
                    *elastic, "--set", "executor.elastic_scripts=/usr")

    def test_a_program_that_is_not_there_is_named_at_the_start(self):
        missing = '\n[[command]]\nname = "later"\nprogram = "no-such-program"\n'
        executor = self.start_executor("executor.admins=http://127.0.0.1:1/", "executor.app_name=batch", "executor.port=0",
                                       config=COMMANDS + missing)
        executor.wait_for(lambda: "serving on" in executor.text(), "it serves")
        self.assertIn('[[command]] "later": no-such-program was not found in PATH; its runs fail until the program is installed',
                      executor.text())
        self.assertNotIn('"greet"', executor.text())

    def test_open_files_are_raised_for_itself_and_not_for_its_programs(self):
        asked = self.folder / "asked"
        command = ('[[command]]\nname = "greet"\nprogram = "/bin/sh"\n'
                   f'arguments = ["-c", "ulimit -Sn > {asked}; ulimit -Hn >> {asked}"]\n')
        _, executor = self.start_both(command, files=(256, 2048))
        executor.wait_for(lambda: asked.exists() and len(asked.read_text().split()) == 2, "the program has run")
        self.assertEqual(asked.read_text().split(), ["256", "2048"])
        limits = Path(f"/proc/{executor.child.pid}/limits").read_text()
        self.assertRegex(limits, r"Max open files +2048 +2048")
        self.assertRegex(executor.text(), r"server.connections_max lowered to 1536 from 8192")

    def test_a_folder_has_one_executor(self):
        settings = ("executor.admins=http://127.0.0.1:1/", "executor.app_name=batch", "executor.port=0")
        first = self.start_executor(*settings)
        first.wait_for(lambda: "serving on" in first.text(), "it serves")
        words = [word for setting in settings for word in ("--set", setting)]
        second = self.run_it("executor", *words, variables={"RINGMASTER_DATA_DIR": str(self.folder / "executor")})
        self.assertEqual(second.code, 1)
        self.assertIn("another executor uses this folder", second.err)
        first.signal(signal.SIGTERM)
        self.assertEqual(wait_until(lambda: first.child.poll() is not None and [first.child.poll()], "it ends", first.child,
                                    first.text), [0])
