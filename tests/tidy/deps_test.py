#!/usr/bin/env python3
"""Tests the places from which scripts/deps.sh takes CAF's source: the script runs with a checksum and commands of this test."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "deps.sh"
GOOD, WRONG = b"the source of CAF", b"something newer"
NAME = "actor-framework_0.18.7.orig.tar.gz"

# Both print the content of a place, a file of $PLACES; a place without a file is unreachable. With the file `old` the lists of
# Debian's mirror have expired.
APT_GET = """#!/bin/sh
case "$*" in
  *update*) [ ! -e "$PLACES/old" ] || grep -q '^Acquire::Check-Valid-Until "false";' "$APT_CONFIG" ;;
  *) cp "$PLACES/debian" %s ;;
esac
""" % NAME
CURL = """#!/bin/sh
for word in "$@"; do
  case "$last" in --output) to=$word ;; esac
  case "$word" in *github.com*) from=upstream ;; *snapshot*) from=snapshot ;; esac
  last=$word
done
cp "$PLACES/$from" "$to"
"""


class DepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringmaster-deps-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache, self.places = self.folder / "cache", self.folder / "places"
        self.places.mkdir()
        (self.folder / "bin").mkdir()
        for name, text in {"apt-get": APT_GET, "curl": CURL}.items():
            command = self.folder / "bin" / name
            command.write_text(text, encoding="utf-8")
            command.chmod(0o755)
        text = SCRIPT.read_text(encoding="utf-8")
        text = re.sub(r"(?m)^caf_sha256=.*$", "caf_sha256=" + hashlib.sha256(GOOD).hexdigest(), text)
        # The machine's own list of sources may be empty.
        text = text.replace("for uri in $(debian_uris)", "for uri in http://debian.invalid/debian")
        (self.folder / "deps.sh").write_text(text, encoding="utf-8")

    def fetch(self, **places: bytes) -> subprocess.CompletedProcess:
        for name, content in places.items():
            (self.places / name).write_bytes(content)
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "RINGMASTER_CACHE": str(self.cache),
                                    "PLACES": str(self.places)}
        return subprocess.run(["bash", self.folder / "deps.sh", "--source"], capture_output=True, text=True, check=False,
                              env=environment, timeout=60)

    def check_taken(self, done: subprocess.CompletedProcess, place: str):
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stderr, f"source taken from .*{place}")
        self.assertEqual(done.stdout, f"{self.cache}/{NAME}\n")
        self.assertEqual((self.cache / NAME).read_bytes(), GOOD)

    def test_debian_comes_first(self):
        self.check_taken(self.fetch(debian=GOOD, upstream=WRONG, snapshot=WRONG), "experimental")

    def test_upstream_is_asked_when_debian_is_away(self):
        done = self.fetch(upstream=GOOD)
        self.assertIn("no source of CAF 0.18.7 from http://debian.invalid/debian", done.stderr)
        self.check_taken(done, "github.com")

    def test_a_file_with_another_checksum_is_passed_over(self):
        done = self.fetch(debian=WRONG, upstream=WRONG, snapshot=GOOD)
        self.assertEqual(done.stderr.count("another checksum"), 2)
        self.check_taken(done, "snapshot")

    def test_a_mirror_that_is_weeks_old_is_used(self):
        (self.places / "old").touch()
        self.check_taken(self.fetch(debian=GOOD, upstream=WRONG, snapshot=WRONG), "experimental")

    def test_without_a_place_it_fails_and_says_what_to_do(self):
        done = self.fetch(snapshot=WRONG)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"put its file into the cache as {self.cache}/{NAME}", done.stderr)
        self.assertFalse(self.cache.exists())

    def test_what_is_in_the_cache_needs_no_network_and_a_damaged_file_is_replaced(self):
        self.fetch(debian=GOOD)
        (self.places / "debian").unlink()
        self.assertEqual(self.fetch().returncode, 0)
        (self.cache / NAME).write_bytes(WRONG)
        self.check_taken(self.fetch(upstream=GOOD), "github.com")


def main() -> int:
    result = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(DepsTest))
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
