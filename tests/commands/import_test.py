"""`ringmaster import elasticjob`: files of ElasticJob become a declared file, or nothing is written."""

import json
import stat

from command_case import Case

STORED = """cron: 0 0 1 * * ?
jobName: sums
misfire: true
shardingTotalCount: 2
"""

SETTINGS = """elasticjob.reg-center.namespace=billing
elasticjob.jobs.bills.elasticJobClass=com.example.Bills
elasticjob.jobs.bills.shardingTotalCount=3
"""

TABLE = """[[elastic_job]]
group = "pay-worker"
name = "sums"
handler = "sums"
total = 2
schedule = { cron = "0 0 1 * * ?" }
"""


class ImportTest(Case):
    def import_it(self, *arguments: str, code: int = 0):
        result = self.run_it("import", "elasticjob", *arguments)
        self.assertEqual(result.code, code, result)
        # It opens no database.
        self.assertFalse(self.data.exists())
        return result

    def test_the_file_goes_to_standard_output_and_remarks_to_standard_error(self):
        result = self.import_it(self.write("sums.yml", STORED), "--group", "pay-worker")
        self.assertTrue(result.out.startswith("# Jobs of ElasticJob, imported from "), result)
        self.assertTrue(result.out.endswith(TABLE), result)
        self.assertEqual(len(result.errors), 1, result)
        self.assertRegex(result.err, r"^ringmaster: .*sums\.yml:1: job 'sums': The stored configuration does not name the class")

    def test_several_files_and_the_group_of_the_namespace(self):
        path = self.write("application.properties", SETTINGS)
        result = self.import_it(path, path)
        self.assertEqual(result.out.count("[[elastic_job]]"), 1, result)
        self.assertIn('group = "billing"\nnamespace = "billing"\nname = "bills"\n', result.out)
        self.assertIn("misfire = false # implied\n", result.out)
        both = self.import_it(path, self.write("sums.yml", STORED), "--group", "pay-worker")
        self.assertEqual(both.out.count("[[elastic_job]]"), 2, both)

    def test_output(self):
        source, target = self.write("sums.yml", STORED), self.folder / "jobs.toml"
        arguments = (source, "--group", "pay-worker", "--output", str(target))
        self.assertEqual(self.import_it(*arguments).out, "")
        text = target.read_text(encoding="utf-8")
        self.assertTrue(text.endswith(TABLE))
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)
        self.assertIn("--force overwrites it", self.import_it(*arguments, code=1).err)
        target.write_text("other", encoding="utf-8")
        self.import_it(*arguments, "--force")
        self.assertEqual(target.read_text(encoding="utf-8"), text)

    def test_json(self):
        source = self.write("sums.yml", STORED)
        told = json.loads(self.import_it(source, "--group", "pay-worker", "--json").out)
        self.assertEqual((told["jobs"], told["left_out"], len(told["remarks"])), (1, 0, 1))
        self.assertTrue(told["text"].endswith(TABLE))
        target = self.folder / "jobs.toml"
        told = json.loads(self.import_it(source, "--group", "pay-worker", "--json", "--output", str(target)).out)
        self.assertEqual(told["file"], str(target))
        self.assertNotIn("text", told)

    def test_a_mistake_writes_nothing(self):
        target = self.folder / "jobs.toml"
        good, bad = self.write("good.yml", STORED), self.write("bad.yml", STORED + "corn: x\ntimeZone: GMT+99\n")
        result = self.import_it(good, bad, "--group", "pay-worker", "--output", str(target), code=2)
        self.assertEqual((result.out, target.exists()), ("", False))
        self.assertEqual(result.errors[0], f"ringmaster: {bad}:5: unknown key 'corn'; did you mean 'cron'?")
        self.assertRegex(result.errors[1], r"bad\.yml:6: job 'sums': timeZone: \"GMT\+99\" has no name")
        self.assertRegex(result.errors[2], r"bad\.yml:1: job 'sums' is there twice, first at .*good\.yml:1")

    def test_what_is_not_a_file_of_elasticjob(self):
        self.assertIn("No such file", self.import_it(str(self.folder / "none.yml"), code=2).err)
        self.assertIn("the file is empty", self.import_it(self.write("empty.yml", ""), code=2).err)
        self.assertIn("no file has a job of ElasticJob", self.import_it(self.write("a.properties", "a=b\n"), code=2).err)
        self.assertIn("has no namespace that names its group; give --group",
                      self.import_it(self.write("sums.yml", STORED), code=2).err)
        self.assertIn("the file is longer than 4 MiB", self.import_it("/dev/zero", code=2).err)
        self.assertEqual(self.run_it("import", "elasticjob").code, 2)
        self.assertEqual(self.run_it("import").code, 2)
