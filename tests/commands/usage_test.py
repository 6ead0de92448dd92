"""Commands that read or answer: help, versions, cron, invalid settings, doctor, migrate."""

import json
import re
import subprocess
from pathlib import Path

from command_case import DEADLINE_S, Case


class HelpTest(Case):
    def test_version(self):
        lines = self.succeed("--version").out.splitlines()
        self.assertRegex(lines[0], r"^ringmaster \d+\.\d+\.\d+$")
        self.assertRegex(lines[1], r"^commit ([0-9a-f]{12}(\+changes)?|unknown)$")
        self.assertEqual(lines[2], "libraries:")
        versions = dict(re.fullmatch(r"  (.+) (\d+\.\d+\S*)", line).groups() for line in lines[3:])
        self.assertEqual(set(versions), {"CAF", "Boost", "OpenSSL", "SQLite", "MySQL client", "libcurl", "spdlog"})

    def test_every_command_that_help_lists_has_help(self):
        listed = self.succeed("--help").out.split("Subcommands:")[1]
        commands = re.findall(r"^  (\S+)  ", listed, re.MULTILINE)
        self.assertLessEqual({"serve", "demo", "apply", "migrate", "cron", "doctor"}, set(commands))
        for command in commands:
            self.assertIn("--help", self.succeed(command, "--help").out)
        self.assertIn("--from", self.succeed("cron", "next", "--help").out)

    def test_the_man_page_lists_the_commands_of_help(self):
        page = (Path(__file__).resolve().parents[2] / "packaging/ringmaster.1").read_text(encoding="utf-8")
        section = page.split(".SH COMMANDS")[1].split(".SH ")[0]
        listed = re.findall(r"^  (\S+)  +(.*)$", self.succeed("--help").out.split("Subcommands:")[1], re.MULTILINE)
        described = re.findall(r"^\.TP\n\.B (\S+)\n(.*)\.$", section, re.MULTILINE)
        plain = [(name, text.replace("\\-", "-").replace("\\(aq", "'")) for name, text in described]
        self.assertEqual(plain, listed)

    def test_wrong_usage_is_code_2(self):
        for arguments in ([], ["fly"], ["serve", "--fast"], ["apply"], ["cron"], ["cron", "next"], ["serve", "more"]):
            result = self.run_it(*arguments)
            self.assertEqual((result.code, result.out), (2, ""), (arguments, result))
            self.assertNotEqual(result.err, "", arguments)

    def test_a_wrong_word_is_named(self):
        for arguments in (["fly"], ["--fly"], ["cron", "fly"]):
            self.assertIn("fly", self.run_it(*arguments).err, arguments)
        self.assertIn("subcommand is required", self.run_it().err)

    def test_words_are_named_in_the_order_of_the_command_line(self):
        end = "Run with --help for more information."
        for arguments, line in ((["list", "jobs"], "'list' is unknown"),
                                (["serve", "more", "words"], "unexpected argument 'more'"),
                                (["job", "lst"], "'lst' is unknown; did you mean 'list'?")):
            result = self.run_it(*arguments)
            self.assertEqual((result.code, result.out, result.errors), (2, "", ["ringmaster: " + line, end]))

    def test_common_options_are_named_where_they_apply(self):
        self.assertIn("\nCommon options of commands:\n--config FILE: ", self.succeed("--help").out)
        for command in ("cron next", "completion", "demo", "job", "run", "cron", "group", "user"):
            self.assertNotIn("Common options", self.succeed(*command.split(), "--help").out, command)
        for command in ("job list", "export", "serve", "doctor"):
            told = self.succeed(*command.split(), "--help").out
            self.assertEqual(told.count("Common options (explained by `ringmaster --help`): --config, --set"), 1, command)

    def test_the_help_of_an_executor_names_its_settings(self):
        told = self.succeed("executor", "--help").out
        for key in ("executor.app_name", "executor.admins", "security.access_token", "executor.listen", "executor.port"):
            self.assertIn(f"\n{key}: ", told)
        self.assertIn("Common options (explained by `ringmaster --help`): --config, --set", told)

    def test_what_cannot_be_written_is_no_success(self):
        for arguments in (["--version"], ["--help"], ["cron", "next", "0 0 9 * * ?"]):
            for mode in ("w", "r"):
                with open("/dev/full", mode, encoding="utf-8") as full:
                    done = subprocess.run([self.binary, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                          timeout=DEADLINE_S, env=self.environment())
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn("cannot write to standard output: ", done.stderr)


class CronTest(Case):
    def next_ms(self, *arguments: str) -> list[int]:
        return json.loads(self.succeed("cron", "next", "0 0 9 * * ?", "--json", *arguments).out)["next_ms"]

    def test_times(self):
        nine = 1795251600000  # 2026-11-21T09:00:00Z
        hour = 3600000
        self.assertEqual(self.next_ms("--from", str(nine - 1), "--count", "2", "--zone", "UTC"), [nine, nine + 24 * hour])
        for text in ("2026-11-21", "2026-11-21T08:59", "2026-11-21 08:59:59.999", "2026-11-21T16:59+0800",
                     "2026-11-21T16:59:00+08", "2026-11-21T16:59:00.5+08:00", "2026-11-21T04:29:00-04:30"):
            self.assertEqual(self.next_ms("--from", text, "--count", "1", "--zone", "UTC"), [nine], text)
        self.assertEqual(self.next_ms("--from", "2026-11-21T08:59", "--count", "1", "--zone", "Asia/Shanghai"), [nine - 8 * hour])

    def test_what_is_no_time(self):
        for text in ("2026-11-21T10:00+99:99", "2026-11-21T10:00+0", "2026-11-21T25:00", "2026-02-30", "2026-11-21T10:00:00.",
                     "2026-11-21T10:00ZZ", "tomorrow", "1e3"):
            result = self.run_it("cron", "next", "0 0 9 * * ?", "--from", text)
            self.assertEqual(result.code, 2, text)
            self.assertTrue(result.err.startswith(f'ringmaster: --from: "{text}" is not a time; '), result)

    def test_what_is_no_expression_or_zone(self):
        result = self.run_it("cron", "next", "0 0 25 * * ?")
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertNotEqual(result.err, "")
        result = self.run_it("cron", "next", "0 0 9 * * ?", "--zone", "Mars/Olympus")
        self.assertEqual(result.code, 2)
        self.assertTrue(result.err.startswith("ringmaster: --zone: "), result)

    def test_an_expression_that_is_over(self):
        self.assertEqual(self.succeed("cron", "next", "0 0 9 1 1 ? 2020").out, "never again\n")


class SettingsTest(Case):
    """For every invalid setting `serve` names its place, exits with 2 and creates nothing."""

    def tearDown(self):
        self.assertFalse(self.data.exists())

    def test_a_file_that_is_not_there(self):
        self.refuse(2, "cannot read {}/none.toml: No such file or directory", "serve", "--config", f"{self.folder}/none.toml")

    def test_mistakes_name_file_line_and_key(self):
        for text, problem in (
            ("\n[server]\nlistn = 'x'\n", "3: unknown key 'server.listn'; did you mean 'server.listen'?"),
            ("[server]\nlisten = 80\n", "2: server.listen: expected a text"),
            ("[server]\n\nlisten = '80'\n",
             '3: server.listen: "80" is not valid; expected host:port with a port from 0 to 65535'),
            ("[security]\naccess_token = { file = 'none.txt' }\n",
             "2: security.access_token: cannot read {}/none.txt: No such file or directory"),
        ):
            self.refuse(2, "{}/c.toml:" + problem, "serve", "--config", self.write("c.toml", text))

    def test_mistakes_name_the_variable_or_the_option(self):
        problem = 'server.listen: "80" is not valid; expected host:port with a port from 0 to 65535'
        self.refuse(2, f"RINGMASTER_SERVER_LISTEN: {problem}", "serve", variables={"RINGMASTER_SERVER_LISTEN": "80"})
        self.refuse(2, f"--set {problem}", "serve", "--set", "server.listen=80")
        self.refuse(2, f"--listen: {problem}", "demo", "--listen", "80")
        self.refuse(2, "--set zzz: unknown key 'zzz'", "serve", "--set", "zzz=1")

    def test_everything_wrong_is_told_at_once(self):
        result = self.run_it("serve", "--config", self.write("c.toml", "zzz = 1\n"), "--set", "log.level=loud", "--set",
                             "server.listen=x")
        self.assertEqual((result.code, len(result.errors)), (2, 3), result)

    def test_a_password_is_never_shown(self):
        for url in ("mysql:u:hush@h/x", "u:hush@h/x", "mysql://u:hush@h", "mysql://u:hu@sh:hush@h:hush/x",
                    "postgres://u:hush@h/x", "mysql://u@h:hush/x", "mysql://u:p@h/x?hush=hush"):
            result = self.run_it("serve", "--set", f"database.url={url}", "--set", f"data_dir={self.folder}")
            self.assertEqual(result.code, 2, result)
            self.assertIn("database.url", result.err)
            self.assertNotIn("hush", result.err)


class DoctorTest(Case):
    def test_before_the_first_start(self):
        result = self.succeed("doctor")
        self.assertRegex(result.out, r"(?m)^warn +database +none yet")
        self.assertFalse(self.data.exists())

    def test_after_migrate_all_is_well(self):
        self.succeed("migrate")
        found = {each["check"]: each["status"] for each in json.loads(self.succeed("doctor", "--json").out)}
        self.assertEqual((found["database"], found["schema"]), ("ok", "ok"))

    def test_a_wrong_configuration_is_code_2(self):
        result = self.run_it("doctor", "--set", "server.listen=x")
        self.assertEqual(result.code, 2, result)
        self.assertIn("--set server.listen", result.out)

    def test_an_unreachable_database_is_code_1(self):
        result = self.run_it("doctor", "--set", "database.url=mysql://u:hush@127.0.0.1:1/x")
        self.assertEqual(result.code, 1, result)
        self.assertNotIn("hush", result.out + result.err)


class MigrateTest(Case):
    def test_dry_run_makes_nothing(self):
        self.assertIn("CREATE TABLE", self.succeed("migrate", "--dry-run").out)
        self.assertFalse(self.data.exists())

    def test_twice(self):
        self.assertIn("done: 1 ", self.succeed("migrate").out)
        self.assertEqual(self.succeed("migrate").out, f"sqlite {self.data}/ringmaster.db: up to date\n")

    def test_a_server_that_is_not_there(self):
        result = self.run_it("migrate", "--set", "database.url=mysql://u:hush@127.0.0.1:1/x")
        self.assertEqual((result.code, len(result.errors)), (1, 1), result)
        self.assertIn("127.0.0.1", result.err)
        self.assertNotIn("hush", result.err)
        self.assertFalse(self.data.exists())
