"""SIGHUP: what is taken over, what is named because it needs a restart, and alarms whose channel comes later."""

import signal

from command_case import Case, job
from receivers import Receiver

NOBODY = '[[group]]\napp_name = "nobody"\naddresses = ["http://127.0.0.1:9"]\n'


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
        line = server.wait_for_line(r"reload: changed, and in force only after a restart: (.*)")[1]
        self.assertEqual(line, "schedule.misfire_after, trigger.connect_timeout")
        self.assertEqual(server.wait_for_line(r"reload: taken over: (.*)")[1], "log.level")
        self.assertEqual(server.stop(), 0)

    def test_secrets_are_not_shown(self):
        config = self.write("c.toml", '[mail]\nhost = "127.0.0.1"\nfrom = "a@x.example"\npassword = "first-secret"\n')
        server = self.start("--config", config)
        server.wait_until_ready()
        self.write("c.toml", '[mail]\nhost = "127.0.0.1"\nfrom = "a@x.example"\npassword = "other-secret"\n')
        server.signal(signal.SIGHUP)
        self.assertEqual(server.wait_for_line(r"reload: taken over: (.*)")[1], "mail.password")
        self.assertNotIn("-secret", server.text())
        self.assertEqual(server.stop(), 0)

    def test_an_alarm_waits_for_its_channel(self):
        hook = Receiver(self, "http")
        jobs = self.write("jobs.toml", NOBODY + job("tick", 'schedule = { cron = "* * * * * ?" }', group="nobody")
                          + '\n[[alarm]]\nkey = "calls"\nchannels = ["ops"]\n')
        config = self.write("c.toml", self.hook(hook))
        self.succeed("migrate", "--config", config)
        self.succeed("apply", "--config", config, jobs)
        self.write("c.toml", "")  # the channel is gone, and the job's alarms name it
        server = self.start("--config", config)
        server.wait_for_line(r'not told through ops yet, it is tried again: there is no \[\[webhook\]\] named "ops"')
        self.write("c.toml", self.hook(hook))
        server.signal(signal.SIGHUP)
        self.assertEqual(server.wait_for_line(r"reload: taken over: (.*)")[1], "webhook")
        self.assertEqual(hook.next()["path"], "/")
        self.assertNotIn("given up", server.text())
        self.assertEqual(server.stop(), 0)
