// Declared groups and jobs: the writes of an apply, and that a repeated apply writes nothing.

#include "tests/storage/deploy_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

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
  job.keep_logs = true;
  job.description = "Settles the day.";
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
        table{{"pay", "Payments", "0", "NULL", "2024-03-01 12:00:00"},
              {"mail", "Mail", "1", "http://a:1/,http://b:2/", "2024-03-01 12:00:00"}});
  auto group = f.db->value("SELECT id FROM xxl_job_group WHERE app_name = 'pay'");
  auto of_settle = " FROM xxl_job_info WHERE id = " + f.id_of("settle");
  CHECK(f.db->query("SELECT job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, "
                    "misfire_strategy, executor_route_strategy" +
                    of_settle) == table{{group, "The settle", "2024-03-01 12:00:00", "2024-03-01 12:00:00", "ops", "a@b.c",
                                         "CRON", "0 0 1 * * ?", "FIRE_ONCE_NOW", "SHARDING_BROADCAST"}});
  CHECK(f.db->query("SELECT executor_handler, executor_param, executor_block_strategy, executor_timeout, "
                    "executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime" +
                    of_settle) ==
        table{{"settleHandler", "a=1", "DISCARD_LATER", "30", "2", "BEAN", "", "", "2024-03-01 12:00:00"}});
  CHECK(f.db->query("SELECT trigger_status, trigger_last_time, trigger_next_time" + of_settle) ==
        table{{"1", "0", ms(one_at_night)}});
  // The job's own id is removed from its children.
  CHECK(f.of_job("child_jobid", "settle") == f.id_of("report"));
  CHECK(f.next_of("settle") == ms(one_at_night));
  CHECK(f.next_of("report") == "0");
  CHECK(f.of_job("trigger_status", "report") == "0");

  auto loaded = require(f.firings().edits_since(0, 10));
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].next == one_at_night);
  CHECK(loaded[0].spec->on_unknown == core::unknown_policy::skip);
  CHECK(loaded[0].spec->keep_logs);
  CHECK(loaded[0].spec->route == core::route_strategy::sharding_broadcast);
  CHECK(loaded[0].revision < loaded[1].revision);
}

TEST_CASE("a repeated apply writes nothing", "[storage]") {
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

TEST_CASE("a dry run returns the same report and writes nothing", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto before = picture(*f.db);
  CHECK(kinds(require(f.try_apply(pay_set(), false, noon, true))) == "+++");
  CHECK(picture(*f.db) == before);
}

TEST_CASE("a changed job keeps its id and reports its changes", "[storage]") {
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
  CHECK(core::texts_of(report.changes[0].fields) == std::vector<std::string>{R"(title: "Payments" -> "Money")"});
  CHECK(core::texts_of(report.changes[1].fields) == std::vector<std::string>{R"(name: "The settle" -> "New name")",
                                                                                     "timeout: 0 -> 9"});
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
  f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 75s)); // claimed ahead of its time
  set.jobs[0].schedule_conf = "0 * * * * ?";
  auto report = require(f.try_apply(set, false, noon + 1min));
  CHECK(core::texts_of(report.changes[1].fields) == std::vector<std::string>{R"(schedule: "0 0 1 * * ?" -> "0 * * * * ?")"});
  CHECK(f.next_of("settle") == ms(noon + 2min));
  CHECK(f.of_job("trigger_next_time", "settle") == ms(noon + 2min));
  CHECK(f.of_job("trigger_last_time", "settle") == ms(noon + 75s));
  CHECK(f.db->value("SELECT last_ms FROM rm_schedule WHERE job = " + f.id_of("settle")) == ms(noon + 75s));
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

TEST_CASE("an edit prevents every claim that has not seen it", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto jobs = require(f.firings().edits_since(0, 10));
  auto batch = f.batch();
  batch.seen_revision = jobs.back().revision;
  f.plan(batch, jobs[0].spec, *jobs[0].next);
  // The schedule stays, so the expected next time is unchanged: only the revision shows the edit.
  set.jobs[0].params = "new";
  f.apply(set);
  auto outcome = require(f.firings().claim(batch, noon));
  CHECK(outcome.lost_races == std::vector{jobs[0].spec->id});
  CHECK(require(f.firings().read_jobs(outcome.lost_races))[0].spec->param == "new");
}

TEST_CASE("a manual stop survives until the declaration changes", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  f.db->exec("UPDATE xxl_job_info SET trigger_status = 0");
  f.db->exec("UPDATE rm_schedule SET next_ms = 0");
  CHECK(f.apply(set) == "===");
  CHECK(f.next_of("settle") == "0");
  set.jobs[0].params = "new";
  auto report = require(f.try_apply(set, false, noon + 1h));
  CHECK(core::texts_of(report.changes[1].fields) == std::vector<std::string>{R"(params: "" -> "new")", "enabled: false -> true"});
  CHECK(f.next_of("settle") == ms(one_at_night));
  CHECK(f.next_of("report") == "0");
}

TEST_CASE("a stop by a user stays until the file changes enabled or the job is started", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  const core::job_id settle{std::stoi(f.id_of("settle"))};
  core::principal ann;
  ann.name = "ann";
  ann.admin = true;
  require(f.store->jobs().stop(settle, noon, ann));
  const auto stopped = [&] { return require(f.store->job_editing().read(settle, core::local_operator())).stopped; };
  CHECK(stopped() == core::manual_stop{"ann", noon});
  set.jobs[0].params = "new";
  CHECK(f.apply(set, false, noon + 1h) == "=~=");
  CHECK(f.of_job("trigger_status", "settle") == "0");
  CHECK(stopped() == core::manual_stop{"ann", noon});
  // Off in the file, and on again: the file has taken over.
  set.jobs[0].enabled = false;
  f.apply(set);
  CHECK(!stopped());
  set.jobs[0].enabled = true;
  f.apply(set);
  CHECK(f.of_job("trigger_status", "settle") == "1");
  require(f.store->jobs().stop(settle, noon));
  require(f.store->jobs().start(settle, noon));
  CHECK(!stopped());
  set.jobs[0].params = "newer";
  f.apply(set);
  CHECK(f.of_job("trigger_status", "settle") == "1");
}

TEST_CASE("prune does not take a part of a source's files for the whole", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.files = {"a.toml", "b.toml"};
  f.apply(set);
  auto part = set;
  part.files = {"a.toml"};
  CHECK(f.apply(part, true) == "===");
  set.files = {"a.toml", "b.toml"};
  f.apply(set);
  part.jobs.pop_back();
  const auto refused = f.refused(part, true);
  CHECK(refused.code == core::errc::conflict);
  CHECK(refused.context.find("missing: b.toml") != std::string::npos);
  part.prunes_other_files = true;
  CHECK(f.apply(part, true) == "==-");
}

TEST_CASE("disabling and enabling in the file stops and starts", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  set.jobs[0].enabled = false;
  auto report = require(f.try_apply(set));
  CHECK(core::texts_of(report.changes[1].fields) == std::vector<std::string>{"enabled: true -> false"});
  CHECK(f.next_of("settle") == "0");
  CHECK(f.of_job("trigger_status", "settle") == "0");
  CHECK(f.of_job("trigger_next_time", "settle") == "0");
  set.jobs[0].enabled = true;
  f.apply(set, false, noon + 24h);
  CHECK(f.next_of("settle") == ms(one_at_night + 24h));
  CHECK(f.of_job("trigger_status", "settle") == "1");
}

TEST_CASE("declared changes of a manually stopped job are stored", "[storage]") {
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

TEST_CASE("declared values that another program changed are restored", "[storage]") {
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
  CHECK(core::texts_of(report.changes[0].fields) == std::vector<std::string>{R"(addresses: "http://m/" -> "automatic")"});
  CHECK(f.db->query("SELECT address_type, address_list FROM xxl_job_group") == table{{"0", "http://m/"}});
}

TEST_CASE("waiting cron intents of a job are deleted with its schedule, others stay", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  f.apply(set);
  auto id = f.id_of("settle");
  auto add = [&](const std::string& kind, const std::string& job, int origin, int state) {
    f.db->exec(
      "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms) VALUES ('" +
      kind + "', " + job + ", 1, " + std::to_string(origin) + ", 0, 0, 0, " + std::to_string(state) + ", 1)");
  };
  add("cron", id, 1, 0);
  add("cron", id, 2, 1);
  add("retry", id, 3, 0);
  add("cron", f.id_of("report"), 4, 0);
  set.jobs[0].params = "new"; // they run with the new parameter
  f.apply(set);
  CHECK(f.rows("rm_intent") == "4");
  set.jobs[0].schedule_conf = "0 0 2 * * ?";
  f.apply(set);
  CHECK(f.db->query("SELECT origin_log_id FROM rm_intent ORDER BY id") == table{{"2"}, {"3"}, {"4"}});
}

TEST_CASE("an apply writes an audit row for each object that it changes", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  const auto rows = [&f](const std::string& what) {
    return f.rows("rm_audit", "action = 'apply' AND user_name = 'local' AND changes LIKE '%kind: " + what + "%'");
  };
  CHECK(rows("create") == "3");
  CHECK(f.db->value("SELECT object_id FROM rm_audit WHERE object_name = 'pay/settle'") == f.id_of("settle"));
  f.apply(pay_set()); // nothing
  CHECK(f.rows("rm_audit") == "3");
  auto set = pay_set();
  set.jobs[0].params = "new";
  set.jobs.pop_back();
  f.try_apply(set, true, noon, true); // a dry run stores nothing
  CHECK(f.rows("rm_audit") == "3");
  f.apply(set, true);
  CHECK(rows("update") == "1");
  CHECK(rows("remove") == "1");
  CHECK(f.db->value("SELECT changes FROM rm_audit WHERE object_name = 'pay/settle' AND changes LIKE '%update%'")
        == "source: pay.toml\nkind: update\nparams: \"\" -> \"new\"");
}
