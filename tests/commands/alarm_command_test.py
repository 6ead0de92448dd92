"""`ringmaster alarm test`: one message through a real mail server or webhook, and the errors when sending fails."""

import json
import os
import subprocess
import time
import unittest

from command_case import Case
from receivers import Receiver

SECRET = "hush-hush"


class AlarmCase(Case):
    def mail(self, port: int, more: str = 'tls = "none"\n') -> str:
        return self.write("c.toml", f'[mail]\nhost = "127.0.0.1"\nport = {port}\nfrom = "ringmaster@example.org"\n'
                                    f'timeout = "1s"\n{more}')

    def webhook(self, url: str, more: str = "") -> str:
        return self.write("c.toml", f'[alarm]\nwebhook_timeout = "1s"\n[[webhook]]\nname = "ops"\nurl = "{url}"\n{more}')

    def fails(self, pattern: str, code: int, *arguments: str) -> None:
        result = self.run_it("alarm", "test", *arguments)
        self.assertEqual((result.code, result.out, len(result.errors)), (code, "", 1), result)
        self.assertRegex(result.err, "^ringmaster: .*" + pattern)
        self.assertNotIn(SECRET, result.err)


class MailTest(AlarmCase):
    def test_a_message(self):
        receiver = Receiver(self, "smtp")
        config = self.mail(receiver.port)
        self.assertEqual(self.succeed("alarm", "test", "mail", "--config", config, "--to", "ann@example.org").out,
                         "sent through mail to ann@example.org\n")
        seen = receiver.next()
        self.assertEqual((seen["from"], seen["to"]), ("ringmaster@example.org", ["ann@example.org"]))
        self.assertTrue(seen["subject"] and seen["text"] and seen["html"], seen)
        self.assertIn(os.uname().nodename, seen["text"])
        # Without an address: to the sender's own.
        self.succeed("alarm", "test", "mail", "--config", config)
        again = receiver.next()
        self.assertEqual(again["to"], ["ringmaster@example.org"])
        self.assertNotEqual(again["id"], seen["id"])

    def test_the_reader_s_language(self):
        receiver = Receiver(self, "smtp")
        subjects = set()
        for language in ("en", "zh_CN", "zh_TC"):
            self.succeed("alarm", "test", "mail", "--config", self.mail(receiver.port), "--set", f"server.language={language}")
            subjects.add(receiver.next()["text"])
        self.assertEqual(len(subjects), 3)

    def test_tls_and_login(self):
        key, certificate = str(self.folder / "key.pem"), str(self.folder / "cert.pem")
        try:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                            "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                            certificate], check=True, capture_output=True)
        except FileNotFoundError:
            raise unittest.SkipTest("openssl is not installed") from None
        receiver = Receiver(self, "smtp", "--tls", "starttls", "--cert", certificate, "--key", key, "--login", f"ann:{SECRET}")
        login = f'tls = "starttls"\nuser = "ann"\npassword = "{SECRET}"\n'
        self.succeed("alarm", "test", "mail", "--config", self.mail(receiver.port, login + f'ca_file = "{certificate}"\n'))
        seen = receiver.next()
        self.assertTrue(seen["tls"])
        self.assertIn("ann", seen["login"])
        self.fails("certificate", 1, "mail", "--config", self.mail(receiver.port, login))
        wrong = login.replace(SECRET, SECRET + "!") + f'ca_file = "{certificate}"\n'
        self.fails("", 1, "mail", "--config", self.mail(receiver.port, wrong))

    def test_what_goes_wrong(self):
        hanging = Receiver(self, "smtp", "--mode", "hang")
        began = time.monotonic()
        self.fails("", 1, "mail", "--config", self.mail(hanging.port))
        self.assertLess(time.monotonic() - began, 20)
        self.fails("550 no such user here", 1, "mail", "--config", self.mail(Receiver(self, "smtp", "--mode", "refuse").port))
        self.fails("450 try again later", 1, "mail", "--config", self.mail(Receiver(self, "smtp", "--mode", "grey").port))
        self.fails("127.0.0.1", 1, "mail", "--config", self.mail(1))
        self.fails("mail.host", 2, "mail")
        self.fails('--to: "no address" is not a valid e-mail address', 2, "mail", "--to", "no address", "--config", self.mail(1))


class WebhookTest(AlarmCase):
    def test_a_message(self):
        receiver = Receiver(self, "http")
        config = self.webhook(f"http://127.0.0.1:{receiver.port}/{SECRET}")
        self.assertEqual(self.succeed("alarm", "test", "ops", "--config", config).out, "sent through ops\n")
        seen = receiver.next()
        self.assertEqual((seen["path"], seen["type"]), (f"/{SECRET}", "application/json"))
        body = json.loads(seen["body"])
        self.assertEqual(body["kind"], "test")
        self.assertIn(os.uname().nodename, body["text"])
        self.assertEqual(body["title"], f"[TEST] alarm from {os.uname().nodename}")

    def test_the_form_is_that_of_alarms(self):
        receiver = Receiver(self, "smtp")
        self.succeed("alarm", "test", "mail", "--config", self.mail(receiver.port))
        plain = receiver.next()
        self.assertEqual(plain["subject"], f"[TEST] alarm from {os.uname().nodename}")
        self.assertNotIn("Executor", plain["text"])
        self.succeed("alarm", "test", "mail", "--config", self.mail(receiver.port), "--set", "alarm.form=xxl")
        self.assertEqual(receiver.next()["subject"], "Task Scheduling Center monitor alarm")

    def test_each_preset(self):
        receiver = Receiver(self, "http", "--body", '{"errcode":0,"code":0}')
        bodies = {}
        for preset in ("generic", "dingtalk", "wecom", "feishu"):
            config = self.webhook(f"http://127.0.0.1:{receiver.port}/x", f'preset = "{preset}"\n')
            self.succeed("alarm", "test", "ops", "--config", config)
            bodies[preset] = json.loads(receiver.next()["body"])
        self.assertEqual(bodies["dingtalk"]["msgtype"], "text")
        self.assertEqual(bodies["feishu"]["msg_type"], "text")
        slack = Receiver(self, "http", "--body", "ok")
        self.succeed("alarm", "test", "ops", "--config", self.webhook(f"http://127.0.0.1:{slack.port}/x", 'preset = "slack"\n'))
        self.assertIn("text", json.loads(slack.next()["body"]))

    def test_what_goes_wrong(self):
        hanging = Receiver(self, "http", "--mode", "hang")
        self.fails("", 1, "ops", "--config", self.webhook(f"http://127.0.0.1:{hanging.port}/{SECRET}"))
        broken = Receiver(self, "http", "--status", "500")
        self.fails("500", 1, "ops", "--config", self.webhook(f"http://127.0.0.1:{broken.port}/{SECRET}"))
        moved = Receiver(self, "http", "--mode", "redirect")
        self.fails("302", 1, "ops", "--config", self.webhook(f"http://127.0.0.1:{moved.port}/{SECRET}"))
        self.assertEqual(moved.next()["path"], f"/{SECRET}")
        self.assertTrue(moved.lines.empty())
        refused = Receiver(self, "http", "--body", '{"errcode":310000,"errmsg":"sign not match"}')
        self.fails("sign not match", 1, "ops", "--config",
                   self.webhook(f"http://127.0.0.1:{refused.port}/{SECRET}", 'preset = "dingtalk"\n'))
        self.fails("is not allowed for messages", 1, "ops", "--config", self.webhook(f"http://169.254.169.254/{SECRET}"))
        self.fails('"none"|none', 2, "none", "--config", self.webhook("http://127.0.0.1:1/"))
        self.fails("--to: applies only to the channel mail", 2, "ops", "--to", "ann@example.org", "--config",
                   self.webhook("http://127.0.0.1:1/"))
        self.assertEqual(self.run_it("alarm", "test").code, 2)
        self.assertEqual(self.run_it("alarm").code, 2)
