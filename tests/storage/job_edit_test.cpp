// Start, stop and removal, on every backend.

#include "tests/storage/edit_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

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
