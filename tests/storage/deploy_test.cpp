// Declared groups and jobs: all or nothing, idempotent, never touching what the source does not own.

#include <algorithm>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

using core::change_kind;

core::declared_job job_of(const std::string& group, const std::string& key) {
  core::declared_job job;
  job.group = group;
  job.key = key;
  job.name = "The " + key;
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = key + "Handler";
  job.where = "jobs.toml:7";
  return job;
}

core::declared_set pay_set() {
  core::declared_set set;
  set.source = "pay.toml";
  set.groups = {{"pay", "Payments", std::nullopt}};
  set.jobs = {job_of("pay", "settle"), job_of("pay", "report")};
  return set;
}

std::string kinds(const core::deploy_report& report) {
  std::string text;
  for (const auto& change : report.changes)
    text += "=+~-"[change.kind == change_kind::create ? 1 : change.kind == change_kind::update ? 2 : change.kind == change_kind::remove ? 3 : 0];
  return text;
}

/// Everything that a deploy may write.
std::vector<table> picture(test_database& db) {
  std::vector<table> tables;
  for (const char* sql :
       {"SELECT id, app_name, title, address_type, address_list, update_time FROM xxl_job_group ORDER BY id", "SELECT * FROM rm_group_ext ORDER BY group_id",
        "SELECT * FROM xxl_job_info ORDER BY id", "SELECT * FROM rm_schedule ORDER BY job", "SELECT * FROM rm_job_ext ORDER BY job",
        "SELECT * FROM rm_deploy ORDER BY source", "SELECT counter FROM rm_edit"})
    tables.push_back(db.query(sql));
  return tables;
}

class deploy_fixture : public firing_fixture {
public:
  using firing_fixture::firing_fixture;

  core::result<core::deploy_report> try_apply(const core::declared_set& set, bool prune = false, core::time_point now = noon, bool dry_run = false) {
    return store->deploys().apply(set, dry_run, prune, now);
  }

  std::string apply(const core::declared_set& set, bool prune = false, core::time_point now = noon) { return kinds(require(try_apply(set, prune, now))); }

  /// `set` is refused, and nothing of it is kept.
  core::error refused(const core::declared_set& set, bool prune = false) {
    auto before = picture(*db);
    auto report = try_apply(set, prune);
    REQUIRE_FALSE(report);
    CHECK(picture(*db) == before);
    auto dry = try_apply(set, prune, noon, true);
    REQUIRE_FALSE(dry);
    CHECK(dry.error() == report.error());
    return report.error();
  }

  std::string id_of(const std::string& key) { return db->value("SELECT job FROM rm_job_ext WHERE job_key = '" + key + "'"); }
  std::string of_job(const std::string& column, const std::string& key) { return db->value("SELECT " + column + " FROM xxl_job_info WHERE id = " + id_of(key)); }
  std::string next_of(const std::string& key) { return db->value("SELECT next_ms FROM rm_schedule WHERE job = " + id_of(key)); }
};

std::string ms(core::time_point t) { return std::to_string(core::to_ms(t)); }

// 01:00 in Shanghai on 2 March.
const core::time_point one_at_night = noon + 13h;

} // namespace

TEST_CASE("a first deploy creates groups and jobs with their schedules", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.groups.push_back({"mail", "Mail", std::vector<std::string>{"http://a:1/", "http://b:2/"}});
  auto& job = set.jobs[0];
  job.alarm_email = "a@b.c";
  job.misfire = core::misfire_policy::fire_once_now;
  job.route = core::route_strategy::sharding_broadcast;
  job.block = core::block_strategy::discard_later;
  job.on_unknown = core::unknown_policy::skip;
  job.timeout_s = 30;
  job.retry_count = 2;
  job.params = "a=1";
  job.children = {{"", "report"}, {"pay", "settle"}};
  set.jobs[1].enabled = false;
  auto report = require(f.try_apply(set));
  CHECK(kinds(report) == "++++");
  CHECK(report.changes_anything());
  CHECK(report.changes[0].object == "group pay");
  CHECK(report.changes[2].object == "job pay/settle");

  CHECK(f.db->query("SELECT app_name, title, address_type, address_list, update_time FROM xxl_job_group ORDER BY id") ==
        table{{"pay", "Payments", "0", "NULL", "2024-03-01 12:00:00"}, {"mail", "Mail", "1", "http://a:1/,http://b:2/", "2024-03-01 12:00:00"}});
  auto group = f.db->value("SELECT id FROM xxl_job_group WHERE app_name = 'pay'");
  CHECK(f.db->query("SELECT job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, misfire_strategy, "
                    "executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, "
                    "executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, trigger_status, trigger_last_time, trigger_next_time "
                    "FROM xxl_job_info WHERE id = " + f.id_of("settle")) ==
        table{{group, "The settle", "2024-03-01 12:00:00", "2024-03-01 12:00:00", "ops", "a@b.c", "CRON", "0 0 1 * * ?", "FIRE_ONCE_NOW",
               "SHARDING_BROADCAST", "settleHandler", "a=1", "DISCARD_LATER", "30", "2", "BEAN", "", "", "2024-03-01 12:00:00", "1", "0", ms(one_at_night)}});
  // The job itself is left out of its children.
  CHECK(f.of_job("child_jobid", "settle") == f.id_of("report"));
  CHECK(f.next_of("settle") == ms(one_at_night));
  CHECK(f.next_of("report") == "0");
  CHECK(f.of_job("trigger_status", "report") == "0");

  auto loaded = require(f.firings().edits_since(0, 10));
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].next == one_at_night);
  CHECK(loaded[0].spec->on_unknown == core::unknown_policy::skip);
  CHECK(loaded[0].spec->route == core::route_strategy::sharding_broadcast);
  CHECK(loaded[0].revision < loaded[1].revision);
}

TEST_CASE("applying the same again writes nothing", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.revision = 5;
  set.jobs[0].children = {{"pay", "report"}};
  CHECK(f.apply(set) == "+++");
  auto before = picture(*f.db);
  CHECK(f.apply(set, false, noon + 1h) == "===");
  CHECK(f.apply(set, true, noon + 100h) == "===");
  CHECK(picture(*f.db) == before);
}

TEST_CASE("a dry run says the same and writes nothing", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto before = picture(*f.db);
  CHECK(kinds(require(f.try_apply(pay_set(), false, noon, true))) == "+++");
  CHECK(picture(*f.db) == before);
}

TEST_CASE("a changed job keeps its id and says what changed", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto id = f.id_of("settle");
  auto seen = require(f.firings().edits_since(0, 10)).back().revision;
  set.jobs[0].name = "New name";
  set.jobs[0].timeout_s = 9;
  set.groups[0].title = "Money";
  auto report = require(f.try_apply(set, false, noon + 1h));
  CHECK(kinds(report) == "~~=");
  CHECK(report.changes[0].fields == std::vector<std::string>{R"(title: "Payments" -> "Money")"});
  CHECK(report.changes[1].fields == std::vector<std::string>{R"(name: "The settle" -> "New name")", "timeout: 0 -> 9"});
  CHECK(f.id_of("settle") == id);
  CHECK(f.of_job("job_desc", "settle") == "New name");
  CHECK(f.of_job("update_time", "settle") == "2024-03-01 13:00:00");
  CHECK(f.of_job("add_time", "settle") == "2024-03-01 12:00:00");
  CHECK(f.of_job("glue_updatetime", "settle") == "2024-03-01 12:00:00");
  CHECK(f.next_of("settle") == ms(one_at_night));
  auto edits = require(f.firings().edits_since(seen, 10));
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].spec->timeout_s == 9);
}

TEST_CASE("a changed schedule is computed from now or the last claimed instant, whichever is later", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 5min));
  set.jobs[0].schedule_conf = "0 * * * * ?";
  auto report = require(f.try_apply(set, false, noon + 1min));
  CHECK(report.changes[1].fields == std::vector<std::string>{R"(schedule: "0 0 1 * * ?" -> "0 * * * * ?")"});
  CHECK(f.next_of("settle") == ms(noon + 6min));
  CHECK(f.of_job("trigger_next_time", "settle") == ms(noon + 6min));
  CHECK(f.of_job("trigger_last_time", "settle") == ms(noon + 5min));
  CHECK(f.db->value("SELECT last_ms FROM rm_schedule WHERE job = " + f.id_of("settle")) == ms(noon + 5min));
  set.jobs[0].schedule = core::schedule_type::fixed_rate;
  set.jobs[0].schedule_conf = "90";
  f.apply(set, false, noon + 10min);
  CHECK(f.next_of("settle") == ms(noon + 10min + 90s));
  CHECK(f.of_job("schedule_type", "settle") == "FIX_RATE");
  set.jobs[0].schedule = core::schedule_type::none;
  set.jobs[0].schedule_conf = "";
  f.apply(set, false, noon + 11min);
  CHECK(f.next_of("settle") == "0");
  CHECK(f.of_job("trigger_status", "settle") == "0");
}

TEST_CASE("an edit stops every claim that has not seen it", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto jobs = require(f.firings().edits_since(0, 10));
  auto batch = f.batch();
  batch.seen_revision = jobs.back().revision;
  f.plan(batch, jobs[0].spec, *jobs[0].next);
  // The schedule stays, so the expected next time still agrees: only the revision tells.
  set.jobs[0].params = "new";
  f.apply(set);
  auto outcome = require(f.firings().claim(batch, noon));
  CHECK(outcome.lost_races == std::vector{jobs[0].spec->id});
  CHECK(require(f.firings().read_jobs(outcome.lost_races))[0].spec->param == "new");
}

TEST_CASE("a stop by hand survives until the file says something new", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE xxl_job_info SET trigger_status = 0");
  f.db->exec("UPDATE rm_schedule SET next_ms = 0");
  CHECK(f.apply(set) == "===");
  CHECK(f.next_of("settle") == "0");
  set.jobs[0].params = "new";
  auto report = require(f.try_apply(set, false, noon + 1h));
  CHECK(report.changes[1].fields == std::vector<std::string>{R"(params: "" -> "new")", "enabled: false -> true"});
  CHECK(f.next_of("settle") == ms(one_at_night));
  CHECK(f.next_of("report") == "0");
}

TEST_CASE("disabling and enabling in the file stops and starts", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  set.jobs[0].enabled = false;
  auto report = require(f.try_apply(set));
  CHECK(report.changes[1].fields == std::vector<std::string>{"enabled: true -> false"});
  CHECK(f.next_of("settle") == "0");
  CHECK(f.of_job("trigger_status", "settle") == "0");
  CHECK(f.of_job("trigger_next_time", "settle") == "0");
  set.jobs[0].enabled = true;
  f.apply(set, false, noon + 24h);
  CHECK(f.next_of("settle") == ms(one_at_night + 24h));
  CHECK(f.of_job("trigger_status", "settle") == "1");
}

TEST_CASE("what the file says of a job stopped by hand is remembered", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE xxl_job_info SET trigger_status = 0");
  f.db->exec("UPDATE rm_schedule SET next_ms = 0");
  set.jobs[0].enabled = false;
  CHECK(f.apply(set) == "=~=");
  CHECK(f.apply(set) == "===");
  set.jobs[0].enabled = true;
  CHECK(f.apply(set) == "=~=");
  CHECK(f.next_of("settle") == ms(one_at_night));
}

TEST_CASE("values changed behind the file's back are put back", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE xxl_job_info SET executor_param = 'hand', schedule_conf = '0 0 5 * * ?' WHERE id = " + f.id_of("settle"));
  CHECK(f.apply(set) == "=~=");
  CHECK(f.of_job("executor_param", "settle").empty());
  CHECK(f.of_job("schedule_conf", "settle") == "0 0 1 * * ?");
}

TEST_CASE("addresses of an automatic group stay", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE xxl_job_group SET address_list = 'http://live/'");
  set.groups[0].title = "Other";
  f.apply(set);
  CHECK(f.db->query("SELECT title, address_list FROM xxl_job_group") == table{{"Other", "http://live/"}});
  set.groups[0].addresses = std::vector<std::string>{"http://m/"};
  f.apply(set);
  CHECK(f.db->query("SELECT address_type, address_list FROM xxl_job_group") == table{{"1", "http://m/"}});
  set.groups[0].addresses.reset();
  auto report = require(f.try_apply(set));
  CHECK(report.changes[0].fields == std::vector<std::string>{R"(addresses: "http://m/" -> "automatic")"});
  CHECK(f.db->query("SELECT address_type, address_list FROM xxl_job_group") == table{{"0", "http://m/"}});
}

TEST_CASE("prune removes what the source declared before, and no more", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.groups.push_back({"mail", "Mail", std::nullopt});
  set.jobs.push_back(job_of("mail", "send"));
  f.apply(set);
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {job_of("mine", "x"), job_of("pay", "guest")};
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
  CHECK(f.db->query("SELECT job_key FROM rm_job_ext WHERE job_key IS NOT NULL ORDER BY job_key") == table{{"guest"}, {"settle"}, {"x"}});
  for (const char* where : {"xxl_job_info WHERE id = ", "rm_schedule WHERE job = ", "rm_job_ext WHERE job = "})
    CHECK(f.db->value(std::string{"SELECT count(*) FROM "} + where + gone) == "0");
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.rows("xxl_job_info", "id = 900") == "1");
  CHECK(f.apply(set, true) == "==");

  // The rest of the group belongs to others.
  set.groups.clear();
  set.jobs.clear();
  CHECK(f.apply(set, true) == "-");
  CHECK(f.rows("xxl_job_group", "app_name = 'pay'") == "1");
  CHECK(f.rows("xxl_job_group") == "2");
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

TEST_CASE("objects of others are left alone and refuse the whole set", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {job_of("mine", "x")};
  f.apply(other);
  f.db->exec("INSERT INTO xxl_job_group (app_name, title) VALUES ('hand', 'By hand')");
  auto set = pay_set();
  SECTION("a group made by hand") { set.groups.push_back({"hand", "x", std::nullopt}); }
  SECTION("a group of another source") { set.groups.push_back({"mine", "x", std::nullopt}); }
  SECTION("a job of another source") { set.jobs.push_back(job_of("mine", "x")); }
  CHECK(f.refused(set).code == core::errc::conflict);
  CHECK(f.rows("xxl_job_group", "app_name = 'pay'") == "0");
}

TEST_CASE("jobs may be declared in groups of others", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title) VALUES (77, 'hand', 'By hand')");
  core::declared_set set;
  set.source = "s";
  set.jobs = {job_of("hand", "x")};
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
  set.jobs = {job_of("pay", "third")};
  CHECK(f.apply(set) == "+");
}

TEST_CASE("a set that cannot be meant is refused whole, with the place", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  auto& job = set.jobs[1];
  bool placed = true;
  SECTION("unknown group") { job.group = "nowhere"; }
  SECTION("unknown child") { job.children = {{"", "nobody"}}; }
  SECTION("unknown child elsewhere") { job.children = {{"nowhere", "settle"}}; }
  SECTION("a key twice") { job.key = "settle"; }
  SECTION("no key") { job.key = ""; }
  SECTION("a cron that does not parse") { job.schedule_conf = "every day"; }
  SECTION("a cron that can never fire") { job.schedule_conf = "0 0 0 30 2 ?"; }
  SECTION("a cron that cannot fire any more") { job.schedule_conf = "0 0 0 1 1 ? 2020"; }
  SECTION("a rate of nothing") {
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

TEST_CASE("children may form a ring and may belong to others", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  core::declared_set other;
  other.source = "other.toml";
  other.groups = {{"mine", "Mine", std::nullopt}};
  other.jobs = {job_of("mine", "x")};
  f.apply(other);
  auto set = pay_set();
  set.jobs[0].children = {{"", "report"}, {"mine", "x"}, {"", "report"}};
  set.jobs[1].children = {{"pay", "settle"}};
  f.apply(set);
  CHECK(f.of_job("child_jobid", "settle") == f.id_of("report") + ',' + f.id_of("x"));
  CHECK(f.of_job("child_jobid", "report") == f.id_of("settle"));
  // A third job joins as a child of one that is there already.
  set.jobs.push_back(job_of("pay", "third"));
  set.jobs[1].children = {{"", "third"}};
  auto report = require(f.try_apply(set));
  CHECK(kinds(report) == "==~+");
  CHECK(report.changes[2].fields == std::vector<std::string>{R"(children: "pay/settle" -> "pay/third")"});
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

TEST_CASE("waiting cron intents of a changed job go, others stay", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto id = f.id_of("settle");
  auto add = [&](const std::string& kind, const std::string& job, int origin, int state) {
    f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms) VALUES ('" + kind + "', " + job +
               ", 1, " + std::to_string(origin) + ", 0, 0, 0, " + std::to_string(state) + ", 1)");
  };
  add("cron", id, 1, 0);
  add("cron", id, 2, 1);
  add("retry", id, 3, 0);
  add("cron", f.id_of("report"), 4, 0);
  set.jobs[0].params = "new";
  f.apply(set);
  CHECK(f.db->query("SELECT origin_log_id FROM rm_intent ORDER BY id") == table{{"2"}, {"3"}, {"4"}});
}

TEST_CASE("a large set is applied in one go and read back page by page", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.jobs.clear();
  for (int i = 0; i < 1200; ++i)
    set.jobs.push_back(job_of("pay", "job" + std::to_string(i)));
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
    second.jobs.push_back(job_of("mine", std::to_string(i)));
    require(other->deploys().apply(second, false, false, noon));
    auto edits = require(f.firings().edits_since(seen, 100));
    REQUIRE(edits.size() == 2);
    seen = edits.back().revision;
  }
}
