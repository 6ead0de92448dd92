#!/usr/bin/env python3
"""Tests that the checks find violations: each test adds one violation to a clean tree."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringmaster-tidy-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run_script(self, script: str, *arguments: str) -> tuple[int, str]:
        command = [sys.executable, str(ROOT / "scripts" / script), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.root, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout


class IncludesTest(ScriptTest):
    def setUp(self):
        super().setUp()
        self.write(
            {
                "core/ids.hpp": "#pragma once\n#include <string>\n#include <tl/expected.hpp>\n",
                "config/settings.hpp": '#pragma once\n#include "core/ids.hpp"\n',
                "config/load.hpp": "#pragma once\n",
                "protocol/caf.hpp": "#pragma once\n#include <caf/all.hpp>\n",
                "protocol/http.hpp": "#pragma once\n",
                "storage/store.hpp": '#pragma once\n#include "core/ids.hpp"\n',
                "storage/columns.hpp": "#pragma once\n",
                "storage/mysql/driver/session.hpp": "#pragma once\n#include <mysql/mysql.h>\n",
                "gateway/transport/io/asio.hpp": "#pragma once\n#include <boost/asio/io_context.hpp>\n",
                "gateway/transport/transport.hpp": '#pragma once\n#include "protocol/http.hpp"\n',
                "apps/main.cpp": '#include "gateway/transport/transport.hpp"\n#include "storage/store.hpp"\n#include "protocol/caf.hpp"\n',
            }
        )

    def refuse(self, name: str, text: str, expected: str) -> None:
        self.write({name: text})
        status, output = self.run_script("check_includes.py", "--root", str(self.root))
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)
        self.assertRegex(output.splitlines()[-1], r"^cases: passed=\d+ failed=1 skipped=0$")

    def test_a_clean_tree_passes(self):
        status, output = self.run_script("check_includes.py", "--root", str(self.root))
        self.assertEqual((status, output), (0, "cases: passed=9 failed=0 skipped=0\n"))

    def test_an_empty_tree_does_not_pass(self):
        status, _ = self.run_script("check_includes.py", "--root", str(self.root / "storage" / "mysql"))
        self.assertEqual(status, 1)

    def test_core_uses_nothing_of_ours(self):
        self.refuse("core/a.cpp", '#include "config/load.hpp"\n', 'core/a.cpp:1: core/ may not include "config/load.hpp"')

    def test_core_has_no_threads_and_no_system(self):
        self.refuse("core/a.cpp", "#include <vector>\n#include <thread>\n", "core/a.cpp:2: core/ may not include <thread>")
        self.refuse("core/a.cpp", "#include <unistd.h>\n", "core/a.cpp:1: core/ may not include <unistd.h>")

    def test_actors_know_storage_by_its_interfaces(self):
        self.refuse("actors/a.cpp", '#include "storage/columns.hpp"\n', 'actors/ may not include "storage/columns.hpp"')
        self.refuse("actors/a.cpp", '#include "storage/mysql/driver/session.hpp"\n', "actors/ may not use mysql")

    def test_a_room_includes_no_room_above_it(self):
        self.write({"core/schedule/book.hpp": "#pragma once\n", "core/job/job.hpp": "#pragma once\n"})
        self.write({"core/schedule/plan.cpp": '#include "core/job/job.hpp"\n'})
        self.refuse("core/job/a.cpp", '#include "core/schedule/book.hpp"\n', '"core/schedule/book.hpp" is in a room above core/job')

    def test_every_room_is_listed(self):
        self.refuse("core/attic/a.cpp", "", "core/attic/a.cpp:1: core/attic is not a room of core; see ROOMS")

    def test_actors_know_settings_and_no_loader(self):
        self.refuse("actors/a.cpp", '#include "config/load.hpp"\n', 'actors/ may not include "config/load.hpp"')

    def test_gateway_never_sees_storage_or_the_sockets(self):
        self.refuse("gateway/a.cpp", '#include "storage/store.hpp"\n', "gateway/ may not include")
        self.refuse("gateway/a.cpp", '#include "gateway/transport/io/asio.hpp"\n', "gateway/ may not use boost")
        self.refuse("gateway/a.cpp", "# include <boost/beast.hpp>\n", "a.cpp:1: gateway/ may not include <boost/beast.hpp>")

    def test_the_transport_never_sees_caf(self):
        self.refuse("gateway/transport/a.cpp", "#include <caf/all.hpp>\n", "gateway/transport/ may not include <caf/all.hpp>")
        self.refuse("gateway/transport/a.cpp", '#include "protocol/caf.hpp"\n', "gateway/transport/ may not use caf")

    def test_a_backend_does_not_know_the_other(self):
        self.refuse("storage/sqlite/a.cpp", '#include "storage/mysql/driver/session.hpp"\n', "storage/sqlite/ may not include")

    def test_libraries_that_come_in_through_a_header(self):
        self.write({"storage/store.hpp": '#pragma once\n#include "storage/columns.hpp"\n'})
        self.write({"storage/columns.hpp": '#pragma once\n#include "storage/mysql/driver/session.hpp"\n'})
        status, output = self.run_script("check_includes.py", "--root", str(self.root))
        self.assertEqual(status, 1)
        self.assertIn('apps/main.cpp:2: apps/ may not use mysql, which "storage/store.hpp" brings in', output)

    def test_unknown_libraries_and_headers(self):
        self.refuse("apps/a.cpp", "#include <absl/time.h>\n", "<absl/time.h> is of no library")
        self.refuse("apps/a.cpp", '#include "main.hpp"\n', '"main.hpp" does not exist')


class TidyTest(ScriptTest):
    def setUp(self):
        super().setUp()
        self.write({f"{name}.md": "text\n" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "ARCHITECTURE")})
        self.write(
            {
                ".ci/run": "sh\n",
                "LICENSE": "\n   Apache License\n   Version 2.0, January 2004\n",
                "config/ringmaster.example.toml": "# settings\n",
                "docs/configuration.md": "[all settings](../config/ringmaster.example.toml)\n",
                "core/CMakeLists.txt": "# core\nadd_module(core SOURCES ids.cpp)\n",
                "core/ids.hpp": "#pragma once\n",
                "core/ids.cpp": '#include "core/ids.hpp"\n',
            }
        )

    def refuse(self, name: str, text: str, expected: str) -> None:
        self.write({name: text})
        status, output = self.run_script("check_tidy.py", "--root", str(self.root))
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_a_clean_tree_passes(self):
        status, output = self.run_script("check_tidy.py", "--root", str(self.root))
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"^cases: passed=\d+ failed=0 skipped=0\n$")

    def test_sizes(self):
        self.refuse("core/ids.cpp", "int a;\n" * 501, "core/ids.cpp:501: 501 lines; at most 500 [file_length]")
        self.refuse("core/ids.cpp", "\n//" + "x" * 129 + "\n", "core/ids.cpp:2: 131 columns; at most 130")
        self.write({"core/ids.cpp": "// " + "é" * 127 + "\n"})
        self.assertEqual(self.run_script("check_tidy.py", "--root", str(self.root))[0], 0)

    def test_white_space(self):
        self.refuse("core/ids.cpp", "int a; \n", "core/ids.cpp:1: tab, blank")
        self.refuse("core/ids.cpp", "int a;", "core/ids.cpp:1: no newline at the end")

    def test_a_class_with_too_many_fields(self):
        fields = "".join(f"  int field{number}_ = 0;\n" for number in range(31))
        self.refuse("core/ids.hpp", "#pragma once\nclass ids {\n" + fields + "};\n", "core/ids.hpp:34: ids has 31 fields; at most 30")

    def test_unfinished_work(self):
        word = "TO" + "DO"
        self.refuse("core/ids.cpp", f"// {word}: later\n", f"core/ids.cpp:1: {word}: say it in an issue")
        self.refuse("core/ids.cpp", "// XXX\n", "core/ids.cpp:1: XXX")

    def test_words_that_are_retired(self):
        self.refuse("core/ids.hpp", "#pragma once\n// Ids that no" + "body else has.\n", "core/ids.hpp:2: 'nobody': name the person")
        self.refuse("docs/a.md", "It begins an" + "ew.\n", "docs/a.md:1: 'anew': again")

    def test_comments_that_begin_without_a_verb(self):
        self.refuse("core/ids.hpp", "#pragma once\n/// Wh" + "at an id is.\n", "core/ids.hpp:2: a comment begins with a verb")

    def test_texts_that_deny_instead_of_saying_invalid(self):
        self.refuse("core/ids.cpp", 'fail("it is n' + 'o id");\n', "core/ids.cpp:1: say invalid, or not a")

    def test_headers(self):
        self.refuse("core/ids.hpp", "// ids\nint a;\n#pragma once\n", "core/ids.hpp:1: does not begin with #pragma once")

    def test_endless_requests(self):
        self.refuse("actors/a.cpp", "self->request(peer, caf::infinite, 1);\n", "actors/a.cpp:1: caf::infinite")
        self.refuse("actors/a.cpp", "self->request(peer, infinite, 1);\n", "actors/a.cpp:1: infinite")

    def test_sleep(self):
        for call in ("std::this_thread::sleep_for(1s);", "usleep(3);", "sleep(1);"):
            self.refuse("tests/actors/a.cpp", f"  {call}\n", "tests/actors/a.cpp:1: ")

    def test_co_await_in_a_condition(self):
        for code in ("if (!co_await context.sleep_for(1s))", "return a && co_await b;", "x = co_await b ? 1 : 2;"):
            self.refuse("executor/a.cpp", f"  {code}\n", "executor/a.cpp:1: co_await stands in a statement of its own")

    def test_environment(self):
        self.refuse("storage/a.cpp", 'auto x = std::getenv("X");\n', "storage/a.cpp:1: getenv(")

    def test_files_where_none_belong(self):
        self.refuse("notes.txt", "x\n", "notes.txt:1: nothing of that name belongs at the top")
        self.refuse("core/string_util.hpp", "#pragma once\n", "'string_util' says nothing")
        self.refuse("core/JobId.hpp", "#pragma once\n", "core/JobId.hpp:1: file names are snake_case")

    def test_missing_files(self):
        (self.root / "SECURITY.md").unlink()
        self.refuse("LICENSE", "MIT License\n", "LICENSE:1: not the Apache License 2.0")
        self.refuse("docs/configuration.md", "see the file\n", "docs/configuration.md:1: does not name")
        self.refuse("LICENSE", "", "SECURITY.md:1: missing")

    def test_sources_that_nobody_builds(self):
        self.refuse("core/forgotten.cpp", "int a;\n", "core/forgotten.cpp:1: no CMakeLists.txt names it")

    def test_folders_that_do_not_say_what_they_are(self):
        self.refuse("core/CMakeLists.txt", "add_module(core SOURCES ids.cpp)\n", "core/CMakeLists.txt:1: begins without saying")

    def test_links(self):
        self.refuse("docs/a.md", "see [that](../core/none.hpp)\n", "docs/a.md:1: ../core/none.hpp does not exist")
        self.write({"docs/a.md": "[this](../core/ids.hpp#x) [web](https://example.org/x) [here](#part)\n"})
        self.assertEqual(self.run_script("check_tidy.py", "--root", str(self.root))[0], 0)

    def test_named_tests(self):
        self.refuse("docs/a.md", "see tests/unit/a_test.cpp\n", "docs/a.md:1: tests/unit/a_test.cpp does not exist")
        self.write({"tests/unit/a_test.py": "def test_b():\n    pass\n", "docs/a.md": 'tests/unit/a_test.py "test_b"\n'})
        self.assertEqual(self.run_script("check_tidy.py", "--root", str(self.root))[0], 0)
        self.refuse("docs/a.md", 'tests/unit/a_test.py "test_c"\n', "docs/a.md:1: tests/unit/a_test.py has no test 'test_c'")

    def test_decision_records(self):
        self.write({"docs/adr/README.md": "[1](0001-a.md)\n", "docs/adr/0001-a.md": "# 1. A\n"})
        self.assertEqual(self.run_script("check_tidy.py", "--root", str(self.root))[0], 0)
        self.refuse("docs/adr/0001-b.md", "# 1. B\n", "docs/adr/0001-b.md:1: the name and the title of this record begin")
        self.refuse("docs/adr/0001-b.md", "# 1. B\n", "docs/adr/README.md does not list it")

    def test_lists_that_follow_the_code(self):
        page = "# Design\n\n## Actors\n\n| Actor | Owns |\n|---|---|\n| `ring_actor` | a heap |\n\n## More\n"
        catalogue = "#pragma once\nusing ring_actor = caf::typed_actor<\nusing life_listener = caf::typed_actor<\n"
        self.write({"ARCHITECTURE.md": page, "protocol/actor_interfaces.hpp": catalogue})
        self.assertEqual(self.run_script("check_tidy.py", "--root", str(self.root))[0], 0)
        self.refuse("ARCHITECTURE.md", page.replace("ring", "round"), "the actor ring_actor is not in the tables")
        self.refuse("ARCHITECTURE.md", page.replace("ring", "round"), "round_actor is no actor of the catalogue")
        self.refuse("CMakePresets.json", '{"configurePresets": [{"name": "quick"}]}', "does not name the preset quick")
        self.refuse("CMakeLists.txt", "# top\nproject(x VERSION 7.1.0)\n", "the newest version is not 7.1.0")
        self.refuse("tests/speed/CMakeLists.txt", "# tests/speed\n", "says nothing of tests/speed")
        self.refuse("docs/parity.md", "| # | Feature | Since | Tested in | Ours |\n| 7 | Time | 1.0 | | soon |\n", "'Time' names no test")
        self.refuse("docs/elasticjob_parity.md", "| EJ-01 | Items | | none |\n", "EJ-01 names no test")
        self.refuse("docs/elasticjob_parity.md", "| EJ-02 | Items | tests/a | none |\n", "expected a row EJ-01")

    def test_paths_of_one_machine(self):
        self.refuse("docs/a.md", "look into /home" + "/ann/x\n", "a path of one machine")


class SumTest(ScriptTest):
    @staticmethod
    def section(name: str, output: str, verdict: str = "Test Passed.") -> str:
        head = f'1/1 Testing: {name}\n1/1 Test: {name}\nCommand: "x"\nOutput:\n-----\n'
        return f"{head}{output}<end of output>\n-----\n{verdict}\n\n"

    def sum(self, log: str, *more: str) -> tuple[int, list[str]]:
        self.write({"log": log})
        status, output = self.run_script("sum_tests.py", "--ctest", "log", *more)
        return status, output.splitlines()

    def test_counts_and_skips_are_added_up(self):
        log = self.section("unit", "cases: passed=5 failed=0 skipped=0\n")
        log += self.section("storage", "skipped: claims on mysql: no server\ncases: passed=7 failed=0 skipped=1\n")
        self.write({"interop.log": "PASS a\nSKIP mariadb: everything: no server\ninterop: passed=1 failed=0 skipped=1\n"})
        status, lines = self.sum(log, "--interop", "interop.log", "--count", "1", "0", "0")
        self.assertEqual(status, 0)
        self.assertEqual(
            lines,
            [
                "skipped: claims on mysql: no server",
                "skipped: mariadb: everything: no server",
                "14 passed, 0 failed, 2 skipped",
            ],
        )

    def test_a_failed_case_is_counted_once(self):
        status, lines = self.sum(self.section("unit", "cases: passed=5 failed=2 skipped=0\n", "Test Failed."))
        self.assertEqual((status, lines), (1, ["5 passed, 2 failed, 0 skipped"]))

    def test_a_program_that_died_is_one_failure(self):
        log = self.section("unit", "cases: passed=5 failed=0 skipped=0\n")
        log += self.section("actors", "==1==ERROR\n", "Test Failed.")
        self.assertEqual(self.sum(log), (1, ["failed: actors ended without a count", "5 passed, 1 failed, 0 skipped"]))

    def test_an_error_after_the_last_case_is_one_failure(self):
        status, lines = self.sum(self.section("unit", "cases: passed=5 failed=0 skipped=0\nleaks\n", "Test Failed."))
        self.assertEqual(lines, ["failed: unit ended with an error after its last test", "5 passed, 1 failed, 0 skipped"])
        self.assertEqual(status, 1)

    def test_no_log_and_no_test_are_failures(self):
        status, output = self.run_script("sum_tests.py", "--ctest", "none")
        self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        status, output = self.run_script("sum_tests.py", "--interop", "none")
        self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        status, output = self.run_script("sum_tests.py")
        self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_every_check_that_is_a_test_prints_its_count(self):
        tests = (ROOT / "tests/tidy/CMakeLists.txt").read_text(encoding="utf-8")
        checks = re.findall(r"scripts/(\w+\.py)\"((?: --[a-z]+)*)\)", tests)
        self.assertEqual(len(checks), 1, checks)
        checks += [(f"{name}.py", "") for name in re.search(r"foreach\(check ([\w ]+)\)", tests)[1].split()]
        for script, options in checks:
            lines = self.sum(self.section(script, self.run_script(script, *options.split())[1]))[1]
            self.assertNotIn("without a count", lines[0])


def main() -> int:
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed} failed={failed} skipped=0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
