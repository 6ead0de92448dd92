"""`ringmaster apply`: the diff, the exit codes, and that every apply is atomic."""

import json
import os

from command_case import JOBS, Case, job


class ApplyTest(Case):
    def test_the_diff_and_the_second_time(self):
        path = self.write("jobs.toml", JOBS)
        database = f"database: sqlite {self.data}/ringmaster.db\n"
        self.assertEqual(self.succeed("apply", path).out, "+ group pay-worker\n+ job pay-worker/settle\n"
                         "2 created, 0 updated, 0 removed, 0 unchanged\n" + database)
        self.assertEqual(self.succeed("apply", path).out, "0 created, 0 updated, 0 removed, 2 unchanged\n" + database)
        identity = self.rows("SELECT id FROM xxl_job_info")
        self.write("jobs.toml", JOBS.replace("0 0 1 ", "0 0 2 "))
        changed = self.succeed("apply", path).out
        self.assertIn("~ job pay-worker/settle\n", changed)
        self.assertIn("0 0 1 * * ?", changed)
        self.assertIn("0 0 2 * * ?", changed)
        self.assertEqual(self.rows("SELECT id FROM xxl_job_info"), identity)

    def test_a_dry_run_of_the_first_time_makes_nothing(self):
        path = self.write("jobs.toml", JOBS)
        self.assertEqual(self.succeed("apply", path, "--dry-run").out,
                         "+ group pay-worker\n+ job pay-worker/settle\nwould be: 2 created, 0 updated, 0 removed, 0 unchanged\n")
        self.assertFalse(self.data.exists())

    def test_a_first_apply_makes_no_database(self):
        self.apply_finds_database = False
        path = self.write("jobs.toml", JOBS)
        self.refuse(1, f"no database at {self.data}/ringmaster.db, named by RINGMASTER_DATA_DIR: data_dir; "
                    "`ringmaster serve` and `ringmaster migrate` create one, --config FILE selects another configuration",
                    "apply", path)
        self.assertFalse(self.data.exists())

    def test_warnings_are_beside_what_was_done(self):
        path = self.write("jobs.toml", JOBS.replace('misfire = "do_nothing"\n', ""))
        self.make_database()
        done = self.run_it("apply", path)
        self.assertEqual((done.code, len(done.errors)), (0, 1), done)
        self.assertTrue(done.err.startswith(f"ringmaster: warning: {path}:4: job pay-worker/settle: fires less than once an hour "
                                            "and does not set misfire"), done)
        self.assertNotIn("warning", done.out)
        self.assertEqual(done.out.splitlines()[-1], f"database: sqlite {self.data}/ringmaster.db")
        self.assertEqual(json.loads(self.succeed("apply", path, "--json").out)["warnings"], [])
        self.write("jobs.toml", JOBS.replace('misfire = "do_nothing"\n', "retry = 1\n"))
        self.assertEqual(len(json.loads(self.succeed("apply", path, "--json").out)["warnings"]), 1)
        # An exported file has the same meaning.
        exported = self.write("again.toml", self.succeed("export").out)
        self.assertEqual(self.succeed("apply", exported, "--dry-run").out,
                         "would be: 0 created, 0 updated, 0 removed, 2 unchanged\n")

    def test_a_dry_run_changes_nothing(self):
        path = self.write("jobs.toml", JOBS)
        self.succeed("apply", path)
        self.write("jobs.toml", JOBS + job("more"))
        report = json.loads(self.succeed("apply", path, "--dry-run", "--json").out)
        self.assertEqual([each["object"] for each in report["changes"] if each["kind"] == "create"], ["job pay-worker/more"])
        self.assertEqual(self.jobs(), ["settle"])

    def test_several_files_and_prune(self):
        self.write("jobs.d/a.toml", JOBS)
        self.write("jobs.d/b.toml", job("report", 'children = ["settle"]'))
        self.succeed("apply", f"{self.folder}/jobs.d/*.toml")
        self.assertEqual(self.jobs(), ["report", "settle"])
        self.succeed("apply", f"{self.folder}/jobs.d/a.toml")
        self.assertEqual(self.jobs(), ["report", "settle"])
        pruned = self.succeed("apply", f"{self.folder}/jobs.d/a.toml", "--prune", "--prune-all", "--yes")
        self.assertIn("- job pay-worker/report\n", pruned.out)
        self.assertEqual(self.jobs(), ["settle"])

    def test_another_source_is_left_alone(self):
        path = self.write("jobs.toml", JOBS)
        self.succeed("apply", path)
        self.refuse(1, "{}/jobs.toml:1: group pay-worker belongs to the source apply and stays unchanged; to change it, apply "
                       "with --source apply (of files in the configuration: deploy.source)",
                    "apply", path, "--source", "ops")

    def test_a_file_that_is_none(self):
        os.mkfifo(self.folder / "pipe.toml")
        self.refuse(2, "PATH: cannot read {}/pipe.toml: it is not a regular file", "apply", str(self.folder / "pipe.toml"))
        self.refuse(2, "cannot read /dev/zero: it is not a regular file", "apply", "--config", "/dev/zero",
                    self.write("jobs.toml", JOBS))

    def test_a_revision_that_is_none(self):
        path = self.write("jobs.toml", JOBS)
        for text in ("-1", "1e3", "99999999999999999999", ""):
            result = self.run_it("apply", path, f"--revision={text}")
            self.assertEqual(result.code, 2, text)
            self.assertIn("--revision", result.err)
        self.assert_nothing_applied()

    def test_a_revision_does_not_go_backwards(self):
        path = self.write("jobs.toml", JOBS)
        self.succeed("apply", path, "--revision", "7")
        self.write("jobs.toml", JOBS + job("late"))
        self.refuse(1, "revision 6 of the source apply is older than revision 7, which was applied before", "apply", path,
                    "--revision", "6")
        self.assertEqual(self.jobs(), ["settle"])


class RefusedTest(Case):
    """A valid file next to an invalid one: neither is applied."""

    def refuse_beside_good(self, text: str, line: str, code: int = 2) -> None:
        good = self.write("jobs.d/a.toml", JOBS)
        self.write("jobs.d/b.toml", text)
        self.refuse(code, "{}/jobs.d/b.toml:" + line, "apply", good, f"{self.folder}/jobs.d/b.toml")
        if self.data.exists():
            self.assertEqual(self.jobs(), [])
            self.assertEqual(self.rows("SELECT COUNT(*) FROM xxl_job_group WHERE app_name = 'pay-worker'"), [(0,)])

    def test_half_written(self):
        good = self.write("jobs.d/a.toml", JOBS)
        half = self.write("jobs.d/b.toml", job("report")[:-6])
        result = self.run_it("apply", good, half)
        self.assertEqual((result.code, len(result.errors)), (2, 1), result)
        self.assertRegex(result.err, rf"^ringmaster: {half}:\d: ")
        self.assert_nothing_applied()

    def test_a_cron_that_can_never_fire(self):
        self.refuse_beside_good(job("never", 'schedule = { cron = "0 0 0 1 1 ? 2020" }'),
                                "2: job pay-worker/never: the schedule 0 0 0 1 1 ? 2020 never fires (again); "
                                "set enabled = false to keep it")

    def test_an_unknown_group(self):
        self.refuse_beside_good(job("lost", group="none"),
                                "2: job none/lost: the group none is neither declared nor in the database")

    def test_an_unknown_child(self):
        self.refuse_beside_good(job("parent", 'children = ["none"]'),
                                "2: job pay-worker/parent: the child pay-worker/none is neither declared nor in the database")

    def test_an_unknown_choice(self):
        self.refuse_beside_good(job("odd", 'block = "discard"'),
                                '6: block: "discard" is unknown; expected one of SERIAL_EXECUTION, DISCARD_LATER, COVER_EARLY')

    def test_resend_of_a_job_that_covers_earlier_runs(self):
        self.refuse_beside_good(job("twice", 'block = "cover_early"\non_unknown = "resend"'),
                                '7: on_unknown: resend cannot be used with block = "cover_early", where the second copy would '
                                'kill the first; write on_unknown = "ask" or "skip", or another block')

    def test_an_unknown_key(self):
        self.refuse_beside_good(job("odd", "retrys = 1"), "6: unknown key 'retrys'; did you mean 'retry'?")

    def test_an_address_that_cannot_be_called(self):
        self.refuse_beside_good('[[group]]\napp_name = "mail-worker"\naddresses = ["ftp://h:1/"]\n',
                                '3: addresses: invalid address "ftp://h:1/"; expected http://host:port/ or https://host:port/, '
                                "at most 255 characters, without a comma")

    def test_files_that_are_not_there(self):
        good = self.write("jobs.toml", JOBS)
        self.refuse(2, "PATH: cannot read {}/none.toml: No such file or directory", "apply", good, f"{self.folder}/none.toml")
        self.refuse(2, "PATH: no file matches {}/none.d/*.toml", "apply", good, f"{self.folder}/none.d/*.toml")
        self.assert_nothing_applied()

    def test_a_server_that_is_not_there(self):
        result = self.run_it("apply", self.write("jobs.toml", JOBS), "--set", "database.url=mysql://u:hush@127.0.0.1:1/x")
        self.assertEqual((result.code, len(result.errors)), (1, 1), result)
        self.assertNotIn("hush", result.err)
