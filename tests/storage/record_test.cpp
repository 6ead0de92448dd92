// T3 and T4: results of triggers and of runs, in every order.

#include <atomic>
#include <thread>

#include "core/run/trigger_note.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

std::pair<std::int32_t, std::int32_t> codes(firing_fixture& f, const core::claimed_run& run) {
  auto row = f.row(run.id);
  return {row.trigger_code, row.handle_code};
}

} // namespace

TEST_CASE("an accepted trigger is recorded in place", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  auto note = f.row(run.id).trigger_msg;
  auto outcome = f.record({f.answer(run, 200)}, {});
  CHECK(outcome.triggers_stored == 1);
  CHECK(outcome.callbacks_stored == 0);
  CHECK(outcome.intents.empty());
  CHECK_FALSE(outcome.fenced);
  auto row = f.row(run.id);
  CHECK(row.trigger_code == 200);
  CHECK(row.trigger_msg == note);
  CHECK(row.handle_code == 0);
  CHECK(row.alarm_status == 0);
}

TEST_CASE("a message of a trigger follows its note", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  auto code = GENERATE(200, 500);
  f.record({f.answer(run, code, "block strategy effect: Discard Later; it's \"full\"")}, {});
  auto note = core::decode_trigger_note(f.row(run.id).trigger_msg);
  REQUIRE(note);
  CHECK(note->message == "block strategy effect: Discard Later; it's \"full\"");
  CHECK(note->node_host == "10.0.0.1");
}

TEST_CASE("a run that was never sent has no time of a result", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  f.record({f.answer(run, 500, "refused")}, {});
  CHECK(f.db->value("SELECT handle_time FROM xxl_job_log") == "NULL");
  // The executor received it nevertheless.
  f.record({}, {f.callback(run, 200, "done")});
  CHECK(f.db->value("SELECT handle_time FROM xxl_job_log") == "2024-03-01 12:00:10");
}

TEST_CASE("a result is stored with its time and message", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  f.record({f.answer(run, 200)}, {});
  auto outcome = f.record({}, {f.callback(run, 200, "done: 完成")});
  CHECK(outcome.callbacks_stored == 1);
  auto row = f.row(run.id);
  CHECK(row.handle_code == 200);
  CHECK(row.handle_msg == "done: 完成");
  CHECK(row.handle_time == noon + 10s);
  CHECK(f.db->value("SELECT handle_time FROM xxl_job_log") == "2024-03-01 12:00:10");
}

TEST_CASE("trigger result and callback end in the same row in any order", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  auto order = GENERATE(0, 1, 2);
  auto result = GENERATE(200, 500, 502);
  CAPTURE(order, result);
  if (order == 0) {
    auto outcome = f.record({f.answer(run, 200)}, {f.callback(run, result, "x")});
    CHECK(outcome.triggers_stored == 1);
    CHECK(outcome.callbacks_stored == 1);
  } else if (order == 1) {
    f.record({f.answer(run, 200)}, {});
    CHECK(f.record({}, {f.callback(run, result, "x")}).callbacks_stored == 1);
  } else {
    CHECK(f.record({}, {f.callback(run, result, "x")}).callbacks_stored == 1);
    CHECK(codes(f, run) == std::pair{0, result});
    CHECK(f.record({f.answer(run, 200)}, {}).triggers_stored == 1);
  }
  CHECK(codes(f, run) == std::pair{200, result});
  CHECK(f.row(run.id).handle_msg == "x");
  CHECK(f.rows("rm_failed_run") == (result == 200 ? "0" : "1"));
}

TEST_CASE("runs without a result are returned with their groups", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = f.claimed(7);
  const auto second = f.claimed(8);
  const auto unknown = core::log_id{core::number(second.id) + 1000};
  using groups = std::vector<std::pair<core::log_id, core::group_id>>;
  const auto found = [&](std::vector<core::log_id> ids) { return require(f.store->logs().without_result(ids)); };
  const std::pair of_first{first.id, first.plan.spec->group};
  const std::pair of_second{second.id, second.plan.spec->group};
  CHECK(found({second.id, unknown, first.id, second.id}) == groups{of_first, of_second});
  CHECK(found({}).empty());
  f.record({f.answer(first, 200)}, {});
  CHECK(found({first.id, second.id}) == groups{of_first, of_second});
  f.record({}, {f.callback(first, 500, "x")});
  CHECK(found({first.id, second.id}) == groups{of_second});
  std::vector<core::log_id> many;
  for (std::int64_t id = 1; id <= 2000; ++id)
    many.push_back(core::log_id{id});
  CHECK(found(many).size() == 1);
}

TEST_CASE("a callback is valid only for the groups of its sender", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  f.record({f.answer(run, 200)}, {});
  const auto own = run.plan.spec->group;
  const auto of = [&](std::vector<core::group_id> groups, std::int32_t code, const char* message) {
    auto callback = f.callback(run, code, message);
    callback.spec = nullptr;
    callback.only_of = std::make_shared<const std::vector<core::group_id>>(std::move(groups));
    return callback;
  };
  const core::group_id foreign{core::number(own) + 1};
  const auto code = GENERATE(200, 500);

  auto refused = f.record({}, {of({foreign}, code, "mine now")});
  CHECK(refused.callbacks_stored == 0);
  CHECK(refused.foreign_callbacks == std::vector{run.id});
  CHECK(codes(f, run) == std::pair{200, 0});

  // It does not replace the right callback of the same batch, either.
  auto all = f.callback(run, 200, "done");
  all.spec = nullptr;
  const auto right = GENERATE(true, false);
  auto both = f.record({}, {of({foreign}, code, "mine now"), of({foreign}, 500, "again"),
                            right ? of({own, foreign}, 200, "done") : all});
  CHECK(both.callbacks_stored == 1);
  CHECK(both.foreign_callbacks.empty());
  CHECK(codes(f, run) == std::pair{200, 200});
  CHECK(f.row(run.id).handle_msg == "done");
}

TEST_CASE("a late callback of an earlier run with the same id changes nothing", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 2);
  f.record({f.answer(run, 200)}, {});
  const auto code = GENERATE(200, 500);
  const auto of = [&](core::time_point log_time, const char* message) {
    auto callback = f.callback(run, code, message);
    callback.spec = nullptr;
    callback.log_time = log_time;
    return callback;
  };
  const auto fired = core::cut_to_second(run.plan.fire_at);
  auto late = f.record({}, {of(fired - 60s, "old")});
  CHECK(late.callbacks_stored == 0);
  CHECK(late.outdated_callbacks == std::vector{run.id});
  CHECK(codes(f, run) == std::pair{200, 0});
  CHECK(f.rows("rm_intent") == "0");

  SECTION("it does not replace the right one in a batch") {
    auto both = f.record({}, {of(fired - 60s, "old"), of(fired, "done")});
    CHECK(both.callbacks_stored == 1);
    CHECK(f.row(run.id).handle_msg == "done");
  }
  SECTION("a second more or less is rounding") { CHECK(f.record({}, {of(fired - 1s, "done")}).callbacks_stored == 1); }
  SECTION("its own date") { CHECK(f.record({}, {of(fired, "done")}).callbacks_stored == 1); }
  SECTION("the time at which it ended, which some clients send") {
    CHECK(f.record({}, {of(fired + 3600s, "done")}).callbacks_stored == 1);
  }
  SECTION("no date") { CHECK(f.record({}, {of({}, "done")}).callbacks_stored == 1); }
  CHECK(codes(f, run) == std::pair{200, code});
}

TEST_CASE("dated callbacks of many runs are stored together, outdated ones are left out", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  std::vector<core::claimed_run> runs;
  std::vector<core::callback> callbacks;
  const auto alike = GENERATE(true, false);
  for (std::int32_t job = 1; job <= 14; ++job) {
    runs.push_back(f.claimed(job));
    f.record({f.answer(runs.back(), 200)}, {});
    auto callback = f.callback(runs.back(), 200, alike ? "ok" : "ok " + std::to_string(job));
    callback.spec = nullptr;
    callback.log_time = core::cut_to_second(runs.back().plan.fire_at) - (job == 5 ? 90s : 0s);
    callbacks.push_back(std::move(callback));
  }
  auto outcome = f.record({}, callbacks);
  CHECK(outcome.callbacks_stored == 13);
  CHECK(outcome.outdated_callbacks == std::vector{runs[4].id});
  for (const auto& run : runs)
    CHECK(codes(f, run) == std::pair{200, run.id == runs[4].id ? 0 : 200});
}

TEST_CASE("the first trigger result and the first callback win", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 2);
  SECTION("in one batch") {
    auto outcome =
      f.record({f.answer(run, 200), f.answer(run, 500, "late")}, {f.callback(run, 200, "one"), f.callback(run, 500, "two")});
    CHECK(outcome.triggers_stored == 1);
    CHECK(outcome.callbacks_stored == 1);
  }
  SECTION("later") {
    f.record({f.answer(run, 200)}, {f.callback(run, 200, "one")});
    auto outcome = f.record({f.answer(run, 500, "late")}, {f.callback(run, 500, "two")});
    CHECK(outcome.triggers_stored == 0);
    CHECK(outcome.callbacks_stored == 0);
  }
  SECTION("on another connection") {
    f.record({f.answer(run, 200)}, {f.callback(run, 200, "one")});
    auto other = f.db->open();
    auto batch = f.results();
    batch.triggers = {f.answer(run, 200)};
    batch.callbacks = {f.callback(run, 200, "two")};
    auto outcome = require(other->firings().record(batch, noon + 20s));
    CHECK(outcome.triggers_stored == 0);
    CHECK(outcome.callbacks_stored == 0);
  }
  auto row = f.row(run.id);
  CHECK(row.trigger_code == 200);
  CHECK(row.handle_code == 200);
  CHECK(row.handle_msg == "one");
  CHECK(row.handle_time == noon + 10s);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("rm_failed_run") == "0");
}

TEST_CASE("a code of zero or below is stored as 500", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7);
  f.record({}, {f.callback(run, GENERATE(0, -1, -200))});
  CHECK(f.row(run.id).handle_code == 500);
}

TEST_CASE("other codes are stored unchanged", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto first = f.claimed(7);
  auto second = f.claimed(8);
  f.record({f.answer(first, 404, "?")}, {f.callback(second, 777)});
  CHECK(f.row(first.id).trigger_code == 404);
  CHECK(f.row(second.id).handle_code == 777);
  CHECK(f.rows("rm_failed_run") == "2");
}

TEST_CASE("a failed trigger gives way to a result", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 3);
  auto failure = f.answer(run, 500, "delivery unknown");
  failure.delivery_unknown = GENERATE(false, true);
  SECTION("that already existed") {
    f.record({}, {f.callback(run, 200)});
    f.record({failure}, {});
  }
  SECTION("that arrives with it") { f.record({failure}, {f.callback(run, 200)}); }
  CHECK(codes(f, run) == std::pair{200, 200});
  CHECK(f.row(run.id).fail_retry_count == 3);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("rm_failed_run") == "0");
}

TEST_CASE("a result after a failed trigger still counts", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50);
  auto run = f.claimed(7, 0, {{"child_jobid", "'50'"}});
  f.record({f.answer(run, 500, "no answer")}, {});
  CHECK(f.rows("rm_failed_run") == "1");
  auto outcome = f.record({}, {f.callback(run, 200, "late")});
  CHECK(outcome.callbacks_stored == 1);
  CHECK(outcome.intents.size() == 1);
  CHECK(codes(f, run) == std::pair{500, 200});
  CHECK(f.rows("rm_failed_run") == "0");
}

TEST_CASE("a failed result after a failed trigger starts no second retry", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 3);
  CHECK(f.record({f.answer(run, 500, "refused")}, {}).intents.size() == 1);
  auto outcome = f.record({}, {f.callback(run, 500, "late")});
  CHECK(outcome.callbacks_stored == 1);
  CHECK(outcome.intents.empty());
  CHECK(f.rows("rm_intent") == "1");
  CHECK(f.rows("rm_failed_run") == "1");
}

TEST_CASE("a run of unknown delivery keeps no retries", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 3);
  auto unknown = f.answer(run, 500, "delivery unknown");
  unknown.delivery_unknown = true;
  auto outcome = f.record({unknown}, {});
  CHECK(outcome.triggers_stored == 1);
  CHECK(outcome.intents.empty());
  auto row = f.row(run.id);
  CHECK(row.trigger_code == 500);
  CHECK(row.fail_retry_count == 0);
  CHECK(row.alarm_status == 1);
  CHECK(f.rows("rm_failed_run") == "1");
  // A failing result that arrives later starts none, either.
  CHECK(f.record({}, {f.callback(run, 500)}).intents.empty());
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("a former owner's failures are dropped, its successes are stored", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto accepted = f.claimed(1, 3);
  auto refused = f.claimed(2, 3);
  auto called_back = f.claimed(3, 3);
  auto answered = f.claimed(4, 3);
  auto nodes = require(f.store->cluster().nodes());
  REQUIRE(require(f.store->cluster().fence(nodes[0])));
  auto batch = f.results();
  batch.triggers = {f.answer(accepted, 200), f.answer(refused, 500, "refused"), f.answer(answered, 500, "refused")};
  batch.callbacks = {f.callback(called_back, 500, "broken"), f.callback(answered, 200)};
  batch.resolved_claims = {accepted.claim, refused.claim, called_back.claim, answered.claim};
  auto outcome = require(f.firings().record(batch, noon + 10s));
  CHECK(outcome.fenced);
  CHECK(outcome.triggers_stored == 1);
  CHECK(outcome.callbacks_stored == 2);
  CHECK(codes(f, accepted) == std::pair{200, 0});
  CHECK(codes(f, refused) == std::pair{0, 0});
  CHECK(codes(f, called_back) == std::pair{0, 500});
  // It was delivered, as the result shows, but the adopter has to record that.
  CHECK(codes(f, answered) == std::pair{0, 200});
  CHECK(outcome.intents.size() == 1);
  // The adopter needs them.
  CHECK(f.rows("rm_claim") == "4");
}

TEST_CASE("resolved claims are deleted with the batch", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto first = f.claimed(1);
  auto second = f.claimed(2);
  auto batch = f.results();
  batch.triggers = {f.answer(first, 200)};
  batch.resolved_claims = {first.claim, 999};
  require(f.firings().record(batch, noon));
  CHECK(require(f.firings().open_claims(f.me)) == std::vector{second.claim});
}

TEST_CASE("a deleted row stays deleted", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50);
  auto run = f.claimed(7, 3, {{"child_jobid", "'50'"}});
  f.db->exec("DELETE FROM xxl_job_log");
  auto outcome = f.record({f.answer(run, GENERATE(200, 500))}, {f.callback(run, GENERATE(200, 500), "x")});
  CHECK(outcome.triggers_stored == 0);
  CHECK(outcome.callbacks_stored == 0);
  CHECK(outcome.intents.empty());
  CHECK(f.rows("xxl_job_log") == "0");
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("rm_failed_run") == "0");
}

TEST_CASE("an unknown log id is ignored, a known one in the same batch is stored", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  core::callback stranger{core::log_id{123456789}, 200, "x", nullptr};
  CHECK(f.record({}, {stranger}).callbacks_stored == 0);
  CHECK(f.rows("xxl_job_log") == "0");
  auto run = f.claimed(7);
  const core::callback known = f.callback(run, 200, "y");
  auto batch = GENERATE(false, true) ? std::vector{stranger, known} : std::vector{known, stranger};
  CHECK(f.record({}, batch).callbacks_stored == 1);
  CHECK(codes(f, run) == std::pair{0, 200});
  CHECK(f.rows("xxl_job_log") == "1");
}

TEST_CASE("two identical callbacks at the same moment have one effect", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(51);
  auto run = f.claimed(7, 0, {{"child_jobid", "'51'"}});
  auto batch = f.results();
  batch.callbacks = {f.callback(run, 200, "one")};
  std::atomic<std::size_t> stored{0}, children{0};
  std::vector<std::thread> both;
  for (int i = 0; i < 2; ++i)
    both.emplace_back([&, store = f.db->open()] {
      auto outcome = store->firings().record(batch, noon + 20s);
      // A conflict is tried again, as the actor in front of the store does.
      for (int tries = 0; !outcome && tries < 20; ++tries)
        outcome = store->firings().record(batch, noon + 20s);
      stored += outcome ? outcome->callbacks_stored : 100;
      children += outcome ? outcome->intents.size() : 100;
    });
  for (auto& one : both)
    one.join();
  CHECK(stored == 1);
  CHECK(children == 1);
  CHECK(f.rows("rm_intent", "job = 51") == "1");
  CHECK(codes(f, run) == std::pair{0, 200});
}

TEST_CASE("an empty batch has no effect", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto outcome = f.record({}, {});
  CHECK(outcome.triggers_stored == 0);
  CHECK_FALSE(outcome.fenced);
}

TEST_CASE("batches of every size and mixture are recorded completely", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  int id = 0;
  for (int size : {1, 2, 8, 9, 64, 65, 500, 513, 700}) {
    CAPTURE(size);
    auto batch = f.batch();
    for (int i = 0; i < size; ++i)
      f.plan(batch, f.add_job(++id, noon, {{"executor_fail_retry_count", std::to_string(i % 2)}}));
    auto runs = require(f.firings().claim(batch, noon)).runs;
    REQUIRE(runs.size() == static_cast<std::size_t>(size));
    auto results = f.results();
    std::size_t retries = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      // Accepted only; both; both with a separate text; refused; failed.
      auto kind = i % 5;
      results.triggers.push_back(f.answer(runs[i], kind == 3 ? 500 : 200, kind == 3 ? "refused " + std::to_string(i) : ""));
      if (kind != 0 && kind != 3)
        results.callbacks.push_back(f.callback(runs[i], kind == 4 ? 500 : 200, kind == 2 ? "text " + std::to_string(i) : ""));
      retries += kind >= 3 && i % 2 == 1 ? 1u : 0u;
    }
    results.resolved_claims = {batch.sequence};
    auto outcome = require(f.firings().record(results, noon + 10s));
    CHECK(outcome.triggers_stored == runs.size());
    CHECK(outcome.callbacks_stored == results.callbacks.size());
    CHECK(outcome.intents.size() == retries);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto row = f.row(runs[i].id);
      auto kind = i % 5;
      REQUIRE(row.trigger_code == (kind == 3 ? 500 : 200));
      REQUIRE(row.handle_code == (kind == 0 || kind == 3 ? 0 : kind == 4 ? 500 : 200));
      REQUIRE(row.handle_msg == (kind == 2 ? "text " + std::to_string(i) : ""));
      REQUIRE(row.alarm_status == (kind >= 3 ? 1 : 0));
      auto note = core::decode_trigger_note(row.trigger_msg);
      REQUIRE(note);
      REQUIRE(note->message == (kind == 3 ? "refused " + std::to_string(i) : ""));
    }
    CHECK(require(f.firings().open_claims(f.me)).empty());
  }
}
