#!/usr/bin/env python3
"""Tests that the checker of the chaos runs sees each fault in a doctored record, and that plans follow from their seed."""

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))

from chaos_checker import FAILURES, Checker, Limits, Verdict  # noqa: E402
from chaos_executor import Journal  # noqa: E402
from chaos_load import load  # noqa: E402
from chaos_plan import KINDS, SCENARIOS, plan  # noqa: E402
from chaos_record import Happened, Receipt, Record, Row, receipts_of, row_of  # noqa: E402
from chaos_self_check import blind_spots  # noqa: E402
from support.declared import Job  # noqa: E402

BEGIN, SECONDS = 1_800_000_000, 10
PLAIN, PARENT, CHILD, FAILING, SHARDS, RESEND, SLOW = range(1, 8)
JOBS = {
    PLAIN: Job("a", "plain"),
    PARENT: Job("a", "parent", children=("child",)),
    CHILD: Job("a", "child", every_s=None),
    FAILING: Job("a", "failing", "failing", retry=1),
    SHARDS: Job("a", "shards", "shard"),
    RESEND: Job("a", "resend", on_unknown="resend"),
    SLOW: Job("a", "every-5s", every_s=5),
}


class Doctored:
    """A record of ten clean seconds of all jobs, which each test changes."""

    def __init__(self):
        self.record = Record(JOBS, (BEGIN, BEGIN + SECONDS), BEGIN + SECONDS + 1.0, open_at_rest={"claims": 0})
        for second in range(BEGIN, BEGIN + SECONDS):
            for job_id in (PLAIN, RESEND):
                self.add(job_id, second)
            self.add(CHILD, second, kind="parent", origin=self.add(PARENT, second).log_id)
            self.add(FAILING, second, kind="retry", origin=self.add(FAILING, second).log_id)
            for index in range(2):
                self.add(SHARDS, second, shard=f"{index}/2")
            if second % 5 == 0:
                self.add(SLOW, second)

    def add(self, job_id: int, second: int, late_s: float = 0.004, receipt: bool = True, **changed) -> Row:
        log_id = 1 + max((row.log_id for row in self.record.rows), default=0)
        row = Row(log_id, job_id, second, 200, 500 if job_id == FAILING else 200, "", node="node-0")
        self.record.rows.append(replace(row, **changed))
        if receipt:
            self.receive(row, late_s)
        return row

    def receive(self, row: Row, late_s: float) -> None:
        self.record.receipts.append(Receipt(row.log_id, row.job_id, int((row.instant_s + late_s) * 1e9), row.instant_s * 1000))

    def row(self, job_id: int, number: int = 5) -> Row:
        return [row for row in self.record.rows if row.job_id == job_id and row.original][number]

    def change(self, row: Row, **changed) -> Row:
        changed_row = replace(row, **changed)
        self.record.rows[self.record.rows.index(row)] = changed_row
        return changed_row

    def forget(self, row: Row) -> None:
        self.record.rows.remove(row)

    def forget_receipt(self, row: Row) -> Receipt:
        receipt = next(each for each in self.record.receipts if each.log_id == row.log_id)
        self.record.receipts.remove(receipt)
        return receipt

    def fault(self, kind: str, at: float, seconds: float, jobs: frozenset[int] | None = None, targets=("0",)) -> None:
        self.record.faults.append(Happened(kind, BEGIN + at, BEGIN + at + seconds, kind, targets, jobs))

    def verdict(self, nodes: int = 3) -> Verdict:
        return Checker(self.record, nodes).run()


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.doctored = Doctored()

    def assert_only(self, nodes: int = 3, **expected: int) -> Verdict:
        verdict = self.doctored.verdict(nodes)
        found = {name: verdict.counts[name] for name in FAILURES if verdict.counts[name]}
        self.assertEqual(found, expected, dict(verdict.examples))
        return verdict

    def test_clean_record_is_clean(self):
        verdict = self.assert_only()
        self.assertTrue(verdict.clean)
        self.assertEqual(verdict.counts["due"], 5 * SECONDS + 2)
        self.assertAlmostEqual(verdict.late_at(1), 0.004, 5)

    def test_each_change_of_a_clean_record_is_seen(self):
        self.assertEqual(blind_spots(self.doctored.record, 3, Limits()), [])

    def test_blind_spot_is_found(self):
        self.assertTrue(blind_spots(self.doctored.record, 3, Limits(late_s=10**6)))

    # -- missed

    def test_instant_without_row_and_receipt_is_missed(self):
        row = self.doctored.row(PLAIN)
        self.doctored.forget_receipt(row)
        self.doctored.forget(row)
        self.assert_only(missed=1)

    def test_shard_without_row_is_missed(self):
        row = self.doctored.row(SHARDS)
        self.doctored.forget_receipt(row)
        self.doctored.forget(row)
        self.assert_only(missed=1)

    def test_failure_without_retry_is_missed(self):
        retry = next(row for row in self.doctored.record.rows if row.kind == "retry")
        self.doctored.forget_receipt(retry)
        self.doctored.forget(retry)
        self.assert_only(missed=1)

    # -- doubled

    def test_second_row_of_an_instant_is_doubled(self):
        self.doctored.add(PLAIN, BEGIN + 5)
        self.assert_only(doubled=1)

    def test_second_row_beside_the_window_is_doubled(self):
        for _ in range(2):
            self.doctored.add(PLAIN, BEGIN - 3)
        self.assert_only(doubled=1)

    def test_second_receipt_of_a_log_id_is_doubled(self):
        self.doctored.receive(self.doctored.row(PLAIN), 1.5)
        self.assert_only(doubled=1)

    def test_second_child_is_doubled(self):
        self.doctored.add(CHILD, BEGIN + 5, kind="parent", origin=self.doctored.row(PARENT).log_id)
        self.assert_only(doubled=1)

    def test_copy_after_its_node_was_stopped_is_counted_as_r1(self):
        self.doctored.fault("node-stop", 5.0, 4.0)
        self.doctored.receive(self.doctored.row(PLAIN), 4.2)
        self.assertEqual(self.assert_only().windows["R1"], 1)

    def test_copy_of_another_node_than_the_stopped_one_is_doubled(self):
        self.doctored.fault("node-stop", 5.0, 4.0, targets=("1",))
        self.doctored.receive(self.doctored.row(PLAIN), 4.2)
        self.assert_only(doubled=1)

    def test_copy_long_after_its_node_continued_is_doubled(self):
        self.doctored.fault("node-stop", 1.0, 1.0)
        self.test_second_receipt_of_a_log_id_is_doubled()

    def test_copy_around_a_kill_is_doubled(self):
        self.doctored.fault("node-kill", 5.0, 2.0)
        self.doctored.receive(self.doctored.row(PLAIN), 1.6)
        self.assert_only(doubled=1)

    def test_copy_to_an_executor_that_was_stopped_is_counted_as_r2(self):
        self.doctored.fault("executor-stop", 4.0, 3.0, frozenset({PLAIN}))
        self.doctored.receive(self.doctored.row(PLAIN), 2.5)
        self.assertEqual(self.assert_only().windows["R2"], 1)

    def test_copy_to_another_executor_than_the_stopped_one_is_doubled(self):
        self.doctored.fault("executor-stop", 4.0, 3.0, frozenset({PARENT}))
        self.doctored.receive(self.doctored.row(PLAIN), 1.9)
        self.assert_only(doubled=1)

    def test_copy_of_a_job_that_asks_for_it_is_counted(self):
        self.doctored.receive(self.doctored.row(RESEND), 1.5)
        self.assertEqual(self.assert_only().windows["resend"], 1)

    # -- early and late

    def test_receipt_before_its_instant_is_early(self):
        row = self.doctored.row(PLAIN)
        self.doctored.forget_receipt(row)
        self.doctored.receive(row, -0.0005)
        self.assert_only(early=1)

    def late(self, late_s: float, job_id: int = PLAIN) -> None:
        row = self.doctored.row(job_id)
        self.doctored.forget_receipt(row)
        self.doctored.receive(row, late_s)

    def test_late_without_a_fault_is_late(self):
        self.late(2.2)
        self.assert_only(late=1)

    def test_late_after_a_kill_is_late_beyond_the_takeover(self):
        self.doctored.fault("node-kill", 5.1, 4.0)
        self.late(2.9)
        self.assertAlmostEqual(self.assert_only().longest_takeover(), 2.9, 3)
        self.late(3.3)
        self.assert_only(late=1)

    def test_late_until_a_database_is_back_is_excused(self):
        self.doctored.fault("database-kill", 4.9, 30.0)
        self.late(33.0)
        self.assertAlmostEqual(self.assert_only().gaps[0].late_s, 33.0, 3)
        self.late(36.0)
        self.assert_only(late=1)

    def test_recovery_counts_from_the_end_of_a_fault(self):
        self.doctored.fault("database-stop", 4.9, 1.0)
        self.late(1.4)
        self.assertAlmostEqual(self.assert_only().gaps[0].recovery_s, 0.5, 3)

    def test_recovery_that_another_fault_interrupts_is_not_measured(self):
        self.doctored.fault("database-stop", 4.9, 1.0)
        self.doctored.fault("database-stop", 6.2, 1.0)
        self.late(2.5)
        self.assertEqual([gap.recovery_s for gap in self.assert_only().gaps], [None, 0.0])

    def test_fault_of_other_jobs_excuses_nothing(self):
        self.doctored.fault("lock-schedule", 4.9, 3.0, frozenset({PARENT}))
        self.late(2.9)
        self.assert_only(late=1)

    def test_kill_of_the_only_node_lasts_until_it_is_back(self):
        self.doctored.fault("node-kill", 4.9, 5.0)
        self.late(6.0)
        self.assert_only(late=1)
        self.assert_only(nodes=1)

    def test_faults_that_take_all_nodes_at_once_last_until_their_end(self):
        self.doctored.fault("node-kill", 4.9, 5.0, targets=("0", "1"))
        self.late(6.0)
        self.assert_only(late=1)
        self.doctored.fault("link-cut", 5.5, 1.0, targets=("2",))
        self.assert_only()

    def test_run_after_its_job_was_stopped_is_a_failure(self):
        self.doctored.add(PLAIN, BEGIN + SECONDS + 4)
        self.assert_only(other=1)

    # -- stuck

    def test_rows_without_an_end_are_stuck(self):
        self.doctored.change(self.doctored.row(PLAIN), trigger=0, handle=0)
        self.doctored.change(self.doctored.row(RESEND), handle=0)
        self.assert_only(stuck=2)

    def test_open_claims_and_untold_results_are_stuck(self):
        self.doctored.record.open_at_rest["claims"] = 3
        self.doctored.record.untold = 2
        self.assert_only(stuck=5)

    # -- untrue

    def test_success_without_receipt_is_untrue(self):
        self.doctored.forget_receipt(self.doctored.row(PLAIN))
        self.assert_only(untrue=1)

    def test_not_sent_with_receipt_is_untrue(self):
        self.doctored.fault("executor-kill", 5.0, 1.0)
        self.doctored.change(self.doctored.row(PLAIN), trigger=500, handle=0, text="connection refused")
        self.assert_only(untrue=1)

    def test_unknown_with_receipt_is_true(self):
        self.doctored.change(self.doctored.row(PLAIN), trigger=500, handle=0, text="delivery unknown: the limit has passed")
        self.assert_only()

    def test_receipt_without_row_is_untrue(self):
        self.doctored.record.receipts.append(Receipt(99_999, PLAIN, (BEGIN + 20) * 10**9, BEGIN * 1000))
        self.assert_only(untrue=1)

    def test_receipt_for_another_instant_than_the_row_is_untrue(self):
        receipt = self.doctored.forget_receipt(self.doctored.row(PLAIN))
        self.doctored.record.receipts.append(replace(receipt, instant_ms=receipt.instant_ms + 1000))
        self.assert_only(untrue=1)

    def test_result_that_the_executor_did_not_report_is_untrue(self):
        self.doctored.change(self.doctored.row(PLAIN), handle=500)
        self.assert_only(untrue=1)

    def test_retry_of_a_success_is_untrue(self):
        self.doctored.add(PLAIN, BEGIN + 5, kind="retry", origin=self.doctored.row(PLAIN).log_id)
        self.assert_only(untrue=1)

    # -- dropped and not sent

    def test_dropped_instants_need_a_fault(self):
        for second in (5, 6):
            row = self.doctored.row(PLAIN)
            self.doctored.forget_receipt(row)
            self.doctored.forget(row)
        first_ms = (BEGIN + 5) * 1000
        self.doctored.add(PLAIN, BEGIN + 12, receipt=False, kind="missed", trigger=500, handle=0, first_ms=first_ms, count=2)
        self.assertEqual(self.assert_only(unexplained=2).counts["dropped"], 2)
        self.doctored.fault("database-kill", 4.5, 7.0)
        self.assert_only()

    def test_run_that_the_misfire_policy_ended_has_no_retry(self):
        row = self.doctored.row(FAILING)
        self.doctored.forget_receipt(row)
        retry = next(each for each in self.doctored.record.rows if each.origin == row.log_id and each.kind == "retry")
        self.doctored.forget_receipt(retry)
        self.doctored.forget(retry)
        self.doctored.change(row, trigger=500, handle=0, text="missed: not delivered at its time")
        self.doctored.fault("executor-bad", 4.9, 6.0)
        self.assertEqual(self.assert_only().counts["dropped"], 1)

    def test_one_late_run_stands_for_merged_instants(self):
        for second in (5, 6, 7):
            row = self.doctored.row(PLAIN)
            self.doctored.forget_receipt(row)
            self.doctored.forget(row)
        self.doctored.fault("database-kill", 4.5, 7.0)
        self.doctored.add(PLAIN, BEGIN + 12, kind="misfire", first_ms=(BEGIN + 5) * 1000, count=3)
        self.assertEqual(self.assert_only().counts["merged"], 2)

    def test_not_sent_is_explained_by_a_fault_until_its_deadline(self):
        row = self.doctored.row(PLAIN)
        self.doctored.forget_receipt(row)
        self.doctored.change(row, trigger=500, handle=0, text="connection refused")
        self.doctored.fault("executor-kill", 8.5, 1.0, frozenset({PLAIN}))
        self.assert_only(unexplained=1)
        self.doctored.fault("database-stop", 4.9, 3.0)
        self.assert_only()

    def test_not_sent_needs_a_fault_of_its_executors(self):
        row = self.doctored.row(PLAIN)
        self.doctored.forget_receipt(row)
        self.doctored.change(row, trigger=500, handle=0, text="connection refused")
        self.doctored.fault("node-kill", 5.0, 1.0)
        self.assert_only(unexplained=1)
        self.doctored.fault("executor-kill", 4.9, 1.0, frozenset({PLAIN}))
        self.assert_only()


class RowTest(unittest.TestCase):
    def row(self, message: str) -> Row:
        return row_of({"id": 7, "job_id": 1, "trigger_time": "2027-01-15 08:00:00", "trigger_code": 500, "handle_code": 0,
                       "executor_sharding_param": None, "trigger_msg": message})

    def test_messages_are_read(self):
        self.assertEqual(self.row("rm1;cron;node-1;FIRST;0/1;SERIAL_EXECUTION;0;0;").node, "node-1")
        retry = self.row("rm1;retry@23;node-1;FIRST;0/1;SERIAL_EXECUTION;0;0;a; b")
        self.assertEqual((retry.text, retry.origin), ("a; b", 23))
        missed = self.row("rm3;missed;node-1;FIRST;0/1;SERIAL_EXECUTION;0;0;3;1700000000000;1700000002000;late; by 42 s")
        self.assertEqual((missed.kind, missed.count, missed.first_ms, missed.text), ("missed", 3, 1700000000000, "late; by 42 s"))
        merged = self.row("rm1;misfire@1700000000000+4;node-1;FIRST;0/1;SERIAL_EXECUTION;0;0;")
        self.assertEqual((merged.kind, merged.count, merged.first_ms), ("misfire", 5, 1700000000000))
        self.assertEqual(self.row("").kind, "unreadable")


class JournalTest(unittest.TestCase):
    def test_restarted_executor_knows_its_runs_and_reports_what_was_not_accepted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "journal"
            journal = Journal(file)
            for log_id, handler in ((1, "echo"), (2, "failing"), (3, "echo")):
                journal.take({"logId": log_id, "jobId": 9, "logDateTime": 5000, "executorHandler": handler})
            journal.write({"accepted": [1]})
            again = Journal(file)
            self.assertEqual(again.received, {1, 2, 3})
            self.assertEqual({run: each.code for run, each in again.untold.items()}, {2: 500, 3: 200})
            receipts, untold = receipts_of([file])
            self.assertEqual(([each.log_id for each in receipts], untold), ([1, 2, 3], 2))


class PlanTest(unittest.TestCase):
    def test_plan_follows_from_the_seed(self):
        names = [name for name, scenario in SCENARIOS.items() if "mariadb" in scenario.stores]
        self.assertEqual(plan(7, names, 1800, "mariadb", 3), plan(7, names, 1800, "mariadb", 3))
        self.assertNotEqual(plan(7, names, 1800, "mariadb", 3), plan(8, names, 1800, "mariadb", 3))

    def test_load_has_its_rate(self):
        for rate in (30, 120, 300):
            self.assertAlmostEqual(sum(1 / job.every_s for job in load(rate) if job.every_s), rate, delta=1)

    def test_scenario_is_the_same_alone_and_among_others(self):
        alone = plan(7, ["node-kill"], 60, "mariadb", 3)[0]
        self.assertIn(alone, plan(7, ["node-stop", "node-kill"], 120, "mariadb", 3))

    def test_faults_fit_the_store_and_the_time(self):
        for store in ("mariadb", "sqlite"):
            names = [name for name, scenario in SCENARIOS.items() if store in scenario.stores]
            for part in plan(3, names, 60 * len(names), store, 3 if store == "mariadb" else 1):
                self.assertTrue(part.faults, part.name)
                for fault in part.faults:
                    self.assertIn(store, KINDS[fault.kind].stores)
                    self.assertLess(fault.at_s + fault.seconds, part.seconds)


def main() -> int:
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed} failed={failed} skipped=0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
