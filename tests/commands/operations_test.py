"""The commands of docs/operations.md, executed verbatim; only the folders are changed to those of the test."""

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from command_case import DEADLINE_S, JOBS, Case, job

PAGES = Path(__file__).resolve().parents[2]


def blocks(page: str, heading: str) -> list[str]:
    """Returns the shell blocks of one section."""
    section = (PAGES / page).read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    section = re.split(r"\n##+ ", section)[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


class CommandsOfPagesTest(Case):
    def test_every_command_that_a_page_names_has_help(self):
        for page in ("README.md", "docs/operations.md", "docs/access.md", "docs/commands.md"):
            text = (PAGES / page).read_text(encoding="utf-8")
            named = set(re.findall(r"(?m)(?:^|`)ringmaster ((?:[a-z][a-z-]* ?){1,2})", text))
            self.assertTrue(named, page)
            for words in sorted(named):
                words = words.split()
                for count in range(1, len(words) + 1):
                    done = self.run_it(*words[:count], "--help")
                    listed = re.findall(r"^  ([a-z-]+)  ", done.out.partition("Subcommands:")[2], re.MULTILINE)
                    self.assertEqual(done.code, 0, (page, words, done))
                    if not listed:
                        break
                    if count < len(words):
                        self.assertIn(words[count], listed, (page, words))


class ReloadedSettingsTest(unittest.TestCase):
    def test_the_packaged_file_names_what_a_reload_applies(self):
        head = (PAGES / "packaging/debian/ringmaster.toml").read_text(encoding="utf-8").split("\ndata_dir")[0]
        self.assertIn("After a change: systemctl reload ringmaster.", head)
        sources = (PAGES / "config/changes.cpp").read_text(encoding="utf-8")
        sections = re.search(r"reloaded_sections\{(.*?)\};", sources, re.S)[1]
        self.assertEqual(sorted(re.findall(r'"(\w+)\."', sections)), ["deploy", "mail"])
        for name in ("job files", "[mail]", "[[webhook]]", "access tokens", "log.level", "TLS files"):
            self.assertIn(name, head)


@unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
class BackupTest(Case):
    def setUp(self):
        super().setUp()
        self.server = None
        (self.folder / "backups").mkdir()

    def begin(self) -> None:
        self.server = self.start()
        self.server.wait_until_ready()

    def type(self, line: str) -> None:
        if line == "systemctl stop ringmaster":
            self.assertEqual(self.server.stop(), 0)
        elif line == "systemctl start ringmaster":
            self.begin()
        elif not line.startswith("chown "):
            line = line.replace("/var/lib/ringmaster", str(self.data)).replace("/var/backups", f"{self.folder}/backups")
            subprocess.run(["sh", "-ec", line], check=True, timeout=DEADLINE_S)

    def test_a_backup_of_a_running_server_is_restored(self):
        backup, restore = blocks("docs/operations.md", "### SQLite")
        self.begin()
        self.succeed("apply", self.write("jobs.toml", JOBS))
        for line in backup.splitlines():
            self.type(line)
        self.succeed("apply", self.write("more.toml", JOBS + job("later")))
        self.assertEqual(self.jobs(), ["later", "settle"])
        for line in restore.splitlines():
            self.type(line)
        self.assertEqual(self.jobs(), ["settle"])
        listen = self.server.address().removeprefix("http://")
        self.assertEqual(self.succeed("doctor", "--json", "--set", f"server.listen={listen}").code, 0)
