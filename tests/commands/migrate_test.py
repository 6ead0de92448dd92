"""`ringmaster migrate` on MariaDB: its changes to XXL-JOB's tables, its output, and that it makes no change without a request."""

import json

from mariadb_case import MariadbCase

# Indexes that only pages of a Java admin read.
FULL = {4: ["handle_code", "id", "trigger_time"], 8: ["handle_code", "id", "job_group", "job_id", "trigger_time"]}


class MigrateXxlTest(MariadbCase):
    def steps(self, *arguments: str) -> list[str]:
        return [step["name"] for step in json.loads(self.succeed("migrate", "--json", *arguments).out)["steps"]]

    def of_xxl(self) -> list:
        """Returns the picture without Ringmaster's tables, and without the index that shared mode uses to find due jobs."""
        return [[row for row in part if row[0].startswith("xxl_") and row[1] != "rm_due"] for part in self.picture()]

    def is_ready(self) -> None:
        found = {each["check"]: each for each in json.loads(self.run_it("doctor", "--json").out)}
        self.assertEqual((found["schema"]["status"], found["tables"]["status"]), ("ok", "ok"), found)

    def test_a_fresh_database(self):
        text = self.succeed("migrate", "--xxl", "--dry-run").out
        self.assertIn("pending: 1 xxl_tables\nCREATE TABLE IF NOT EXISTS xxl_job_info (", text)
        self.assertEqual(self.picture(), ([], []))
        self.succeed("migrate", "--xxl")
        self.is_ready()
        # No user, no sample job, no well-known token: the lock is the only row.
        for table in ("user", "group", "info", "log", "logglue", "registry", "log_report"):
            self.assertEqual(self.sql(f"SELECT COUNT(*) FROM xxl_job_{table}"), [(0,)], table)
        self.assertEqual(self.sql("SELECT lock_name FROM xxl_job_lock"), [("schedule_lock",)])
        self.assertEqual(self.log_indexes(), ["id", "job_id"])
        self.assertEqual(self.steps("--xxl", "--lean"), [])

    def test_generation_4(self):
        self.make_xxl_tables(4)
        before = self.picture()
        self.add_job(5, trigger_next_time=777)
        for hour in (10, 11):
            self.sql("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)"
                     f" VALUES ('EXECUTOR', 'pay', 'http://a/', '2024-03-01 {hour}:00:00')")
        planned = self.succeed("migrate", "--xxl", "--dry-run").out
        self.assertIn("UNIQUE", planned)
        self.assertIn("xxl_job_user", planned)
        self.assertEqual(self.picture(), before)
        # Without the option XXL-JOB's tables stay unchanged.
        plain = self.succeed("migrate").out
        self.assertIn("done: 2 ringmaster_tables\n", plain)
        self.assertNotIn("xxl_tables", plain)
        self.assertEqual(self.of_xxl(), list(before))
        # Each step is one of XXL-JOB's own releases, in order.
        names = self.steps("--xxl", "--dry-run")
        self.assertEqual(len(names), 3)
        self.assertEqual(self.steps("--xxl"), names)
        self.assertEqual(self.steps("--xxl"), [])
        self.is_ready()
        self.assertEqual(self.sql("SELECT registry_value, CAST(update_time AS CHAR) FROM xxl_job_registry"),
                         [("http://a/", "2024-03-01 11:00:00")])
        # No seed rows: the existing rows are the only ones.
        self.assertEqual(self.sql("SELECT COUNT(*) FROM xxl_job_user"), [(0,)])
        self.assertEqual(self.sql("SELECT COUNT(*) FROM xxl_job_group"), [(0,)])
        self.assertEqual(self.sql("SELECT id FROM xxl_job_info"), [(5,)])
        self.assertEqual(self.sql("SELECT next_ms FROM rm_schedule"), [(777,)])

    def test_generation_8(self):
        self.make_xxl_tables(8)
        before = self.picture()
        self.assertNotIn("pending: 1 xxl_tables", self.succeed("migrate", "--xxl", "--dry-run").out)
        self.assertEqual(self.picture(), before)
        self.succeed("migrate", "--xxl")
        self.assertEqual(self.of_xxl(), list(before))
        self.is_ready()

    def lean_and_back(self, generation: int) -> None:
        self.make_xxl_tables(generation)
        self.succeed("migrate")
        before = self.picture()
        self.assertEqual(self.log_indexes(), FULL[generation])
        text = self.succeed("migrate", "--lean", "--dry-run").out
        self.assertIn("ALTER TABLE xxl_job_log ", text)
        self.assertIn("DROP", text)
        self.assertEqual(self.picture(), before)
        self.succeed("migrate", "--lean")
        self.assertEqual(self.log_indexes(), ["id", "job_id"])
        self.assertIn("up to date", self.succeed("migrate", "--lean").out)
        # An upgrade does not restore indexes that were dropped on purpose.
        self.succeed("migrate", "--xxl")
        self.assertEqual(self.log_indexes(), ["id", "job_id"])
        text = self.succeed("migrate", "--lean=off", "--dry-run").out
        self.assertIn("ADD", text)
        self.assertEqual(self.log_indexes(), ["id", "job_id"])
        self.succeed("migrate", "--lean=off")
        self.assertLessEqual({"handle_code", "trigger_time"}, set(self.log_indexes()))
        self.assertIn("up to date", self.succeed("migrate", "--lean=off").out)
        self.is_ready()

    def test_lean_and_back_on_generation_4(self):
        self.lean_and_back(4)

    def test_lean_and_back_on_generation_8(self):
        self.lean_and_back(8)

    def test_wrong_values(self):
        self.assertEqual(self.run_it("migrate", "--lean=maybe").code, 2)
        self.assertEqual(self.picture(), ([], []))


class RefusedTest(MariadbCase):
    def refuse_all(self, part: str) -> None:
        """Expects one error line and no change from every form of the command, and from the server."""
        before = self.picture()
        for arguments in (["migrate"], ["migrate", "--dry-run"], ["migrate", "--xxl"], ["migrate", "--xxl", "--dry-run"],
                          ["migrate", "--lean"], ["serve", "--set", "server.listen=127.0.0.1:0"]):
            result = self.run_it(*arguments)
            self.assertEqual((result.code, len(result.errors)), (1, 1), (arguments, result))
            self.assertIn(part, result.err, arguments)
            self.assertNotIn(self.server.password, result.err)
        self.assertEqual(self.picture(), before)

    def test_a_database_of_something_else(self):
        self.sql("CREATE TABLE orders (id INT)")
        self.refuse_all("not XXL's: the database contains tables of another application (orders)")

    def test_a_table_that_is_missing(self):
        self.make_xxl_tables(6)
        self.sql("DROP TABLE xxl_job_logglue")
        self.refuse_all("half migrated: xxl_job_info is there, xxl_job_logglue is missing")

    def test_a_release_that_is_too_old(self):
        self.sql("CREATE TABLE xxl_job_info (id INT, job_cron VARCHAR(128))")
        self.refuse_all("upgrade XXL-JOB to 2.3.0 or later first")

    def test_an_account_that_may_only_read(self):
        self.make_xxl_tables(4)
        self.sql("CREATE TABLE rm_migration (number INT NOT NULL, name VARCHAR(64) NOT NULL, PRIMARY KEY (number))")
        url = self.account("only_reads", "SELECT")
        before = self.picture()
        for arguments in (["migrate"], ["migrate", "--xxl"], ["migrate", "--lean"]):
            result = self.run_it(*arguments, "--set", f"database.url={url}")
            self.assertEqual((result.code, len(result.errors)), (1, 1), (arguments, result))
            self.assertIn("denied", result.err)
            self.assertNotIn(self.server.password, result.err)
        self.assertEqual(self.picture(), before)
