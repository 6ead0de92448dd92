"""`ringmaster cluster init-tls`: an authority and certificates of both ends of native links."""

import json
import os
import stat
import subprocess
import unittest

from command_case import Case
from native_link_test import NativeLinkTest


class InitTlsTest(Case):
    def setUp(self):
        super().setUp()
        self.links = self.folder / "links"

    def make(self, *words: str):
        return self.run_it("cluster", "init-tls", "--dir", self.links, *words)

    def openssl(self, *words: object) -> str:
        return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, text=True).stdout

    def text(self, name: str) -> str:
        return self.openssl("x509", "-in", self.links / f"{name}.pem", "-noout", "-text")

    def verify(self, name: str, purpose: str) -> bool:
        done = subprocess.run(["openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile", self.links / "authority.pem",
                               self.links / f"{name}.pem"], capture_output=True, check=False)
        return done.returncode == 0

    def test_each_certificate_is_for_its_end(self):
        made = self.make("--node", "a", "--node", "b.2", "--executor", "nightly")
        self.assertEqual((made.code, made.err), (0, ""), made)
        names = ["authority", "node-a", "node-b.2", "executor-nightly"]
        self.assertEqual(sorted(os.listdir(self.links)), sorted(f"{name}.{end}" for name in names for end in ("pem", "key")))
        for name in names:
            self.assertEqual(stat.S_IMODE((self.links / f"{name}.key").stat().st_mode), 0o600, name)
            self.assertIn(str(self.links / f"{name}.pem"), made.out)
        self.assertIn("CA:TRUE, pathlen:0", self.text("authority"))
        self.assertIn("URI:urn:ringmaster:node:b.2", self.text("node-b.2"))
        self.assertIn("URI:urn:ringmaster:executor:nightly", self.text("executor-nightly"))
        for name, purpose, holds in (("node-a", "sslserver", True), ("node-a", "sslclient", True),
                                     ("executor-nightly", "sslclient", True), ("executor-nightly", "sslserver", False)):
            self.assertEqual(self.verify(name, purpose), holds, (name, purpose))
        serials = {self.openssl("x509", "-in", self.links / f"{name}.pem", "-noout", "-serial") for name in names}
        self.assertEqual(len(serials), len(names))

    def test_the_authority_signs_later_ones_too(self):
        self.succeed("cluster", "init-tls", "--dir", self.links, "--node", "a")
        kept = (self.links / "authority.pem").read_bytes()
        made = json.loads(self.succeed("cluster", "init-tls", "--dir", self.links, "--executor", "late", "--json").out)["items"]
        self.assertEqual([(each["kind"], each["name"]) for each in made], [("executor", "late")])
        self.assertEqual((self.links / "authority.pem").read_bytes(), kept)
        self.assertTrue(self.verify("executor-late", "sslclient"))

    def test_existing_files_are_replaced_only_on_request(self):
        self.succeed("cluster", "init-tls", "--dir", self.links, "--node", "a")
        before = (self.links / "node-a.key").read_bytes()
        refused = self.make("--executor", "new", "--node", "a")
        self.assertEqual(refused.code, 1, refused)
        self.assertEqual(refused.errors, [f"ringmaster: {self.links}/node-a.pem already exists; --renew replaces it"])
        self.assertFalse((self.links / "executor-new.pem").exists(), "nothing is made")
        self.assertEqual((self.links / "node-a.key").read_bytes(), before)
        self.succeed("cluster", "init-tls", "--dir", self.links, "--node", "a", "--renew")
        self.assertNotEqual((self.links / "node-a.key").read_bytes(), before)
        self.assertTrue(self.verify("node-a", "sslserver"))
        self.assertEqual(stat.S_IMODE((self.links / "node-a.key").stat().st_mode), 0o600)

    def test_what_cannot_be_made(self):
        for words, told in (((), "nothing to make: name nodes with --node or executors with --executor"),
                            (("--node", "a/b"), 'invalid name "a/b" of a node; expected at most 64 letters, digits, '),
                            (("--executor", ""), 'invalid name "" of an executor; expected'),
                            (("--node", "a", "--node", "a"), "node a is named twice"),
                            (("--node", "a", "--renew"), f"{self.links}/authority.pem is missing: nothing can sign")):
            refused = self.make(*words)
            self.assertEqual(refused.code, 2, refused)
            self.assertIn(told, refused.err)
        self.assertEqual(os.listdir(self.links) if self.links.exists() else [], [])
        self.assertEqual(self.run_it("cluster", "init-tls", "--node", "a").code, 2)

    def test_an_authority_that_cannot_sign(self):
        self.succeed("cluster", "init-tls", "--dir", self.links, "--node", "a", "--executor", "e")
        authority = self.links / "authority.key"
        key = authority.read_bytes()
        authority.unlink()
        self.assertIn("authority.key: cannot be read; the authority needs both files", self.make("--node", "b").err)
        authority.write_bytes((self.links / "node-a.key").read_bytes())
        self.assertIn("authority.key: is the key of another certificate", self.make("--node", "b").err)
        authority.write_text("no key\n")
        self.assertIn("authority.key: has no key, or one with a passphrase", self.make("--node", "b").err)
        authority.write_bytes((self.links / "node-a.key").read_bytes())
        (self.links / "authority.pem").write_bytes((self.links / "node-a.pem").read_bytes())
        self.assertIn("authority.pem: is not the certificate of an authority", self.make("--node", "b").err)
        authority.write_bytes(key)
        self.assertFalse((self.links / "node-b.pem").exists())

    def test_a_folder_that_cannot_be_made(self):
        self.write("file", "")
        refused = self.run_it("cluster", "init-tls", "--dir", self.folder / "file" / "links", "--node", "a")
        self.assertEqual(refused.code, 1, refused)
        self.assertIn("cannot make ", refused.err)


class MadeLinkTest(NativeLinkTest):
    """Both ends with the certificates of the command."""

    def authority(self, name: str) -> None:
        self.succeed("cluster", "init-tls", "--dir", self.folder, "--node", "a", "--executor", "batch-worker")
        self.succeed("cluster", "init-tls", "--dir", self.folder, "--node", "b")

    def issue(self, name: str, authority: str, usage: str = "clientAuth") -> None:
        pass

    def link_words(self, name: str, authority: str = "links") -> list[str]:
        files = {"node": "node-b", "executor": "executor-batch-worker"}
        return super().link_words(files[name], "authority")


# The cases of NativeLinkTest run in their own module; one of them shows that both ends work.
def load_tests(loader, tests, pattern):
    linked = unittest.TestSuite([MadeLinkTest("test_an_executor_without_a_port")])
    return unittest.TestSuite([loader.loadTestsFromTestCase(InitTlsTest), linked])
