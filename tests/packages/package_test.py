#!/usr/bin/env python3
"""The Debian packages in a clean root: installed by apt, started like the unit does, upgraded, removed, purged.

package_test.py FOLDER_OF_PACKAGES
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from clean_root import CleanRoot, Unusable, call, datagram_socket

FOLDER = Path()
AS_ITS_USER = ["setpriv", "--reuid=ringmaster", "--regid=ringmaster", "--clear-groups"]
CONFIGURATION = "etc/ringmaster/ringmaster.toml"
JOBS = '[[group]]\napp_name = "pay-worker"\n\n[[job]]\ngroup = "pay-worker"\nkey = "settle"\nhandler = "settle"\n'


def package(name: str) -> Path:
    found = list(FOLDER.glob(f"{name}_*.deb"))
    if len(found) != 1:
        raise AssertionError(f"{FOLDER} holds {len(found)} packages of {name}")
    return found[0]


def field(of: Path, name: str) -> str:
    return call("dpkg-deb", "--field", of, name).strip()


def names(relations: str) -> set[str]:
    """Returns the first alternative of each relation, without versions."""
    return {re.split(r"[ (|]", each.strip())[0] for each in relations.split(",")}


def next_release(folder: Path) -> Path:
    """Builds the same package with a higher version and another default configuration."""
    call("dpkg-deb", "--raw-extract", package("ringmaster"), folder / "tree")
    control = folder / "tree/DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", "Version: 99.0.0-1", control.read_text(encoding="utf-8")), encoding="utf-8")
    with (folder / "tree" / CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write("# next release\n")
    (folder / "tree/DEBIAN/md5sums").unlink(missing_ok=True)
    call("dpkg-deb", "--root-owner-group", "-Znone", "--build", folder / "tree", folder / "ringmaster_99.0.0-1.deb")
    return folder / "ringmaster_99.0.0-1.deb"


class PackageTest(unittest.TestCase):
    """One root, in the order of a package's life cycle."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.root = CleanRoot()
        except Unusable as why:
            raise unittest.SkipTest(str(why)) from why
        cls.addClassCleanup(cls.root.close)
        cls.root.run("apt-get", "update", "-q")
        cls.root.install(package("ringmaster"), package("ringmaster-dbgsym"))

    def file(self, name: str) -> Path:
        return self.root.path / name

    def owner(self, name: str) -> str:
        return self.root.run("stat", "-c", "%U:%G %a", f"/{name}").strip()

    def ringmaster(self, *words: str) -> str:
        return self.root.run(*AS_ITS_USER, "/usr/bin/ringmaster", *words)

    def test_1_everything_is_where_it_belongs(self):
        self.assertRegex(self.root.run("getent", "passwd", "ringmaster"), r"^ringmaster:.*:/var/lib/ringmaster:.*nologin$")
        self.assertEqual(self.owner("var/lib/ringmaster"), "ringmaster:ringmaster 700")
        self.assertEqual(self.owner(CONFIGURATION), "root:ringmaster 640")
        self.assertEqual(self.owner("etc/ringmaster/jobs.d"), "root:ringmaster 750")
        self.assertIn(f"/{CONFIGURATION}", self.root.run("dpkg-query", "--show", "-f", "${Conffiles}", "ringmaster"))
        for name in ("usr/share/man/man1/ringmaster.1", "usr/share/bash-completion/completions/ringmaster",
                     "usr/share/zsh/site-functions/_ringmaster", "usr/share/fish/vendor_completions.d/ringmaster.fish",
                     "usr/share/doc/ringmaster/copyright", "usr/share/doc/ringmaster/ringmaster.example.toml"):
            self.assertGreater(self.file(name).stat().st_size, 100, name)
        self.assertIn("complete", self.file("usr/share/bash-completion/completions/ringmaster").read_text(encoding="utf-8"))
        self.assertTrue(self.file("etc/systemd/system/multi-user.target.wants/ringmaster.service").is_symlink())

    def test_1_the_unit_names_the_binary_and_is_correct(self):
        unit = self.file("lib/systemd/system/ringmaster.service")
        if not unit.exists():
            unit = self.file("usr/lib/systemd/system/ringmaster.service")
        text = unit.read_text(encoding="utf-8")
        self.assertIn("ExecStart=/usr/bin/ringmaster serve\n", text)
        self.assertIn("Type=notify\n", text)
        done = subprocess.run(["chroot", self.root.path, "systemd-analyze", "verify", "ringmaster.service"], capture_output=True,
                              text=True, check=False)
        mistakes = [line for line in done.stderr.splitlines() if "ringmaster.service" in line]
        self.assertEqual(mistakes, [], done.stderr)

    def test_1_the_binary_needs_what_the_package_names_and_no_more(self):
        binary = self.file("usr/bin/ringmaster")
        self.assertLess(binary.stat().st_size, 40 << 20)
        sections = call("readelf", "--sections", "--wide", binary)
        self.assertNotIn(".debug_info", sections)
        self.assertNotIn("not found", self.root.run("ldd", "/usr/bin/ringmaster"))
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", call("readelf", "--dynamic", binary))
        named = names(field(package("ringmaster"), "Depends"))
        used = set()
        for library in needed:
            owner = self.root.run("sh", "-c", f"dpkg-query --search '*/{library}' | head -n 1").split(":")[0]
            provided = names(self.root.run("dpkg-query", "--show", "-f", "${Provides}", owner))
            self.assertTrue(({owner} | provided) & named, (library, owner, named))
            used |= {owner} | provided
        self.assertEqual({each for each in named - used if each.startswith("lib")}, set())
        self.assertRegex(self.ringmaster("--version"), r"^ringmaster \d+\.\d+\.\d+\ncommit ")

    def test_1_the_symbols_are_found_by_build_id(self):
        build_id = re.search(r"Build ID: (..)(\w+)", call("readelf", "--notes", self.file("usr/bin/ringmaster")))
        symbols = self.file(f"usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug")
        self.assertIn(".debug_info", call("readelf", "--sections", "--wide", symbols))

    def serve(self) -> tuple[subprocess.Popen, str]:
        """Starts the server like the unit, with its user. Returns the address once it reports that it is ready."""
        manager = datagram_socket(f"ringmaster-package-test-{os.getpid()}")
        self.addCleanup(manager.close)
        words = ["chroot", self.root.path, *AS_ITS_USER, "env", f"NOTIFY_SOCKET=@ringmaster-package-test-{os.getpid()}",
                 "/usr/bin/ringmaster", "serve", "--set", "server.listen=127.0.0.1:0"]
        child = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(child.wait)
        self.addCleanup(lambda: child.poll() is None and child.kill())
        said = manager.recv(4096).decode()
        manager.close()
        self.assertTrue(said.startswith("READY=1\n"), said)
        return child, re.search(r"serving on (\S+)", said)[1]

    def stop(self, child: subprocess.Popen) -> None:
        child.terminate()
        self.assertEqual(child.wait(60), 0)

    def test_2_it_starts_as_its_user(self):
        child, address = self.serve()
        with urllib.request.urlopen(address + "/livez", timeout=60) as reply:
            self.assertEqual(reply.read(), b"ok")
        with urllib.request.urlopen(address + "/", timeout=60) as reply:
            self.assertIn(b"<h1>Ringmaster</h1>", reply.read())
        self.stop(child)
        self.assertEqual(self.owner("var/lib/ringmaster/ringmaster.db")[:21], "ringmaster:ringmaster")

    def test_3_an_upgrade_keeps_configuration_and_jobs(self):
        (self.file("etc/ringmaster/jobs.d") / "pay.toml").write_text(JOBS, encoding="utf-8")
        with self.file(CONFIGURATION).open("a", encoding="utf-8") as file:
            file.write('\n[deploy]\nfiles = ["jobs.d/*.toml"]\n')
        self.stop(self.serve()[0])
        with tempfile.TemporaryDirectory() as folder:
            self.root.install(next_release(Path(folder)))
        self.assertEqual(self.root.run("dpkg-query", "--show", "-f", "${Version}", "ringmaster"), "99.0.0-1")
        text = self.file(CONFIGURATION).read_text(encoding="utf-8")
        self.assertIn("[deploy]", text)
        self.assertNotIn("next release", text)
        self.assertEqual(self.owner(CONFIGURATION), "root:ringmaster 640")
        child, _ = self.serve()
        self.assertEqual(json.loads(self.ringmaster("job", "list", "--json"))["items"][0]["name"], "settle")
        self.stop(child)

    def test_4_a_removal_keeps_the_configuration_and_a_purge_the_data(self):
        self.root.run("apt-get", "remove", "-y", "-q", "ringmaster")
        self.assertFalse(self.file("usr/bin/ringmaster").exists())
        self.assertTrue(self.file(CONFIGURATION).exists())
        self.file("etc/ringmaster/jobs.d/pay.toml").unlink()
        said = self.root.run("apt-get", "purge", "-y", "-q", "ringmaster")
        self.assertFalse(self.file("etc/ringmaster").exists())
        self.assertFalse(self.file("etc/systemd/system/multi-user.target.wants/ringmaster.service").is_symlink())
        self.assertIn("the data folder /var/lib/ringmaster is kept", said)
        self.assertTrue(self.file("var/lib/ringmaster/ringmaster.db").exists())
        shutil.rmtree(self.file("var/lib/ringmaster"))


class SdkTest(unittest.TestCase):
    def test_a_program_is_built_with_what_the_package_holds(self):
        with tempfile.TemporaryDirectory(prefix="ringmaster-sdk-") as name:
            folder = Path(name)
            call("dpkg-deb", "--extract", package("ringmaster-sdk"), folder / "root")
            example = next((folder / "root").rglob("examples/my_executor"))
            environment = {key: value for key, value in os.environ.items() if not key.startswith("CAF_")}
            call("cmake", "-G", "Ninja", "-S", example, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder}/root/usr",
                 env=environment)
            rules = (folder / "build/build.ninja").read_text(encoding="utf-8")
            self.assertIn(f"{folder}/root/usr/lib/ringmaster-sdk/caf/lib/libcaf_core.a", rules)
            call("cmake", "--build", folder / "build", env=environment)
            self.assertTrue((folder / "build/my_executor").exists())

    def test_nothing_of_the_server_is_in_it(self):
        content = call("dpkg-deb", "--contents", package("ringmaster-sdk"))
        self.assertNotIn("usr/bin/", content)
        self.assertNotIn("libstorage", content)


def main() -> int:
    global FOLDER
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    FOLDER = Path(sys.argv[1]).resolve()
    tests = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(each) for each in (PackageTest, SdkTest))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
