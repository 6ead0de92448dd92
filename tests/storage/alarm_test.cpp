// Alarms: decided with the failure (T5), taken by one incarnation, ended once, found for failures without a decision.

#include "core/alarm/alarm.hpp"
#include "core/run/trigger_text.hpp"

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct alarm_fixture : firing_fixture {
  explicit alarm_fixture(const test_backend& backend) : firing_fixture{backend} {
    db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (1, 'pay-worker', 'Payments', 0)");
  }

  storage::alarm_store& alarms() { return store->alarms(); }

  std::vector<core::pending_alarm> take(bool again = false, core::time_point now = noon + 20s) {
    return require(alarms().take(me, again, now, 100));
  }

  core::claimed_run failed(std::int32_t job, const std::string& email, std::int32_t retries = 0) {
    auto run = claimed(job, retries, {{"alarm_email", "'" + email + "'"}});
    record({answer(run, 500, "connection refused")}, {});
    return run;
  }

  void finish(const core::pending_alarm& alarm, std::int32_t status, bool await_recovery = false) {
    const core::alarm_end end{alarm.id, status, await_recovery};
    require(alarms().finish(me, {&end, 1}));
  }

  void rule(const std::string& key, const std::string& group, const std::string& attempts = "every_attempt",
            const std::string& channels = "ops") {
    db->exec("INSERT INTO rm_alarm (rule_key, source, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered) "
             "VALUES ('" + key + "', 's', '" + group + "', '', '" + channels + "', '', '" + attempts + "', NULL, 1)");
  }

  /// A row as a Java admin leaves it.
  std::string foreign_row(std::int32_t job, std::int32_t trigger_code, std::int32_t handle_code, std::int32_t retries,
                          std::int32_t status, const std::string& time = "2024-03-01 12:00:00") {
    db->exec("INSERT INTO xxl_job_log (job_group, job_id, executor_param, executor_sharding_param, executor_fail_retry_count, "
             "trigger_time, trigger_code, trigger_msg, handle_code, alarm_status) VALUES (1, " + std::to_string(job) +
             ", 'x=1', '1/3', " + std::to_string(retries) + ", '" + time + "', " + std::to_string(trigger_code) + ", 'm', " +
             std::to_string(handle_code) + ", " + std::to_string(status) + ")");
    return db->value("SELECT max(id) FROM xxl_job_log");
  }

  std::string status(const std::string& id) { return db->value("SELECT alarm_status FROM xxl_job_log WHERE id = " + id); }

  core::failure_sweep sweep(core::time_point now, bool follow = false, std::size_t limit = 100) {
    return require(alarms().sweep(now, follow, limit));
  }

  /// Sweeps twice: every row is settled after the second call.
  core::failure_sweep sweep_all(core::time_point now, bool follow = false) {
    auto first = sweep(now, follow);
    auto second = sweep(now + 6s, follow);
    second.decided += first.decided;
    second.released += first.released;
    second.intents.insert(second.intents.end(), first.intents.begin(), first.intents.end());
    return second;
  }
};

} // namespace

TEST_CASE("a failure of a job with an address raises one alarm in its own transaction", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 0, {{"alarm_email", "'a@x.example, b@x.example'"}});
  bool by_trigger = GENERATE(true, false);
  auto outcome = by_trigger ? f.record({f.answer(run, 500, "refused")}, {}) : f.record({}, {f.callback(run, 502, "t")});
  CHECK(outcome.intents.empty());
  CHECK(f.row(run.id).alarm_status == core::alarm_status::claimed);
  // An alarm is not a request to run.
  CHECK(require(f.firings().waiting_intents(noon + 1h, 10)).empty());
  auto taken = f.take();
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].job == core::job_id{7});
  CHECK(taken[0].origin == run.id);
  CHECK(taken[0].kind == core::alarm_kind::failure);
  CHECK(taken[0].since == noon + 10s);
  REQUIRE(taken[0].about);
  CHECK(taken[0].about->name == "a job");
  CHECK(taken[0].about->group_title == "Payments");
  CHECK(taken[0].about->alarm_email == "a@x.example, b@x.example");
  CHECK_FALSE(taken[0].about->rule);
  REQUIRE(taken[0].run);
  CHECK(taken[0].run->id == run.id);
  CHECK(f.take().empty());
}

TEST_CASE("without a recipient no alarm is written", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.failed(7, GENERATE("", "  "));
  CHECK(f.row(run.id).alarm_status == core::alarm_status::not_needed);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.take().empty());
}

TEST_CASE("a rule raises an alarm where the job has no address, and selects the attempts that count", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.rule("all", "", "last_attempt");
  auto retried = f.claimed(7, 1);
  CHECK(f.record({f.answer(retried, 500)}, {}).intents.size() == 1);
  CHECK(f.row(retried.id).alarm_status == core::alarm_status::not_needed);
  auto last = f.claimed(8, 0);
  f.record({f.answer(last, 500)}, {});
  CHECK(f.row(last.id).alarm_status == core::alarm_status::claimed);
  auto taken = f.take();
  REQUIRE(taken.size() == 1);
  REQUIRE(taken[0].about);
  REQUIRE(taken[0].about->rule);
  CHECK(taken[0].about->rule->key == "all");
  CHECK(taken[0].about->rule->channels == std::vector<std::string>{"ops"});
  CHECK(taken[0].about->rule->recovered);
  // The rule of the group takes precedence over the general one.
  f.rule("pay", "pay-worker", "every_attempt", "pay-ops");
  auto nearer = f.claimed(9, 1);
  f.record({f.answer(nearer, 500)}, {});
  CHECK(f.take().at(0).about->rule->key == "pay");
}

TEST_CASE("an alarm is ended once, with its status in the row", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.failed(7, "a@x.example");
  auto alarm = f.take().at(0);
  auto status = GENERATE(core::alarm_status::sent, core::alarm_status::failed, core::alarm_status::not_needed);
  f.finish(alarm, status);
  CHECK(f.row(run.id).alarm_status == status);
  CHECK(f.rows("rm_intent") == "0");
  f.finish(alarm, core::alarm_status::failed);
  CHECK(f.row(run.id).alarm_status == status);
}

TEST_CASE("alarms taken by an ended incarnation are taken again, and its end of them no longer counts", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.failed(7, "a@x.example");
  auto alarm = f.take().at(0);
  auto other = require(f.store->cluster().enter("node-b", "10.0.0.2:8081"));
  CHECK(require(f.alarms().take(other, false, noon + 1h, 100)).empty());
  auto former = f.me;
  f.me = require(f.store->cluster().enter("node-a", "10.0.0.1:8081"));
  CHECK(error_of(f.alarms().take(former, false, noon + 1h, 100)) == core::errc::fenced);
  auto again = require(f.alarms().take(other, false, noon + 1h, 100));
  REQUIRE(again.size() == 1);
  CHECK(again[0].id == alarm.id);
  const core::alarm_end late{alarm.id, core::alarm_status::failed, false};
  require(f.alarms().finish(former, {&late, 1}));
  CHECK(f.row(run.id).alarm_status == core::alarm_status::claimed);
  const core::alarm_end end{alarm.id, core::alarm_status::sent, false};
  require(f.alarms().finish(other, {&end, 1}));
  CHECK(f.row(run.id).alarm_status == core::alarm_status::sent);
}

TEST_CASE("after a lost answer an incarnation gets the alarms that it had taken", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.failed(7, "a@x.example");
  auto first = f.take();
  CHECK(f.take(false).empty());
  auto again = f.take(true);
  REQUIRE(again.size() == 1);
  CHECK(again[0].id == first[0].id);
}

TEST_CASE("alarms go to the node of their job's slot at once, to any node after a while, and to one node only", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = require(f.store->cluster().enter("node-b", "10.0.0.2:8081"));
  for (std::int32_t job = 1; job <= 20; ++job)
    f.failed(job, "a@x.example");
  auto mine = f.take(false, noon + 12s);
  auto others = require(f.alarms().take(other, false, noon + 12s, 100));
  CHECK_FALSE(mine.empty());
  CHECK_FALSE(others.empty());
  CHECK(mine.size() + others.size() == 20);
  f.failed(21, "a@x.example");
  f.failed(22, "a@x.example");
  f.failed(23, "a@x.example");
  f.failed(24, "a@x.example");
  CHECK(f.take(false, noon + 20s).size() == 4);
  CHECK(require(f.alarms().take(other, true, noon + 20s, 100)).size() == others.size());
}

TEST_CASE("a node without slots leaves alarms to the others", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = require(f.store->cluster().enter("node-b", "10.0.0.2:8081"));
  require(f.store->cluster().serve(other, false));
  for (std::int32_t job = 1; job <= 20; ++job)
    f.failed(job, "a@x.example");
  CHECK(require(f.alarms().take(other, false, noon + 12s, 100)).empty());
  CHECK(f.take(false, noon + 12s).size() == 20);
}

TEST_CASE("an alarm of a deleted job or run is taken and reports that", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.failed(7, "a@x.example");
  f.db->exec("DELETE FROM xxl_job_info");
  f.db->exec("DELETE FROM xxl_job_log");
  auto alarm = f.take().at(0);
  CHECK_FALSE(alarm.about);
  CHECK_FALSE(alarm.run);
  f.finish(alarm, core::alarm_status::sent);
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("forgetting taken intents leaves alarms alone, and abandoned runs raise alarms", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.failed(7, "a@x.example");
  f.take();
  f.add_job(8, noon, {{"alarm_email", "'b@x.example'"}});
  auto id = f.foreign_row(8, 0, 0, 3, 0);
  for (int i = 0; i < 4; ++i)
    require(f.firings().fail_abandoned(noon + 1h + i * 2min, 100));
  CHECK(f.status(id) == "-1");
  CHECK(f.rows("rm_intent", "kind = 'alarm'") == "2");
  auto taken = f.take(false, noon + 2h);
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].job == core::job_id{8});
}

TEST_CASE("failures without a decision are retried and reported once", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon, {{"alarm_email", "'a@x.example'"}});
  f.add_job(8);
  auto told = f.foreign_row(7, 500, 0, 2, 0);
  auto plain = f.foreign_row(8, 200, 502, 0, 0);
  auto running = f.foreign_row(7, 200, 0, 2, 0);
  auto fine = f.foreign_row(7, 200, 200, 2, 0);
  auto late_success = f.foreign_row(7, 500, 200, 2, 0);
  auto theirs = f.foreign_row(7, 500, 0, 2, 2);
  auto swept = f.sweep_all(noon + 1min);
  CHECK(swept.decided == 2);
  CHECK_FALSE(swept.more);
  REQUIRE(swept.intents.size() == 1);
  CHECK(swept.intents[0].kind == core::trigger_kind::retry);
  CHECK(std::to_string(core::number(swept.intents[0].origin)) == told);
  CHECK(swept.intents[0].retry_left == 1);
  CHECK(swept.intents[0].part == core::shard{1, 3, true});
  CHECK(swept.intents[0].param == "x=1");
  CHECK(swept.intents[0].fire_at == noon);
  CHECK(f.status(told) == "-1");
  CHECK(f.status(plain) == "1");
  CHECK(f.status(running) == "0");
  CHECK(f.status(fine) == "0");
  CHECK(f.status(late_success) == "0");
  CHECK(f.status(theirs) == "2");
  CHECK(f.rows("rm_intent", "kind = 'retry'") == "1");
  CHECK(f.rows("rm_intent", "kind = 'alarm'") == "1");
  // Another node, with a separate sweep, finds nothing to do.
  auto other = f.db->open();
  CHECK(require(other->alarms().sweep(noon + 1min, false, 100)).decided == 0);
  CHECK(require(other->alarms().sweep(noon + 2min, false, 100)).decided == 0);
}

TEST_CASE("a claim of an admin that died is released after ten minutes, never one of ours", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto ours = f.failed(6, "a@x.example", 3);
  f.add_job(7, noon, {{"alarm_email", "'a@x.example'"}});
  auto theirs = f.foreign_row(7, 500, 0, 1, -1);
  CHECK(f.sweep_all(noon + 1min, true).decided == 0);
  CHECK(f.sweep_all(noon + 9min, true).decided == 0);
  auto swept = f.sweep_all(noon + 11min, true);
  CHECK(swept.decided == 1);
  CHECK(swept.released == 1);
  REQUIRE(swept.intents.size() == 1);
  CHECK(f.rows("rm_intent", "kind = 'alarm' AND origin_log_id = " + theirs) == "1");
  CHECK(f.rows("rm_intent", "kind = 'alarm' AND origin_log_id = " + text(ours.id)) == "1");
  CHECK(f.sweep_all(noon + 25min, true).decided == 0);
}

TEST_CASE("a run that fails after the sweep has passed it is found when other programs record results, too", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  auto id = f.foreign_row(7, 200, 0, 0, 0);
  CHECK(f.sweep_all(noon + 1min, true).decided == 0);
  f.db->exec("UPDATE xxl_job_log SET handle_code = 500, handle_time = '2024-03-01 12:02:00' WHERE id = " + id);
  CHECK(f.sweep(noon + 3min, true).decided == 1);
  CHECK(f.status(id) == "1");
}

TEST_CASE("old failures are ignored", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon, {{"alarm_email", "'a@x.example'"}});
  for (int i = 0; i < 50; ++i)
    f.foreign_row(7, 500, 0, 3, i % 2 == 0 ? 0 : -1, "2022-01-01 00:00:00");
  auto fresh = f.foreign_row(7, 500, 0, 0, 0);
  CHECK(f.sweep_all(noon + 1h).decided == 1);
  CHECK(f.status(fresh) == "-1");
  CHECK(f.rows("rm_intent") == "1");
}

TEST_CASE("the sweep for failures continues where its limit stopped it", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  for (int i = 0; i < 7; ++i)
    f.foreign_row(7, 500, 0, 0, 0);
  f.sweep(noon + 1min, false, 3);
  std::vector<std::size_t> steps;
  for (bool more = true; more;) {
    auto swept = f.sweep(noon + 2min, false, 3);
    steps.push_back(swept.decided);
    more = swept.more;
  }
  CHECK(steps == std::vector<std::size_t>{3, 3, 1});
}

TEST_CASE("the first success after an alarm is reported once", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.failed(7, "a@x.example");
  f.finish(f.take().at(0), core::alarm_status::sent, true);
  CHECK(require(f.alarms().find_recoveries(noon + 1min, 10)) == 0);
  auto id = f.foreign_row(7, 200, 200, 0, 0);
  f.foreign_row(7, 200, 200, 0, 0);
  CHECK(require(f.alarms().find_recoveries(noon + 2min, 10)) == 1);
  CHECK(require(f.alarms().find_recoveries(noon + 3min, 10)) == 0);
  CHECK(f.rows("rm_alarm_open") == "0");
  auto taken = f.take(false, noon + 3min);
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].kind == core::alarm_kind::recovery);
  CHECK(std::to_string(core::number(taken[0].origin)) == id);
  f.finish(taken[0], core::alarm_status::sent);
  CHECK(f.status(id) == "0");
}

TEST_CASE("many alarms that end together wait for the recoveries of their jobs", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  std::vector<core::alarm_end> ends;
  for (std::int32_t job = 1; job <= 30; ++job)
    f.failed(job, "a@x.example");
  for (std::int32_t job = 1; job <= 5; ++job)
    f.foreign_row(job, 500, 0, 0, 0);
  f.sweep_all(noon + 1min);
  const auto taken = f.take(false, noon + 2min);
  REQUIRE(taken.size() == 35);
  for (const auto& alarm : taken)
    ends.push_back({alarm.id, core::alarm_status::sent, core::number(alarm.job) != 30});
  require(f.alarms().finish(f.me, ends));
  CHECK(f.rows("rm_alarm_open") == "29");
  CHECK(f.rows("rm_intent", "kind = 'alarm'") == "0");
  // For a job that failed twice the later run counts.
  CHECK(f.rows("rm_alarm_open", "log_id = (SELECT MAX(id) FROM xxl_job_log l WHERE l.job_id = rm_alarm_open.job)") == "29");
}

TEST_CASE("the first success is found step by step where the log has no index on the job", "[storage]") {
  if (mysql_backend().unavailable_reason())
    return;
  alarm_fixture f{xxl_backend(4)};
  const auto look = [&] { return require(f.alarms().find_recoveries(noon + 1min, 10)); };
  CHECK(look() == 0);
  f.db->exec("INSERT INTO rm_alarm_open (job, log_id) VALUES (7, 3), (8, 3), (9, 3)");
  const auto succeed = [&](std::int32_t job, std::int64_t id) {
    f.db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code, alarm_status) VALUES ("
               + std::to_string(id) + ", 1, " + std::to_string(job) + ", '2024-03-01 12:00:00', 200, 200, 0)");
  };
  succeed(7, 2); // before the failure
  succeed(8, 25'000);
  succeed(6, 1'000'000);
  succeed(9, 1'000'001);
  succeed(9, 1'000'002);
  CHECK(look() == 1); // the newest runs are read first
  CHECK(f.db->query("SELECT job FROM rm_alarm_open ORDER BY job") == table{{"7"}, {"8"}});
  CHECK(f.db->value("SELECT origin_log_id FROM rm_intent WHERE kind = 'alarm'") == "1000001");
  CHECK(look() == 0);
  CHECK(look() == 1);
  CHECK(f.db->query("SELECT job FROM rm_alarm_open ORDER BY job") == table{{"7"}});
  // A late result in a part that has been read: the walk starts again after its end.
  succeed(7, 5'000);
  std::size_t found = 0;
  for (int i = 0; i < 110; ++i)
    found += look();
  CHECK(found == 1);
  CHECK(f.rows("rm_alarm_open") == "0");
}

TEST_CASE("an alarm whose result arrives later keeps its status", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.failed(7, "a@x.example");
  f.record({}, {f.callback(run, 200)});
  auto alarm = f.take().at(0);
  f.finish(alarm, core::alarm_status::sent);
  CHECK(f.row(run.id).alarm_status == core::alarm_status::sent);
  CHECK(f.row(run.id).handle_code == 200);
}

TEST_CASE("rules are declared with jobs: created, changed, pruned, refused", "[storage]") {
  alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  core::declared_set declared;
  declared.source = "files";
  core::alarm_rule rule;
  rule.key = "on-call";
  rule.group = "pay-worker";
  rule.channels = {"ops", "pay"};
  rule.mail_to = {"a@x.example"};
  rule.on = core::alarm_attempts::last_attempt;
  rule.dedup = 90s;
  rule.recovered = true;
  declared.alarms = {{rule, "a.toml:3"}};
  auto apply = [&](bool dry_run = false, bool prune = false) { return f.store->deploys().apply(declared, dry_run, prune, noon); };
  CHECK(require(apply(true)).changes.at(0).kind == core::change_kind::create);
  CHECK(f.rows("rm_alarm") == "0");
  auto created = require(apply());
  REQUIRE(created.changes.size() == 1);
  CHECK(created.changes[0].object == "alarm on-call");
  auto run = f.claimed(7, 0);
  f.record({f.answer(run, 500)}, {});
  CHECK(f.take().at(0).about->rule == rule);
  CHECK(require(apply()).changes.at(0).kind == core::change_kind::unchanged);
  declared.alarms[0].rule.dedup.reset();
  auto changed = require(apply());
  CHECK(changed.changes.at(0).kind == core::change_kind::update);
  CHECK(core::texts_of(changed.changes.at(0).fields) == std::vector<std::string>{"dedup: \"90000ms\" -> \"\""});
  declared.source = "others";
  CHECK(error_of(apply()) == core::errc::conflict);
  declared.source = "files";
  declared.alarms[0].rule.group = "pay-wroker";
  auto unknown = apply();
  CHECK(error_of(unknown) == core::errc::invalid_argument);
  CHECK(unknown.error().context.find("a.toml:3") == 0);
  declared.alarms[0].rule.group = "pay-worker";
  declared.alarms[0].rule.job = "nothing";
  CHECK(error_of(apply()) == core::errc::invalid_argument);
  declared.alarms.clear();
  CHECK(require(apply()).changes.empty());
  CHECK(require(apply(false, true)).changes.at(0).kind == core::change_kind::remove);
  CHECK(f.rows("rm_alarm") == "0");
  CHECK(f.db->query("SELECT action, object, object_name, changes FROM rm_audit ORDER BY id")
        == table{{"apply", "alarm", "on-call", "source: files\nkind: create"},
                 {"apply", "alarm", "on-call", "source: files\nkind: update\ndedup: \"90000ms\" -> \"\""},
                 {"apply", "alarm", "on-call", "source: files\nkind: remove"}});
}

TEST_CASE("the text of a Java admin's run gets a note about the retry, a compact note does not", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (!backend.name.starts_with("mysql"))
    return; // no Java admin writes here
  alarm_fixture f{backend};
  const auto text_of = [&](const std::string& id) { return f.db->value("SELECT trigger_msg FROM xxl_job_log WHERE id = " + id); };
  // Java admins up to generation 5 write the other colour.
  const bool early = backend.generation != 0 && backend.generation <= 5;
  const std::string said{core::retry_text(core::language::en, early ? core::trigger_tail::answer : core::trigger_tail::remark)};
  const auto ours = f.claimed(7, 2);
  const auto swept = f.foreign_row(7, 500, 0, 2, 0);
  const auto last = f.foreign_row(7, 500, 0, 0, 0);
  f.sweep_all(noon + 1min);
  CHECK(text_of(swept) == "m" + said);
  CHECK(text_of(last) == "m");
  // The result of a run that a Java admin sent is reported to this node.
  const auto sent = f.foreign_row(7, 200, 0, 1, 0);
  auto failed = ours;
  failed.id = core::log_id{std::stoll(sent)};
  f.record({}, {f.callback(failed, 500)});
  CHECK(text_of(sent) == "m" + said);
  f.record({f.answer(ours, 500, "no")}, {});
  CHECK(text_of(std::to_string(core::number(ours.id))).find(said) == std::string::npos);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_intent WHERE kind = 'retry'") == "3");
}
