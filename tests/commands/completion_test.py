"""`ringmaster completion`: the completions of shells with its scripts."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import time

from command_case import DEADLINE_S, JOBS, Case, job


class CompletionTest(Case):
    def script(self, shell: str) -> str:
        return self.write(f"completion.{shell}", self.succeed("completion", shell).out)

    def words(self, line: str, variables: dict[str, str] | None = None) -> list[str]:
        """Returns bash's completions for the last word of the line; `ringmaster` is in its PATH."""
        programs = self.folder / ".bin"
        programs.mkdir(exist_ok=True)
        (programs / "ringmaster").unlink(missing_ok=True)
        (programs / "ringmaster").symlink_to(self.binary)
        environment = self.environment({"PATH": f"{programs}:{os.environ['PATH']}"} | (variables or {}))
        typed = shlex.split(line) + ([""] if line.endswith(" ") else [])
        program = (f"source {shlex.quote(self.script('bash'))}; COMP_WORDS=({' '.join(map(shlex.quote, typed))}); "
                   f"COMP_CWORD={len(typed) - 1}; _ringmaster; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, timeout=DEADLINE_S,
                              cwd=self.folder, env=environment, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [word for word in done.stdout.splitlines() if word]

    def helped(self, *command: str) -> set[str]:
        """Returns the subcommands and options in the help."""
        text = self.succeed(*command, "--help").out
        return set(re.findall(r"^  +(?:-\w,)?(--[a-z-]+)", text, re.M)) | self.subcommands(*command)

    def subcommands(self, *command: str) -> set[str]:
        found = self.succeed(*command, "--help").out.split("Subcommands:")
        return set(re.findall(r"^  ([a-z-]+)\s", found[1], re.M)) if len(found) > 1 else set()

    def test_bash_knows_all_that_the_help_knows(self):
        waiting = [()]
        seen = 0
        while waiting:
            command = waiting.pop()
            offered = self.words(" ".join(("ringmaster", *command)) + " ")
            if command != ("completion",) and "PATH" not in self.succeed(*command, "--help").out:
                self.assertLessEqual(self.helped(*command), set(offered), command)
            waiting += [(*command, word) for word in self.subcommands(*command)]
            seen += 1
        self.assertGreater(seen, 30)

    def test_bash_completes(self):
        self.assertEqual(self.words("ringmaster jo"), ["job"])
        self.assertEqual(self.words("ringmaster job st"), ["start", "stop"])
        self.assertEqual(self.words("ringmaster job list --sc"), ["--scheduled"])
        self.assertEqual(self.words("ringmaster run --json li"), ["list"])
        self.assertEqual(self.words("ringmaster completion "), ["bash", "zsh", "fish", "--help", "-h"])
        # The value of an option is not a command.
        self.assertEqual(self.words("ringmaster job list --group "), [])
        self.write("with blank.toml", "")
        self.assertEqual(self.words("ringmaster serve --config with"), ["with blank.toml"])
        self.assertEqual(self.words("ringmaster apply with"), ["with blank.toml"])
        self.assertIn("--dry-run", self.words("ringmaster apply --"))

    def test_bash_knows_names(self):
        self.succeed("apply", self.write("jobs.toml", JOBS + job("report") + '\n[[group]]\napp_name = "mail-worker"\n'))
        for command in ("job show", "job stop", "job trigger --wait", "run list --job", "forecast --job"):
            self.assertEqual(self.words(f"ringmaster {command} pay"), ["pay-worker/report", "pay-worker/settle"], command)
        for command in ("group show", "group rotate-token", "job list --group", "run list --group", "export --group"):
            self.assertEqual(self.words(f"ringmaster {command} mail"), ["mail-worker"], command)
        self.succeed("apply", self.write("elastic.toml", '[[elastic_job]]\ngroup = "pay-worker"\nname = "sums"\nhandler = "h"\n'
                                                         'total = 1\n'), "--source", "elastic")
        self.assertEqual(self.words("ringmaster elastic show s"), ["sums"])
        self.assertEqual(self.words("ringmaster serve --set server.lis"), ["server.listen="])
        self.assertEqual(self.words("ringmaster alarm test m"), ["mail"])
        self.assertNotIn("names", self.words("ringmaster "))
        self.assertNotIn("names", self.succeed("--help").out)

    def test_nobody_waits_for_names(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            server = {"RINGMASTER_SERVER": f"http://127.0.0.1:{silent.getsockname()[1]}", "RINGMASTER_TOKEN": "rmk_" + "a" * 43}
            begun = time.monotonic()
            self.assertEqual(self.words("ringmaster run list --group p", server), [])
            self.assertLess(time.monotonic() - begun, 30)  # without the limit, the HTTP client waits for 90 s
        self.assertEqual(self.words("ringmaster run list --group p"), [])
        self.assertFalse(self.data.exists())

    def test_other_shells_read_their_scripts(self):
        for shell, check in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            path = self.script(shell)
            if shutil.which(shell):
                done = subprocess.run([shell, *check, path], capture_output=True, text=True, timeout=DEADLINE_S, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        missing = [shell for shell in ("zsh", "fish") if not shutil.which(shell)]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}")

    def test_wrong_shells(self):
        self.assertEqual(self.run_it("completion").code, 2)
        self.assertEqual(self.run_it("completion", "csh").code, 2)
