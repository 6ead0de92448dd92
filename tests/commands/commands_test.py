#!/usr/bin/env python3
"""Runs the real binary like users, with --hostile like attackers.

    commands_test.py [--hostile | --part N/COUNT] RINGMASTER XXL_TABLES [PART OF A TEST'S NAME…]

Every server listens on loopback on a port chosen by the system, has its own folder, and is ended by its process id.
"""

import os
import sys
import unittest

import alarm_command_test
import answers_test
import apply_test
import audit_test
import both_ways_test
import clients_test
import cluster_command_test
import command_case
import completion_test
import doctor_test
import elastic_command_test
import executor_command_test
import export_test
import first_evening_test
import group_token_test
import history_test
import import_test
import job_test
import key_test
import leave_test
import locked_rows_test
import log_test
import mariadb_case
import metrics_test
import migrate_test
import missed_test
import native_link_test
import now_test
import operations_test
import operator_test
import refused_test
import reload_test
import restore_test
import schemathesis_test
import serve_test
import service_test
import table_test
import tls_test
import usage_test
import web_corpus_test
import web_heads_test
import xss_test
import xxl_script_test

USUAL = (usage_test, operator_test, first_evening_test, apply_test, export_test, job_test, key_test, clients_test,
         both_ways_test, completion_test, table_test, log_test, serve_test, service_test, operations_test, restore_test, tls_test,
         metrics_test, migrate_test, doctor_test, executor_command_test, native_link_test, missed_test, reload_test,
         elastic_command_test, cluster_command_test, refused_test, alarm_command_test, locked_rows_test, answers_test,
         xxl_script_test, now_test, import_test, leave_test)
HOSTILE = (web_corpus_test, web_heads_test, xss_test, audit_test, history_test, group_token_test, schemathesis_test)


def main() -> int:
    is_hostile = "--hostile" in sys.argv[1:2]
    part, parts = 1, 1
    if is_hostile:
        del sys.argv[1]
    elif "--part" in sys.argv[1:2]:
        part, parts = (int(number) for number in sys.argv[2].split("/"))
        del sys.argv[1:3]
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    command_case.Case.binary, mariadb_case.MariadbCase.tables = (os.path.abspath(path) for path in sys.argv[1:3])
    tests = unittest.TestSuite()
    for module in HOSTILE if is_hostile else USUAL[part - 1::parts]:
        for test in unittest.defaultTestLoader.loadTestsFromModule(module):
            tests.addTests(each for each in test if all(word in each.id() for word in sys.argv[3:]))
    try:
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    finally:
        mariadb_case.MariadbCase.shared.close()
    failed = len(result.failures) + len(result.errors)
    print(f"cases: passed={result.testsRun - failed - len(result.skipped)} failed={failed} skipped={len(result.skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
