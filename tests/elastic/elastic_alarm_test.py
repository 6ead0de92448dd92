#!/usr/bin/env python3
"""Alarms of elastic jobs with real processes: a server on SQLite, a worker, and real receivers of mail and webhooks.

    elastic_alarm_test.py RINGMASTER ELASTIC_WORKER [PART OF A TEST'S NAME…]
"""

import json
import os
import signal
import sys
import unittest

from elastic_case import GROUP, ElasticCase, elastic_job, free_address
from receivers import Receiver

# Until a worker has come, fires have no host.
FAILURES = '["ej_fail"]'


def rule(key: str, **options: str) -> str:
    lines = [f"{name} = {value}" for name, value in ({"key": f'"{key}"', "channels": '["ops"]'} | options).items()]
    return "\n".join(["", "[[alarm]]", *lines, ""])


class ElasticAlarmTest(ElasticCase):
    def hook(self, receiver: Receiver) -> str:
        return self.write("c.toml", f'[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:{receiver.port}/"\n')

    def message(self, receiver: Receiver) -> dict:
        return json.loads(receiver.next()["body"])

    def apply(self, server, jobs: str) -> None:
        self.write("jobs.toml", f'[[group]]\napp_name = "{GROUP}"\n{jobs}')
        server.signal(signal.SIGHUP)

    def test_a_failed_item_is_reported_by_mail_and_webhook(self):
        mails, hooks = Receiver(self, "smtp"), Receiver(self, "http")
        config = self.write("c.toml", f'[mail]\nhost = "127.0.0.1"\nport = {mails.port}\ntls = "none"\nfrom = "r@x.example"\n'
                                      f'[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:{hooks.port}/"\n')
        job = elastic_job("broken", 2, {0: "a"}, handler="fail", alarm_email="ann@x.example, bob@x.example")
        server = self.start_server(job + rule("broken", group=f'"{GROUP}"', job='"broken"', kinds=FAILURES), "--config", config)
        self.start_workers("a")
        told = self.message(hooks)
        self.assertEqual((told["kind"], told["job"], told["count"]), ("ej_fail", "broken", 1))
        self.assertIn(told["item"], (0, 1))
        self.assertRegex(told["title"], rf"^\[FAILED\] {GROUP}/broken, item {told['item']}, run {told['item_run']}: .*no stock")
        self.assertEqual(self.rows(f"SELECT state FROM ej_run WHERE id = {told['item_run']}"), [(3,)])
        first, second = mails.next(), mails.next()
        self.assertEqual(sorted([*first["to"], *second["to"]]), ["ann@x.example", "bob@x.example"])
        self.assertEqual(first["subject"], second["subject"])
        self.assertIn("no stock", first["text"])
        self.assertEqual(server.stop(), 0, server.text())

    def test_an_alarm_survives_the_death_of_its_node(self):
        job = elastic_job("broken", 1, {0: "a"}, handler="fail") + rule("all", kinds=FAILURES)
        # Nothing listens there.
        config = self.write("c.toml", f'[[webhook]]\nname = "ops"\nurl = "http://{free_address()}/"\n')
        server = self.start_server(job, "--config", config)
        self.start_workers("a")
        server.wait_for_line(r"not sent through ops yet, will be retried")
        self.kill_server(server)
        before = self.rows("SELECT min(id) FROM ej_alarm")[0][0]
        self.assertIsNotNone(before)
        hooks = Receiver(self, "http")
        again = self.start_server(job, "--config", self.hook(hooks))
        told = self.message(hooks)
        self.assertEqual((told["kind"], told["job"], told["item"]), ("ej_fail", "broken", 0))
        again.wait_for(lambda: self.rows("SELECT min(id) FROM ej_alarm")[0][0] != before, "the alarm is finished")
        self.assertEqual(again.stop(), 0, again.text())

    def test_a_success_after_a_time_limit_is_a_recovery(self):
        hooks = Receiver(self, "http")
        told = rule("slow", group=f'"{GROUP}"', recovered="true", kinds=FAILURES)
        server = self.start_server(elastic_job("slow", 1, {0: "ms=5000"}, timeout="1s") + told, "--config", self.hook(hooks))
        self.start_workers("a")
        failed = self.message(hooks)
        self.assertEqual((failed["kind"], failed["item"]), ("ej_fail", 0))
        self.assertIn("took longer than its time limit", failed["title"])
        self.apply(server, elastic_job("slow", 1, {0: "ms=10"}, timeout="1s") + told)
        # Equal failures until then may be one more message.
        recovered = self.message(hooks)
        while recovered["kind"] == "ej_fail":
            recovered = self.message(hooks)
        self.assertEqual((recovered["kind"], recovered["job"], recovered["item"]), ("recovery", "slow", 0))
        self.assertGreater(recovered["item_run"], failed["item_run"])
        self.assertEqual(server.stop(), 0, server.text())

    def test_items_without_a_host_are_reported(self):
        hooks = Receiver(self, "http")
        server = self.start_server(elastic_job("alone", 3, {0: "ms=10"}) + rule("alone"), "--config", self.hook(hooks))
        told = self.message(hooks)
        self.assertEqual((told["kind"], told["job"], told["item"]), ("ej_unowned", "alone", None))
        self.assertIn("items without a host when a fire was due: 3", told["title"])
        self.assertEqual(server.stop(), 0, server.text())


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ElasticCase.binary, ElasticCase.worker_binary = (os.path.abspath(path) for path in sys.argv[1:3])
    tests = unittest.TestSuite()
    for test in unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]):
        tests.addTests(each for each in test if all(word in each.id() for word in sys.argv[3:]))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
