"""Tables on a terminal: they fit its width, and cells are cut between characters."""

import contextlib
import fcntl
import os
import pty
import sqlite3
import struct
import subprocess
import termios
import unicodedata

from command_case import DEADLINE_S, JOBS, Case, job

WIDE = "结算" * 40
ACCENTS = "e\u0301" * 60


def columns(line: str) -> int:
    """Returns the terminal columns of the line."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class TerminalTest(Case):
    def setUp(self):
        super().setUp()
        text = JOBS + job("wide", f'name = "{WIDE}"') + job("accents", f'name = "{ACCENTS}"') + job("k" * 90)
        self.succeed("apply", self.write("jobs.toml", text))

    def on_terminal(self, width: int, *arguments: str) -> list[str]:
        """Returns the lines that the command prints on a terminal of this width; they must be valid UTF-8."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        child = subprocess.Popen([self.binary, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                                 env=self.environment(), cwd=self.folder)
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # EIO: the other end is closed
                break
            if not part:
                break
            written += part
        os.close(ours)
        said = child.communicate(timeout=DEADLINE_S)[1]
        self.assertEqual((child.returncode, said), (0, b""))
        return written.decode("utf-8").replace("\r", "").splitlines()

    def test_tables_fit_the_terminal(self):
        for width in (80, 100, 133):
            lines = self.on_terminal(width, "job", "list")
            self.assertEqual(len(lines), 5, lines)
            self.assertLessEqual(max(columns(line) for line in lines), width, lines)
            # Cut cells are marked and as long as possible.
            self.assertEqual([line.count("…") > 0 for line in lines[:4]], [False, True, True, True], lines)
            # A time is complete.
            self.assertRegex(lines[4], r"  scheduled  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
            self.assertTrue(any("结算…" in line or "结…" in line for line in lines), lines)
            self.assertTrue(any("e\u0301…" in line for line in lines), lines)
            # Columns are aligned.
            state = columns(lines[0][:lines[0].index("STATE")])
            for line in lines[1:]:
                word = "scheduled" if "scheduled" in line else "manual"
                self.assertEqual(columns(line[:line.index(word)]), state, lines)

    def test_wide_terminals_and_pipes_cut_nothing(self):
        for lines in (self.on_terminal(1000, "job", "list"), self.succeed("job", "list").out.splitlines()):
            self.assertNotIn("…", "".join(lines))
            self.assertIn(WIDE, lines[3])
            self.assertIn(ACCENTS, lines[2])

    def add_run(self, words: str) -> None:
        note = "rm1;cron;host;FIRST;0/1;SERIAL_EXECUTION;0;0;" + words
        with contextlib.closing(sqlite3.connect(self.data / "ringmaster.db")) as db, db:
            db.execute("INSERT INTO xxl_job_log (job_group, job_id, executor_address, trigger_time, trigger_code, trigger_msg,"
                       " handle_code) VALUES (1, 1, 'http://10.20.30.40:9999/', '2026-03-01 12:00:00', 500, ?, 0)", (note,))

    def test_the_reason_of_a_run_has_the_room(self):
        self.add_run("refused: job handler [settle] not found.")
        line = self.on_terminal(80, "run", "list")[1]
        self.assertLessEqual(columns(line), 80)
        # The address and the group give way before the reason and the name of the job.
        self.assertRegex(line, r"^1    …/settle  2026-03-01 12:00:00  failed  -     …0:9999/  refused by the e\w*…$")
        wide = self.on_terminal(133, "run", "list")[1]
        self.assertIn("  pay-worker/settle  ", wide)

    def test_a_long_reason_is_marked_where_it_is_cut(self):
        words = "the account " + "x" * 300 + " is closed"
        self.add_run("refused: " + words)
        for lines in (self.on_terminal(1000, "run", "list"), self.succeed("run", "list").out.splitlines()):
            self.assertTrue(lines[1].endswith("refused by the executor: " + words), lines)
        self.assertTrue(self.on_terminal(200, "run", "list")[1].endswith("xxx…"))
