// Declared objects and their owners: prune, conflicts, refused sets, several sources.

#include "tests/storage/deploy_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

TEST_CASE("prune removes only what the source declared before", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.groups.push_back({"mail", "Mail", std::nullopt});
  set.jobs.push_back(declared_job_of("mail", "send"));
  f.apply(set);
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {declared_job_of("mine", "x"), declared_job_of("pay", "guest")};
  f.apply(other);
  f.add_job(900, noon, {{"job_group", f.db->value("SELECT id FROM xxl_job_group WHERE app_name = 'pay'")}});
  auto gone = f.id_of("report");
  f.db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, " + gone + ", 200, 200)");

  set.groups.pop_back();
  set.jobs = {set.jobs[0]};
  CHECK(f.apply(set) == "==");
  auto report = require(f.try_apply(set, true));
  CHECK(kinds(report) == "==---");
  CHECK(report.changes[2].object == "job pay/report");
  CHECK(report.changes[3].object == "job mail/send");
  CHECK(report.changes[4].object == "group mail");
  CHECK(f.db->query("SELECT job_key FROM rm_job_ext WHERE job_key IS NOT NULL ORDER BY job_key") ==
        table{{"guest"}, {"settle"}, {"x"}});
  for (const char* where : {"xxl_job_info WHERE id = ", "rm_schedule WHERE job = ", "rm_job_ext WHERE job = "})
    CHECK(f.db->value(std::string{"SELECT count(*) FROM "} + where + gone) == "0");
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.rows("xxl_job_info", "id = 900") == "1");
  CHECK(f.apply(set, true) == "==");

  // The rest of the group belongs to other sources.
  set.groups.clear();
  set.jobs.clear();
  CHECK(f.apply(set, true) == "-");
  CHECK(f.rows("xxl_job_group", "app_name = 'pay'") == "1");
  CHECK(f.rows("xxl_job_group") == "2");
}

TEST_CASE("prune keeps a group with a job that is not declared", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.add_job(900, noon, {{"job_group", f.db->value("SELECT id FROM xxl_job_group")}});
  set.groups.clear();
  set.jobs.clear();
  CHECK(f.apply(set, true) == "--");
  CHECK(f.rows("xxl_job_group") == "1");
  f.db->exec("DELETE FROM xxl_job_info");
  CHECK(f.apply(set, true) == "-");
  CHECK(f.rows("xxl_job_group") == "0");
  CHECK(f.rows("rm_group_ext") == "0");
}

TEST_CASE("a removed job cannot be claimed any more", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto jobs = require(f.firings().edits_since(0, 10));
  set.jobs.pop_back();
  f.apply(set, true);
  auto batch = f.batch();
  batch.seen_revision = 1000;
  f.plan(batch, jobs[1].spec, *jobs[1].next);
  CHECK(require(f.firings().claim(batch, noon)).lost_races == std::vector{jobs[1].spec->id});
  CHECK(require(f.firings().read_jobs(std::vector{jobs[1].spec->id})).empty());
}

TEST_CASE("objects of other sources stay unchanged and the whole set is refused", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {declared_job_of("mine", "x")};
  f.apply(other);
  f.db->exec("INSERT INTO xxl_job_group (app_name, title) VALUES ('hand', 'Manual')");
  auto set = pay_set();
  SECTION("a group that is not declared") { set.groups.push_back({"hand", "x", std::nullopt}); }
  SECTION("a group of another source") { set.groups.push_back({"mine", "x", std::nullopt}); }
  SECTION("a job of another source") { set.jobs.push_back(declared_job_of("mine", "x")); }
  CHECK(f.refused(set).code == core::errc::conflict);
  CHECK(f.rows("xxl_job_group", "app_name = 'pay'") == "0");
}

TEST_CASE("jobs may be declared in groups of other sources", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title) VALUES (77, 'hand', 'Manual')");
  core::declared_set set;
  set.source = "s";
  set.jobs = {declared_job_of("hand", "x")};
  CHECK(f.apply(set) == "+");
  CHECK(f.of_job("job_group", "x") == "77");
  set.jobs.clear();
  CHECK(f.apply(set, true) == "-");
  CHECK(f.rows("xxl_job_group") == "1");
}

TEST_CASE("a lower revision is refused, an equal or missing one is not", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.revision = 5;
  f.apply(set);
  set.jobs[0].params = "old";
  set.revision = 4;
  CHECK(f.refused(set).code == core::errc::conflict);
  set.revision = 5;
  CHECK(f.apply(set) == "=~=");
  set.revision = 0;
  CHECK(f.apply(set) == "===");
  set.revision = 9;
  CHECK(f.apply(set) == "===");
  CHECK(f.db->query("SELECT source, revision FROM rm_deploy") == table{{"pay.toml", "9"}});
  set.revision = 8;
  CHECK(f.refused(set).code == core::errc::conflict);
  set.source = "another.toml";
  set.groups.clear();
  set.jobs = {declared_job_of("pay", "third")};
  CHECK(f.apply(set) == "+");
}

TEST_CASE("an invalid set is refused completely, with the place", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  auto& job = set.jobs[1];
  bool placed = true;
  SECTION("unknown group") { job.group = "nowhere"; }
  SECTION("unknown child") { job.children = {{"", "unknown"}}; }
  SECTION("unknown child elsewhere") { job.children = {{"nowhere", "settle"}}; }
  SECTION("a key twice") { job.key = "settle"; }
  SECTION("no key") { job.key = ""; }
  SECTION("a cron that does not parse") { job.schedule_conf = "every day"; }
  SECTION("a cron that can never fire") { job.schedule_conf = "0 0 0 30 2 ?"; }
  SECTION("a cron that cannot fire any more") { job.schedule_conf = "0 0 0 1 1 ? 2020"; }
  SECTION("a rate of zero") {
    job.schedule = core::schedule_type::fixed_rate;
    job.schedule_conf = "0";
  }
  SECTION("a handler longer than its column") { job.handler = std::string(256, 'h'); }
  SECTION("parameters longer than their column") { job.params = std::string(65536, 'p'); }
  SECTION("a group twice") {
    set.groups.push_back(set.groups[0]);
    placed = false;
  }
  SECTION("a title longer than its column") {
    set.groups[0].title = std::string(65, 't');
    placed = false;
  }
  SECTION("no source") {
    set.source = "";
    placed = false;
  }
  auto error = f.refused(set);
  CHECK(error.code == core::errc::invalid_argument);
  CAPTURE(error.context);
  CHECK((!placed || error.context.find("jobs.toml:7") != std::string::npos));
  CHECK(f.rows("xxl_job_info") == "0");
  CHECK(f.rows("xxl_job_group") == "0");
}

TEST_CASE("a disabled job may have a schedule that never fires", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.jobs[0].schedule_conf = "0 0 0 30 2 ?";
  set.jobs[0].enabled = false;
  CHECK(f.apply(set) == "+++");
}

TEST_CASE("children may form a ring and may belong to other sources", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {declared_job_of("mine", "x")};
  f.apply(other);
  auto set = pay_set();
  set.jobs[0].children = {{"", "report"}, {"mine", "x"}, {"", "report"}};
  set.jobs[1].children = {{"pay", "settle"}};
  f.apply(set);
  CHECK(f.of_job("child_jobid", "settle") == f.id_of("report") + ',' + f.id_of("x"));
  CHECK(f.of_job("child_jobid", "report") == f.id_of("settle"));
  // A third job becomes the child of an existing one.
  set.jobs.push_back(declared_job_of("pay", "third"));
  set.jobs[1].children = {{"", "third"}};
  auto report = require(f.try_apply(set));
  CHECK(kinds(report) == "==~+");
  CHECK(core::texts_of(report.changes[2].fields) == std::vector<std::string>{R"(children: "pay/settle" -> "pay/third")"});
  CHECK(f.of_job("child_jobid", "report") == f.id_of("third"));
  CHECK(f.apply(set) == "====");
}

TEST_CASE("a child that the same set prunes is unknown", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.jobs[0].children = {{"", "report"}};
  f.apply(set);
  set.jobs.pop_back();
  CHECK(f.refused(set, true).code == core::errc::invalid_argument);
  CHECK(f.apply(set) == "==");
}

TEST_CASE("a large set is applied at once and read back page by page", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.jobs.clear();
  for (int i = 0; i < 1200; ++i)
    set.jobs.push_back(declared_job_of("pay", "job" + std::to_string(i)));
  CHECK(f.apply(set) == std::string(1201, '+'));
  std::int64_t seen = 0;
  std::size_t count = 0;
  for (int page = 0; page < 100; ++page) {
    auto jobs = require(f.firings().edits_since(seen, 77));
    if (jobs.empty())
      break;
    count += jobs.size();
    REQUIRE(jobs.back().revision > seen);
    seen = jobs.back().revision;
  }
  CHECK(count == 1200);
  CHECK(f.apply(set) == std::string(1201, '='));
  set.jobs.resize(600);
  CHECK(f.apply(set, true) == std::string(601, '=') + std::string(600, '-'));
  CHECK(f.rows("xxl_job_info") == "600");
}

TEST_CASE("two sources deploy at the same time without losing an edit", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  auto set = pay_set();
  f.apply(set);
  core::declared_set second;
  second.source = "other.toml";
  second.groups = {{"mine", "Mine", std::nullopt}};
  std::int64_t seen = require(f.firings().edits_since(0, 100)).back().revision;
  for (int i = 0; i < 5; ++i) {
    set.jobs[0].params = std::to_string(i);
    f.apply(set);
    second.jobs.push_back(declared_job_of("mine", std::to_string(i)));
    require(other->deploys().apply(second, false, false, noon));
    auto edits = require(f.firings().edits_since(seen, 100));
    REQUIRE(edits.size() == 2);
    seen = edits.back().revision;
  }
}
