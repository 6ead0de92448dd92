"""SIGHUP: settings that are applied, settings that need a restart and are named, and alarms whose channel is added later."""

import signal

from command_case import JOBS, Case, Server, job
from mariadb_case import MariadbCase
from receivers import Receiver

NOBODY = '[[group]]\napp_name = "idle"\naddresses = ["http://127.0.0.1:9"]\n'


class ReloadTest(Case):
    def hook(self, receiver: Receiver) -> str:
        return f'[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:{receiver.port}/"\n'

    def test_settings_that_need_a_restart_are_named(self):
        config = self.write("c.toml", "")
        server = self.start("--config", config)
        server.wait_until_ready()
        self.write("c.toml", '[trigger]\nconnect_timeout = "4s"\n[schedule]\nmisfire_after = "6s"\n[log]\nlevel = "debug"\n')
        server.signal(signal.SIGHUP)
        server.wait_for_line(r"reload: done")
        line = server.wait_for_line(r"reload: these changes need a restart: (.*)")[1]
        self.assertEqual(line, "schedule.misfire_after, trigger.connect_timeout")
        self.assertEqual(server.wait_for_line(r"reload: applied: (.*)")[1], "log.level")
        self.assertEqual(server.stop(), 0)

    def test_secrets_are_not_shown(self):
        config = self.write("c.toml", '[mail]\nhost = "127.0.0.1"\nfrom = "a@x.example"\npassword = "first-secret"\n')
        server = self.start("--config", config)
        server.wait_until_ready()
        self.write("c.toml", '[mail]\nhost = "127.0.0.1"\nfrom = "a@x.example"\npassword = "other-secret"\n')
        server.signal(signal.SIGHUP)
        self.assertEqual(server.wait_for_line(r"reload: applied: (.*)")[1], "mail.password")
        for secret in ("first-secret", "other-secret"):
            self.assertNotIn(secret, server.text())
        self.assertEqual(server.stop(), 0)

    def test_an_alarm_waits_for_its_channel(self):
        hook = Receiver(self, "http")
        jobs = self.write("jobs.toml", NOBODY + job("tick", 'schedule = { cron = "* * * * * ?" }', group="idle")
                          + '\n[[alarm]]\nkey = "calls"\nchannels = ["ops"]\n')
        config = self.write("c.toml", self.hook(hook))
        self.succeed("migrate", "--config", config)
        self.succeed("apply", "--config", config, jobs)
        self.write("c.toml", "")  # the channel is removed, but the job's alarms name it
        server = self.start("--config", config)
        server.wait_for_line(r'not sent through ops yet, will be retried: no \[\[webhook\]\] named "ops"')
        self.write("c.toml", self.hook(hook))
        server.signal(signal.SIGHUP)
        self.assertEqual(server.wait_for_line(r"reload: applied: (.*)")[1], "webhook")
        self.assertEqual(hook.next()["path"], "/")
        self.assertNotIn("given up", server.text())
        self.assertEqual(server.stop(), 0)


class TokenTest(Case):
    """The token of all executors is replaced while jobs run."""

    def configure(self, **tokens: str) -> str:
        return self.write("c.toml", "[security]\n" + "".join(f'{name} = "{token}"\n' for name, token in tokens.items()))

    def start_executor(self, admin: str, token: str) -> None:
        config = self.write("executor.toml", '[[command]]\nname = "h"\nprogram = "/bin/echo"\n')
        settings = (f"executor.admins={admin}", "executor.app_name=pay-worker", "executor.port=0",
                    f"security.access_token={token}")
        words = [word for each in settings for word in ("--set", each)]
        child = Server([self.binary, "executor", "--config", config, *words], self.folder / "executor.log",
                       self.environment({"RINGMASTER_DATA_DIR": str(self.folder / "executor")}))
        self.addCleanup(child.child.wait)
        self.addCleanup(child.child.kill)

    def runs(self, where: str) -> list[tuple]:
        return self.rows(f"SELECT id FROM xxl_job_log WHERE {where} ORDER BY id DESC LIMIT 1")

    def test_the_common_token_is_replaced_without_a_restart(self):
        jobs = self.write("jobs.toml", '[[group]]\napp_name = "pay-worker"\n'
                          + job("greet", 'schedule = { rate = "1s" }'))
        config = self.configure(access_token="the-first-token-of-all")
        server = self.start("--config", config, "--set", f"deploy.files={jobs}")
        server.wait_until_ready()
        self.start_executor(server.address(), "the-first-token-of-all")
        server.wait_for(lambda: self.runs("handle_code = 200"), "a run succeeds")

        self.configure(access_token="the-second-token-of-all", former_access_token="the-first-token-of-all")
        server.signal(signal.SIGHUP)
        taken = server.wait_for_line(r"reload: applied: (.*)")[1]
        self.assertEqual(taken, "security.access_token, security.former_access_token")
        entries = server.wait_for(lambda: self.rows("SELECT action, object_id, object_name, changes FROM rm_audit"
                                                    " WHERE object = 'setting' ORDER BY id"), "the audit log has entries")
        self.assertEqual(entries, [("update", 0, name, "changed by a reload of the configuration")
                                   for name in ("security.access_token", "security.former_access_token")])
        last = self.runs("1")[0][0]
        server.wait_for(lambda: self.runs(f"id > {last + 2} AND handle_code = 200"), "runs succeed with the former token")
        self.assertEqual(self.runs(f"id > {last} AND trigger_code NOT IN (0, 200)"), [])

        self.configure(access_token="the-second-token-of-all")
        server.signal(signal.SIGHUP)
        server.wait_for(lambda: self.runs("trigger_code = 500 AND trigger_msg LIKE '%token%'"), "the former token is refused")
        self.assertNotIn("-token-of-all", server.text())
        self.assertEqual(server.stop(), 0)


class DoubtTest(MariadbCase):
    """A node that has never trusted its wall clock, because the database's differs by an hour."""

    def names(self) -> list[str]:
        return [row[0] for row in self.sql("SELECT job_desc FROM xxl_job_info ORDER BY job_desc")]

    def set_clock_right(self) -> None:
        self.sql("SET GLOBAL init_connect = ''")
        for (process,) in self.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = %s AND USER = 'ringmaster'",
                                   self.database):
            self.sql(f"KILL {process}")

    def test_declared_files_are_applied_when_the_clock_is_trusted(self):
        self.succeed("migrate")
        self.addCleanup(self.sql, "SET GLOBAL init_connect = ''")
        self.sql("SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP(SYSDATE(3)) - 3600'")
        self.write("jobs.toml", JOBS)
        server = self.start("--config", self.write("c.toml", '[deploy]\nfiles = ["jobs.toml"]\n'))
        server.wait_for_line("the wall clock is .* s ahead of the database's clock")
        self.assertEqual(self.names(), ["settle"])  # the apply of the start is not judged
        for name in ("first", "second"):
            seen = server.text().count("reload: the declared files are applied as soon as")
            self.write("jobs.toml", JOBS + job(name))
            server.signal(signal.SIGHUP)
            server.wait_for(lambda: server.text().count("reload: the declared files are applied as soon as") > seen,
                            "the reload waits")
        self.assertEqual(self.names(), ["settle"])
        self.write("jobs.toml", JOBS + job("third"))  # without a signal
        self.set_clock_right()
        server.wait_for_line("reload: done")
        self.assertEqual(self.names(), ["second", "settle"])  # the files of the last signal, once
        self.assertEqual(server.text().count("reload: continued, because this node now trusts its wall clock"), 1)
        server.wait_until_ready()
        self.assertEqual(server.stop(), 0)
