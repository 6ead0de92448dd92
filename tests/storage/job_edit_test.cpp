// Start, stop, manual trigger and removal, on every backend.

#include "tests/storage/deploy_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct edit_fixture : deploy_fixture {
  using deploy_fixture::deploy_fixture;

  storage::job_store& jobs() { return store->jobs(); }
  core::scheduled_job stored(std::int32_t id) {
    core::job_id wanted{id};
    return require(firings().read_jobs({&wanted, 1})).at(0);
  }
  core::claim_outcome claim(std::int32_t id, std::int64_t seen_revision = 1000) {
    const auto job = stored(id);
    auto one = batch();
    one.seen_revision = seen_revision;
    plan(one, job.spec, *job.next);
    return require(firings().claim(one, noon));
  }
  core::intent ask(std::int32_t id, std::vector<std::string> addresses = {}, std::optional<std::string> param = std::nullopt) {
    return require(
      jobs().trigger({core::job_id{id}, core::trigger_kind::manual, std::move(param), std::move(addresses), --token}, noon));
  }
  core::claimed_run claim_intent(const core::intent& intent) {
    auto one = batch();
    auto run = run_of(job(core::number(intent.job)));
    run.intent = intent.id;
    run.kind = intent.kind;
    run.param = intent.param;
    run.addresses = intent.addresses;
    run.retry_left = intent.retry_left;
    one.runs.push_back(run);
    auto outcome = require(firings().claim(one, noon));
    REQUIRE(outcome.runs.size() == 1);
    return outcome.runs[0];
  }
  std::string of(const std::string& column, std::int32_t id) {
    return db->value("SELECT " + column + " FROM xxl_job_info WHERE id = " + std::to_string(id));
  }

  std::int64_t token = 0;
};

constexpr core::job_id seven{7};

} // namespace

TEST_CASE("stop: clears XXL's columns, prevents earlier claims, and keeps the last instant", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto spec = f.add_job(7);
  f.claim(7);
  const auto before = f.stored(7);
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) VALUES "
             "('cron', 7, 5, 0, 0, 0, 0, 0), ('child', 7, 0, 9, 0, 0, 0, 0), ('cron', 8, 5, 0, 0, 0, 0, 0)");
  const auto edit = require(f.jobs().stop(seven, noon + 1s));
  CHECK_FALSE(edit.next);
  const auto after = f.stored(7);
  CHECK_FALSE(after.next);
  CHECK(after.last == noon);
  CHECK(after.revision > before.revision);
  CHECK(f.of("trigger_status", 7) + f.of("trigger_last_time", 7) + f.of("trigger_next_time", 7) == "000");
  CHECK(f.db->value("SELECT count(*) FROM rm_intent") == "2"); // the waiting instant of this job is gone
  // F5: the planner that has not seen the edit loses.
  auto late = f.batch();
  late.seen_revision = 1000;
  f.plan(late, spec, *before.next);
  CHECK(require(f.firings().claim(late, noon)).lost_races == std::vector{seven});
  require(f.jobs().stop(seven, noon + 1s)); // a second stop changes nothing
  CHECK(error_of(f.jobs().stop(core::job_id{99}, noon)) == core::errc::not_found);
}

TEST_CASE("start: from now or the last claimed instant, whichever is later", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon);
  SECTION("nothing was claimed") {
    require(f.jobs().stop(seven, noon - 30s));
    CHECK(require(f.jobs().start(seven, noon - 30s)).next == noon);
  }
  SECTION("the next instant was claimed ahead of its time: it is not repeated (F8)") {
    f.claim(7); // claims noon, at noon - 200 ms
    require(f.jobs().stop(seven, noon - 150ms));
    CHECK(require(f.jobs().start(seven, noon - 100ms)).next == noon + 60s);
  }
  const auto job = f.stored(7);
  CHECK(job.next);
  CHECK(f.of("trigger_status", 7) == "1");
  CHECK(f.of("trigger_next_time", 7) == ms(*job.next));
  // The old revision claims nothing, the new one does.
  const auto revision = job.revision;
  CHECK(f.claim(7, revision - 1).runs.empty());
  CHECK(f.claim(7, revision).runs.size() == 1);
  CHECK(error_of(f.jobs().start(core::job_id{99}, noon)) == core::errc::not_found);
}

TEST_CASE("start of a running job keeps due instants", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon - 10s);
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) VALUES "
             "('cron', 7, 5, 0, 0, 0, 0, 0)");
  const auto before = f.stored(7);
  CHECK(require(f.jobs().start(seven, noon)).next == noon - 10s);
  const auto after = f.stored(7);
  CHECK(after.next == before.next);
  CHECK(after.last == before.last);
  CHECK(f.db->value("SELECT count(*) FROM rm_intent") == "1");
  CHECK(f.db->value("SELECT count(*) FROM rm_audit WHERE action = 'start'") == "1");
  CHECK(f.claim(7, before.revision).runs.size() == 1);
}

TEST_CASE("start counts from now when a wrong clock has written the last instant", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon + 10 * 24h);
  const auto ahead = [&](auto by) { f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + by) + " WHERE job = 7"); };
  SECTION("of a running job") {
    ahead(10 * 24h - 60s);
    CHECK(require(f.jobs().start(seven, noon + 1s)).next == noon + 60s);
    CHECK(f.stored(7).next == noon + 60s);
    CHECK(f.stored(7).last == noon + 1s);
  }
  SECTION("of a stopped job") {
    ahead(10 * 24h - 60s);
    require(f.jobs().stop(seven, noon));
    CHECK(require(f.jobs().start(seven, noon + 1s)).next == noon + 60s);
  }
  SECTION("a last instant that a right clock may have written counts (F8)") {
    ahead(15s);
    f.db->exec("UPDATE rm_schedule SET next_ms = " + ms(noon + 60s) + " WHERE job = 7");
    require(f.jobs().stop(seven, noon - 1s));
    CHECK(require(f.jobs().start(seven, noon - 1s)).next == noon + 60s);
    CHECK(f.stored(7).last == noon + 15s);
  }
}

TEST_CASE("start refuses with XXL's texts and changes nothing", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  struct refusal {
    const char* type;
    const char* conf;
    const char* text;
  };
  const auto each = GENERATE(values<refusal>({
    {"'NONE'", "''", "The current schedule type disables startup"},
    {"'FIX_DELAY'", "'5'", "The current schedule type disables startup"},
    {"'CRON'", "'0 0 0 30 2 ?'", "Schedule Typeillegal: it never fires (again)"},
    {"'CRON'", "'nonsense'", "Schedule Typeillegal: "},
    {"'CRON'", "NULL", "Schedule Typeillegal: "},
    {"'FIX_RATE'", "'0'", "Schedule Typeillegal: "},
  }));
  f.add_job(7, core::time_point{}, {{"schedule_type", each.type}, {"schedule_conf", each.conf}});
  const auto before = picture(*f.db);
  const auto refused = f.jobs().start(seven, noon);
  CHECK(error_of(refused) == core::errc::invalid_argument);
  CHECK(refused.error().context.starts_with(each.text));
  CHECK(picture(*f.db) == before);
}

TEST_CASE("start of a job whose end has passed is refused", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  f.db->exec("INSERT INTO rm_job_ext (job, end_at) VALUES (7, " + ms(noon) + ")");
  CHECK(require(f.jobs().start(seven, noon - 1s)).next == noon);
  require(f.jobs().stop(seven, noon));
  CHECK(error_of(f.jobs().start(seven, noon)) == core::errc::invalid_argument);
}

TEST_CASE("a manual run waits with its parameter and addresses, once", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{}, {{"executor_fail_retry_count", "2"}});
  const core::manual_trigger request{
    seven, core::trigger_kind::api, "day=1", {" http://10.0.0.1:9999/ ,http://10.0.0.2:9999/", ""}, 17};
  const auto intent = require(f.jobs().trigger(request, noon));
  CHECK(require(f.jobs().trigger(request, noon + 5s)).id == intent.id); // the answer was lost
  const auto waiting = require(f.firings().waiting_intents(noon, 10));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].id == intent.id);
  CHECK(waiting[0].kind == core::trigger_kind::api);
  CHECK(waiting[0].job == seven);
  CHECK(core::number(waiting[0].origin) == -17);
  CHECK(waiting[0].param == "day=1");
  CHECK(waiting[0].addresses == std::vector<std::string>{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/"});
  CHECK(waiting[0].retry_left == 2);
  CHECK(require(f.jobs().runs_of(intent.id)).waiting);
  const auto run = f.claim_intent(waiting[0]);
  const auto came = require(f.jobs().runs_of(intent.id));
  CHECK_FALSE(came.waiting);
  CHECK(came.runs == std::vector{run.id});
  // Its intent is forgotten before its run has ended: the run still answers.
  f.db->exec("DELETE FROM rm_intent");
  CHECK(require(f.jobs().runs_of(intent.id)).runs == std::vector{run.id});
  CHECK(f.row(run.id).executor_param == "day=1");
  // An empty parameter is a parameter; without one the job's own counts.
  CHECK(f.ask(7, {}, "").param == "");
  CHECK_FALSE(f.ask(7).param);
}

TEST_CASE("a known token with another parameter or other addresses runs nothing", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  f.add_job(8);
  core::manual_trigger request{seven, core::trigger_kind::api, "day=1", {"http://10.0.0.1:9999/"}, 17};
  const auto intent = require(f.jobs().trigger(request, noon));
  auto other_param = request;
  other_param.param = "day=2";
  auto own_param = request;
  own_param.param.reset();
  auto other_address = request;
  other_address.addresses = {"http://10.0.0.2:9999/"};
  auto no_address = request;
  no_address.addresses.clear();
  const auto check = [&] {
    for (const auto& other : {other_param, own_param, other_address, no_address}) {
      // Another node, or this one after a restart.
      const auto refused = f.db->open()->jobs().trigger(other, noon + 5s);
      REQUIRE(error_of(refused) == core::errc::conflict);
      CHECK(refused.error().context.find("job 7 was already triggered with this key") == 0);
    }
    request.addresses = {" http://10.0.0.1:9999/,"}; // the same addresses in another form
    CHECK(require(f.jobs().trigger(request, noon + 5s)).id == intent.id);
    CHECK(f.db->value("SELECT count(*) FROM rm_intent") == "1");
    CHECK(f.db->value("SELECT count(*) FROM rm_audit WHERE action = 'trigger'") == "1");
  };
  check();
  f.claim_intent(intent);
  check(); // it is known until it is swept

  auto neighbour = other_param;
  neighbour.job = core::job_id{8};
  CHECK(require(f.jobs().trigger(neighbour, noon)).id != intent.id);
}

TEST_CASE("users who may see the job can read the result of a manual run", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto viewer_of = [](std::int32_t group) {
    return core::principal{core::user_id{5}, "vera", false, {{core::group_id{group}, core::group_right::viewer}}};
  };
  const auto intent = f.ask(7);
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(1))).waiting);
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(2))) == core::errc::forbidden);
  CHECK(error_of(f.jobs().runs_of(core::intent_id{4711}, viewer_of(1))) == core::errc::not_found);

  // The present group of the job.
  f.db->exec("UPDATE xxl_job_info SET job_group = 2 WHERE id = 7");
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(1))) == core::errc::forbidden);
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(2))).waiting);
  f.db->exec("UPDATE xxl_job_info SET job_group = 1 WHERE id = 7");
  const auto run = f.claim_intent(intent);

  // Without the job the group of the run counts; without both only administrators.
  f.db->exec("DELETE FROM xxl_job_info WHERE id = 7");
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(1))).runs == std::vector{run.id});
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(2))) == core::errc::forbidden);
  f.db->exec("DELETE FROM xxl_job_log");
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(1))) == core::errc::forbidden);
  CHECK(require(f.jobs().runs_of(intent.id)).runs == std::vector{run.id});
}

TEST_CASE("an intent that is not a manual run is not found", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  f.db->exec("INSERT INTO rm_intent (id, kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) VALUES "
             "(90, 'cron', 7, 1000, 0, 0, 0, 0, 1), (91, 'retry', 7, 0, 3, 0, 0, 0, 1)");
  CHECK(error_of(f.jobs().runs_of(core::intent_id{90})) == core::errc::not_found);
  CHECK(error_of(f.jobs().runs_of(core::intent_id{91})) == core::errc::not_found);
}

TEST_CASE("an intent whose job was removed is gone", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto intent = f.ask(7);
  require(f.jobs().remove(seven, true, noon));
  CHECK(error_of(f.jobs().runs_of(intent.id)) == core::errc::not_found);
}

TEST_CASE("CVE-2024-24113: non-administrators send runs only to executors of the group", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES "
             "(1, 'pay', 'Pay', 1, 'http://10.0.0.1:9999/, http://10.0.0.2:9999'), "
             "(2, 'mail', 'Mail', 1, 'http://10.0.0.8:9999/')");
  f.db->exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES "
             "('EXECUTOR', 'pay', 'http://10.0.0.3:9999/', '2024-03-01 12:00:00'), "
             "('EXECUTOR', 'mail', 'http://10.0.0.9:9999/', '2024-03-01 12:00:00'), "
             "('OTHER', 'pay', 'http://10.0.0.7:9999/', '2024-03-01 12:00:00')");
  auto asked = [&](std::vector<std::string> addresses, const core::principal& by) {
    return f.jobs().trigger({seven, core::trigger_kind::manual, {}, std::move(addresses), --f.token}, noon, by);
  };
  for (const auto right : {core::group_right::operate, core::group_right::editor}) {
    const core::principal tom{core::user_id{5}, "tom", false, {{core::group_id{1}, right}, {core::group_id{2}, right}}};
    const auto before = picture(*f.db);
    for (const char* address :
         {"http://evil:80/", "http://10.0.0.1:9999/x", "http://10.0.0.8:9999/", "http://10.0.0.9:9999/", "http://10.0.0.7:9999/",
          "http://10.0.0.1:9999//", "http://10.0.0.1", "http://10.0.0.1:9999@evil/"})
      CHECK(error_of(asked({"http://10.0.0.1:9999/", address}, tom)) == core::errc::forbidden);
    CHECK(picture(*f.db) == before);
    require(asked({}, tom));
    const auto intent =
      require(asked({"http://10.0.0.1:9999", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}, tom));
    CHECK(intent.addresses.size() == 3);
  }
  require(asked({"http://evil:80/"}, core::local_operator()));
}

TEST_CASE("a manual run with a value that does not fit a column is refused", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  auto refused = [&](std::optional<std::string> param, std::vector<std::string> addresses) {
    return error_of(f.jobs().trigger({seven, core::trigger_kind::manual, std::move(param), std::move(addresses), -1}, noon));
  };
  CHECK(refused(std::string(65536, 'x'), {}) == core::errc::invalid_argument);
  CHECK(refused("\xff", {}) == core::errc::invalid_argument);
  CHECK(refused(std::nullopt, {"10.0.0.1"}) == core::errc::invalid_argument);
  CHECK(refused(std::nullopt, {"http://" + std::string(255, 'h')}) == core::errc::invalid_argument);
  CHECK(error_of(f.jobs().trigger({core::job_id{99}, core::trigger_kind::manual, {}, {}, -1}, noon)) == core::errc::not_found);
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("the retry of a run with given addresses keeps them, and so does the next one", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{}, {{"executor_fail_retry_count", "2"}});
  const std::vector<std::string> asked{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/"};
  auto run = f.claim_intent(f.ask(7, asked));
  // Long after its intent was forgotten.
  run = [&] {
    auto retries = f.record({f.answer(run, 500, "refused")}, {}).intents;
    REQUIRE(retries.size() == 1);
    CHECK(retries[0].kind == core::trigger_kind::retry);
    CHECK(retries[0].addresses == asked);
    CHECK(require(f.firings().waiting_intents(noon + 1h, 10)).at(0).addresses == asked);
    return f.claim_intent(retries[0]);
  }();
  f.record({f.answer(run, 200)}, {});
  require(f.store->maintenance().forget_taken_intents(noon + 1h, 100));
  f.db->exec("DELETE FROM rm_intent");
  const auto retries = f.record({}, {f.callback(run, 500, "failed")}).intents;
  REQUIRE(retries.size() == 1);
  CHECK(retries[0].addresses == asked);
}

TEST_CASE("the runs of an intent are forgotten with it, unless a retry may need the addresses", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto plain = f.claim_intent(f.ask(7));
  const auto open = f.claim_intent(f.ask(7, {"http://10.0.0.1:9999/"}));
  const auto done = f.claim_intent(f.ask(7, {"http://10.0.0.1:9999/"}));
  f.record({f.answer(plain, 200), f.answer(open, 200), f.answer(done, 200)}, {f.callback(done, 200)});
  require(f.store->maintenance().forget_taken_intents(noon + 1h, 100));
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run WHERE intent > 0") == table{{text(open.id)}});
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run WHERE addresses IS NOT NULL") == table{{text(open.id)}});
}

TEST_CASE("remove deletes everything of the job except the rows of runs that are being sent", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(8);
  const auto done = f.claimed(7);
  f.record({f.answer(done, 500, "refused")}, {});
  const auto open = f.claim(7).runs.at(0);
  const auto other = f.claim(8).runs.at(0);
  f.db->exec("INSERT INTO rm_job_ext (job, on_unknown) VALUES (7, 'skip')");
  f.db->exec("INSERT INTO xxl_job_logglue (job_id, glue_remark) VALUES (7, 'first')");
  const auto waiting = f.ask(7);
  const auto before = require(f.firings().last_revision());
  require(f.jobs().remove(seven, false, noon));
  CHECK(require(f.firings().last_revision()) > before);
  for (const auto* where :
       {"xxl_job_info WHERE id = 7", "rm_schedule WHERE job = 7", "rm_job_ext", "xxl_job_logglue", "rm_intent"})
    CHECK(f.db->value(std::string{"SELECT count(*) FROM "} + where) == "0");
  CHECK(f.rows("xxl_job_log", "job_id = 7") == "2");
  CHECK(require(f.jobs().runs_on_their_way({&seven, 1})) == 1);
  auto step = require(f.jobs().remove_logs(seven, core::log_id{}, 1));
  CHECK(step.removed == 1);
  REQUIRE(step.after);
  step = require(f.jobs().remove_logs(seven, *step.after, 10));
  CHECK(step.removed == 0);
  CHECK_FALSE(step.after);
  CHECK(f.rows("xxl_job_log", "job_id = 7") == "1");
  CHECK(f.rows("rm_failed_run") == "0");
  f.record({f.answer(open, 200)}, {});
  CHECK(require(f.jobs().runs_on_their_way({&seven, 1})) == 0);
  CHECK(f.row(other.id).trigger_code == 0);
  CHECK(error_of(f.jobs().remove(seven, false, noon)) == core::errc::not_found);
}

TEST_CASE("a declared job is removed only on explicit request", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  const auto job = require(f.jobs().find({std::nullopt, "pay", "settle"})).spec->id;
  CHECK(error_of(f.jobs().remove(job, false, noon)) == core::errc::conflict);
  require(f.jobs().remove(job, true, noon));
  CHECK(error_of(f.jobs().find({std::nullopt, "pay", "settle"})) == core::errc::not_found);
}

TEST_CASE("a manual stop survives applying the same file, and the report names the edited job", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  const auto job = require(f.jobs().find({std::nullopt, "pay", "settle"})).spec->id;
  require(f.jobs().stop(job, noon));
  CHECK(f.apply(pay_set()) == "===");
  CHECK(f.next_of("settle") == "0");
  auto changed = pay_set();
  changed.jobs[0].params = "new";
  CHECK(require(f.try_apply(changed)).edited == std::vector{job});
  CHECK(f.next_of("settle") == "0");
  changed.jobs[0].enabled = false;
  (void) require(f.try_apply(changed));
  changed.jobs[0].enabled = true;
  (void) require(f.try_apply(changed));
  CHECK(f.next_of("settle") == ms(one_at_night));
}

TEST_CASE("runs on their way are those of open claims without a code", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  f.add_job(8);
  const auto first = f.claim(7).runs.at(0);
  f.claim(8);
  const std::vector both{seven, core::job_id{8}};
  CHECK(require(f.jobs().runs_on_their_way(both)) == 2);
  CHECK(require(f.jobs().runs_on_their_way({&seven, 1})) == 1);
  CHECK(require(f.jobs().runs_on_their_way({})) == 0);
  f.record({f.answer(first, 500, "no")}, {});
  CHECK(require(f.jobs().runs_on_their_way(both)) == 1);
  f.db->exec("DELETE FROM rm_claim");
  CHECK(require(f.jobs().runs_on_their_way(both)) == 0);
}

TEST_CASE("a job is found by its id, or by its group and key", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  f.add_job(50, core::time_point{}, {{"job_group", "999"}});
  const auto settle = require(f.jobs().find({std::nullopt, "pay", "settle"}));
  CHECK(settle.spec->handler == require(f.jobs().find({settle.spec->id})).spec->handler);
  CHECK(settle.next == one_at_night);
  CHECK(require(f.jobs().find({core::job_id{50}})).spec->id == core::job_id{50});
  CHECK(error_of(f.jobs().find({core::job_id{51}})) == core::errc::not_found);
  CHECK(error_of(f.jobs().find({std::nullopt, "other", "settle"})) == core::errc::not_found);
}

TEST_CASE("a manual run whose parameter an old schema's log would cut is refused", "[storage][edits]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  edit_fixture f{mysql_backend()};
  f.add_job(7);
  for (const char* table : {"xxl_job_info", "xxl_job_log"})
    f.db->exec(std::string{"ALTER TABLE "} + table + " MODIFY executor_param VARCHAR(512)");
  auto narrow = f.db->open(); // widths are read with the connection
  auto ask = [&](std::size_t bytes) {
    return narrow->jobs().trigger({seven, core::trigger_kind::manual, std::string(bytes, 'x'), {}, --f.token}, noon);
  };
  CHECK(error_of(ask(513)) == core::errc::invalid_argument);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(require(ask(512)).param->size() == 512);
}

TEST_CASE("count_again: a job that a wrong clock moved ahead fires from now on again", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  const auto far = std::to_string(core::to_ms(noon + 240h));
  f.db->exec("UPDATE rm_schedule SET next_ms = " + far + ", last_ms = " + far + " WHERE job = 7");
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + far + " WHERE id = 7");
  const auto before = f.stored(7);
  const auto done = require(f.jobs().count_again(seven, noon));
  const auto after = f.stored(7);
  REQUIRE(after.next);
  CHECK(after.next == done.next);
  CHECK(*after.next > noon);
  CHECK(*after.next < noon + 240h);
  CHECK(after.last == noon);
  CHECK(after.revision > before.revision);
  CHECK(f.of("trigger_status", 7) == "1");
  SECTION("a stopped one stays stopped") {
    require(f.jobs().stop(seven, noon));
    f.db->exec("UPDATE rm_schedule SET last_ms = " + far + " WHERE job = 7");
    CHECK_FALSE(require(f.jobs().count_again(seven, noon)).next);
    CHECK_FALSE(f.stored(7).next);
    CHECK(f.stored(7).last == noon);
    CHECK(f.of("trigger_status", 7) == "0");
  }
  SECTION("it needs permission to operate") {
    core::principal stranger;
    CHECK(error_of(f.jobs().count_again(seven, noon, stranger)) == core::errc::forbidden);
    CHECK(error_of(f.jobs().count_again(core::job_id{99}, noon)) == core::errc::not_found);
  }
}
