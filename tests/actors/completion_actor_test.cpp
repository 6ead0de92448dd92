#include "actors/firing/completion_actor.hpp"

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::callbacks_stored;

namespace {

core::job_ptr job(std::int32_t id) {
  core::job made;
  made.id = core::job_id{id};
  return std::make_shared<const core::job>(std::move(made));
}

protocol::callback_batch results(std::initializer_list<std::int64_t> runs) {
  protocol::callback_batch batch;
  for (auto run : runs)
    batch.items.push_back({core::log_id{run}, 200, {}, nullptr});
  return batch;
}

/// Store with runs without a result, by their groups.
struct rows_known final : test::forwarding_store {
  using forwarding_store::forwarding_store;

  core::result<std::vector<std::pair<core::log_id, core::group_id>>> without_result(
    std::span<const core::log_id> ids) override {
    ++look_ups;
    looked_up += ids.size();
    if (away)
      return core::fail(core::errc::unavailable, "away");
    std::vector<std::pair<core::log_id, core::group_id>> found;
    for (auto id : ids)
      if (auto run = runs.find(core::number(id)); run != runs.end())
        found.emplace_back(id, core::group_id{run->second});
    return found;
  }

  std::map<std::int64_t, std::int32_t> runs;
  std::size_t look_ups = 0;
  std::size_t looked_up = 0;
  bool away = false;
};

/// Returns results of runs from `first` on, with the token of a group.
protocol::callback_batch of_group(std::int32_t group, std::size_t count, std::int64_t first = 1) {
  const auto only = std::make_shared<const std::vector<core::group_id>>(1, core::group_id{group});
  protocol::callback_batch batch;
  for (std::size_t i = 0; i < count; ++i)
    batch.items.push_back({core::log_id{first + static_cast<std::int64_t>(i)}, 200, {}, nullptr, only});
  return batch;
}

struct completion : test::virtual_time {
  /// Returns the job that the store got for each item of the last batch; 0: none.
  [[nodiscard]] std::vector<std::int32_t> jobs_told() const {
    std::vector<std::int32_t> jobs;
    for (const auto& item : storage.record->callbacks.back().items)
      jobs.push_back(item.spec ? core::number(item.spec->id) : 0);
    return jobs;
  }

  test::memory_database database;
  std::unique_ptr<storage::store> store = database.open();
  rows_known rows{*store};
  std::vector<caf::typed_response_promise<void>> held_tasks;
  test::storage_double storage{*this, *store};
  test::query_worker_double reads{*this, rows};
  protocol::completion_actor actor = spawn<actors::completion_actor_state, protocol::completion_actor>(
    storage.actor, reads.actor, 8000ms, silent_log());
};

using jobs = std::vector<std::int32_t>;

} // namespace

TEST_CASE_METHOD(completion, "a result carries the job that was sent, if it is still known", "[actors]") {
  tell(actor, protocol::sent_runs{{{core::log_id{7}, job(1)}, {core::log_id{8}, job(2)}}});
  CHECK(ask<callbacks_stored>(actor, results({8, 9, 7})));
  CHECK(jobs_told() == jobs{2, 0, 1});
}

TEST_CASE_METHOD(completion, "a late result of an earlier run with the same id is acknowledged and ignored", "[actors]") {
  const auto fired = core::from_ms(1700000000000);
  const auto dated = [](std::int64_t run, core::time_point log_time) {
    return core::callback{core::log_id{run}, 200, {}, nullptr, nullptr, log_time};
  };
  tell(actor, protocol::sent_runs{{{core::log_id{7}, job(1), fired + 900ms}, {core::log_id{8}, job(2), fired}}});
  CHECK(ask<callbacks_stored>(actor, protocol::callback_batch{{dated(7, fired - 60s)}}));
  CHECK(storage.record->callbacks.empty());
  // A result of this run, one of a run that another node sent, and one without a date.
  CHECK(ask<callbacks_stored>(actor, protocol::callback_batch{{dated(7, fired), dated(8, fired + 60s), dated(9, fired)}}));
  CHECK(jobs_told() == jobs{1, 0, 0});
  const auto& told = storage.record->callbacks.back().items;
  CHECK(told[0].log_time == core::time_point{});
  CHECK(told[1].log_time == fired + 60s);
  CHECK(told[2].log_time == fired);
}

TEST_CASE_METHOD(completion, "a stored result is forgotten, and the store looks a repeated one up", "[actors]") {
  tell(actor, protocol::sent_runs{{{core::log_id{7}, job(1)}}});
  CHECK(ask<callbacks_stored>(actor, results({7})));
  CHECK(ask<callbacks_stored>(actor, results({7})));
  CHECK(jobs_told() == jobs{0});
}

TEST_CASE_METHOD(completion, "a result that was not stored is not acknowledged and not forgotten", "[actors]") {
  tell(actor, protocol::sent_runs{{{core::log_id{7}, job(1)}}});
  storage.record->callback_error = core::error{core::errc::too_large, "full"};
  auto reply = ask<callbacks_stored>(actor, results({7}));
  REQUIRE_FALSE(reply);
  CHECK(protocol::to_core(reply.error()) == core::error{core::errc::too_large, "full"});
  storage.record->callback_error.reset();
  CHECK(ask<callbacks_stored>(actor, results({7})));
  CHECK(jobs_told() == jobs{1});
}

TEST_CASE_METHOD(completion, "a caller of a silent store is answered after the time limit", "[actors]") {
  storage.record->silent = true;
  auto pending = later<callbacks_stored>(actor, results({7}));
  advance(7999ms);
  CHECK_FALSE(pending->has_value());
  advance(1ms);
  REQUIRE(pending->has_value());
  REQUIRE_FALSE(**pending);
  CHECK(protocol::to_core((*pending)->error()).code == core::errc::timeout);
}

TEST_CASE_METHOD(completion, "callers beyond the limit are refused at once", "[actors]") {
  storage.record->silent = true;
  for (std::size_t i = 0; i < actors::completion_actor_state::waiting_max; ++i)
    tell(actor, results({7}));
  run();
  auto reply = ask<callbacks_stored>(actor, results({8}));
  REQUIRE_FALSE(reply);
  CHECK(protocol::to_core(reply.error()).code == core::errc::too_large);
  advance(8000ms);
  storage.record->silent = false;
  CHECK(ask<callbacks_stored>(actor, results({8})));
}

TEST_CASE_METHOD(completion, "one group's token fills at most its share of the room", "[actors]") {
  using limits = actors::completion_actor_state;
  for (std::int64_t run = 1; run <= static_cast<std::int64_t>(limits::part_max); ++run)
    rows.runs[run] = 4;
  rows.runs[20'000] = 5;
  storage.record->silent = true;
  SECTION("by requests") {
    for (std::size_t i = 0; i < limits::group_waiting_max; ++i)
      tell(actor, of_group(4, 1));
  }
  SECTION("by results") {
    for (std::size_t i = 0; i < limits::group_results_max / limits::part_max; ++i)
      tell(actor, of_group(4, limits::part_max));
  }
  run();
  auto reply = ask<callbacks_stored>(actor, of_group(4, 1));
  REQUIRE_FALSE(reply);
  CHECK(protocol::to_core(reply.error()).code == core::errc::too_large);
  auto another = later<callbacks_stored>(actor, of_group(5, 1, 20'000));
  auto common = later<callbacks_stored>(actor, results({8}));
  run();
  CHECK_FALSE(another->has_value()); // both wait for the store
  CHECK_FALSE(common->has_value());
  advance(8000ms);
  storage.record->silent = false;
  CHECK(ask<callbacks_stored>(actor, of_group(4, 1)));
}

TEST_CASE_METHOD(completion, "with a group's token, results of unknown runs never reach the writer", "[actors]") {
  rows.runs = {{7, 4}, {8, 5}};
  SECTION("alone") {
    for (std::int64_t i = 0; i < 20; ++i)
      CHECK(ask<callbacks_stored>(actor, of_group(4, 100, 1000 + 100 * i))); // nothing to repeat
    CHECK(storage.record->callbacks.empty());
    CHECK(rows.looked_up == 2000);
  }
  SECTION("together with one of the group, and one of another group") {
    CHECK(ask<callbacks_stored>(actor, of_group(4, 10, 1))); // 1 to 10
    REQUIRE(storage.record->callbacks.size() == 1);
    REQUIRE(storage.record->callbacks[0].items.size() == 1);
    CHECK(storage.record->callbacks[0].items[0].id == core::log_id{7});
    CHECK(storage.record->callbacks[0].items[0].only_of); // the writer compares again
  }
  SECTION("a run that was sent here needs no look-up") {
    core::job sent;
    sent.id = core::job_id{1};
    sent.group = core::group_id{4};
    tell(actor, protocol::sent_runs{{{core::log_id{9}, std::make_shared<const core::job>(sent)}}});
    CHECK(ask<callbacks_stored>(actor, of_group(4, 1, 9)));
    CHECK(storage.record->callbacks.size() == 1);
    CHECK(rows.look_ups == 0);
  }
  SECTION("in parts") {
    constexpr auto part = actors::completion_actor_state::part_max;
    rows.runs[static_cast<std::int64_t>(2 * part) + 1] = 4;
    CHECK(ask<callbacks_stored>(actor, of_group(4, 2 * part + 1)));
    CHECK(rows.look_ups == 3);
    REQUIRE(storage.record->callbacks.size() == 1);
    CHECK(storage.record->callbacks[0].items.size() == 2);
  }
}

TEST_CASE_METHOD(completion, "results that could not be looked up are not acknowledged", "[actors]") {
  rows.runs = {{7, 4}};
  rows.away = true;
  CHECK_FALSE(ask<callbacks_stored>(actor, of_group(4, 1, 7)));
  CHECK_FALSE(ask<callbacks_stored>(actor, of_group(4, 1, 7)));
  CHECK(storage.record->callbacks.empty());
  rows.away = false;
  CHECK(ask<callbacks_stored>(actor, of_group(4, 1, 7)));
  CHECK(storage.record->callbacks.size() == 1);
}

TEST_CASE_METHOD(completion, "a group has one look-up at a time", "[actors]") {
  rows.runs = {{7, 4}, {8, 5}};
  const auto held = track(system().spawn([this](protocol::query_worker::pointer self) -> protocol::query_worker::behavior_type {
    return {[this, self](const protocol::store_task&) -> caf::result<void> {
      held_tasks.push_back(self->make_response_promise<void>());
      return held_tasks.back();
    }};
  }));
  auto slow = spawn<actors::completion_actor_state, protocol::completion_actor>(storage.actor, held, 8000ms, silent_log());
  auto first = later<callbacks_stored>(slow, of_group(4, 1, 7));
  auto second = later<callbacks_stored>(slow, of_group(4, 1, 7));
  auto other = later<callbacks_stored>(slow, of_group(5, 1, 8));
  run();
  CHECK(held_tasks.size() == 2); // one of each group
  advance(8000ms);
  CHECK(held_tasks.size() == 3);
  advance(8000ms);
  for (const auto& each : {first, second, other}) {
    REQUIRE(each->has_value());
    CHECK_FALSE(**each);
  }
  held_tasks.clear();
}

TEST_CASE_METHOD(completion, "a long batch goes to the store in parts, and is answered when all are durable", "[actors]") {
  constexpr auto part = actors::completion_actor_state::part_max;
  protocol::callback_batch batch;
  for (std::size_t i = 0; i < 2 * part + 1; ++i)
    batch.items.push_back({core::log_id{static_cast<std::int64_t>(i) + 1}, 200, {}, nullptr});
  CHECK(ask<callbacks_stored>(actor, batch));
  const auto& stored = storage.record->callbacks;
  REQUIRE(stored.size() == 3);
  CHECK(stored[0].items.size() == part);
  CHECK(stored[1].items.size() == part);
  REQUIRE(stored[2].items.size() == 1);
  CHECK(stored[2].items[0].id == core::log_id{2 * part + 1});
  storage.record->callback_error = core::error{core::errc::unavailable, "away"};
  CHECK_FALSE(ask<callbacks_stored>(actor, batch));
  CHECK(stored.size() <= 4);
}

TEST_CASE_METHOD(completion, "the oldest runs are forgotten first", "[actors]") {
  auto known = job(1);
  protocol::sent_runs many;
  constexpr auto bound = static_cast<std::int64_t>(actors::completion_actor_state::runs_max);
  for (std::int64_t run = 1; run <= bound + 10; ++run)
    many.items.push_back({core::log_id{run}, known});
  tell(actor, std::move(many));
  CHECK(ask<callbacks_stored>(actor, results({10, 11, bound + 10})));
  CHECK(jobs_told() == jobs{0, 1, 1});
}

TEST_CASE_METHOD(completion, "a success of a run that is being killed is a failure, any other result is unchanged", "[actors]") {
  tell(actor, protocol::ending_run{core::log_id{7}, "killed by a user"});
  tell(actor, protocol::ending_run{core::log_id{8}, "killed by a user"});
  auto batch = results({7, 8, 9});
  batch.items[1] = {core::log_id{8}, 502, "too late", nullptr};
  CHECK(ask<callbacks_stored>(actor, std::move(batch)));
  const auto& stored = storage.record->callbacks.back().items;
  CHECK(stored[0].code == 500);
  CHECK(stored[0].message == "killed by a user");
  CHECK(stored[1].code == 502);
  CHECK(stored[1].message == "too late");
  CHECK(stored[2].code == 200);
}

TEST_CASE_METHOD(completion, "a run counts as being killed until its executor refuses, or for a minute", "[actors]") {
  const auto code_of = [this](std::int64_t run) {
    CHECK(ask<callbacks_stored>(actor, results({run})));
    return storage.record->callbacks.back().items.at(0).code;
  };
  for (const auto run : {7, 8, 9})
    tell(actor, protocol::ending_run{core::log_id{run}, "ended"});
  tell(actor, protocol::ending_run{core::log_id{7}, std::nullopt});
  CHECK(code_of(7) == 200);
  advance(59s);
  CHECK(code_of(8) == 500);
  tell(actor, protocol::ending_run{core::log_id{10}, "ended"});
  run();
  advance(1s);
  CHECK(code_of(9) == 200);
  CHECK(code_of(10) == 500);
}

TEST_CASE_METHOD(completion, "beyond the limit the oldest runs that are being killed are forgotten", "[actors]") {
  constexpr auto bound = static_cast<std::int64_t>(actors::completion_actor_state::endings_max);
  for (std::int64_t run = 1; run <= bound + 1; ++run)
    tell(actor, protocol::ending_run{core::log_id{run}, "ended"});
  CHECK(ask<callbacks_stored>(actor, results({1, 2, bound + 1})));
  const auto& stored = storage.record->callbacks.back().items;
  CHECK(stored[0].code == 200);
  CHECK(stored[1].code == 500);
  CHECK(stored[2].code == 500);
}

TEST_CASE_METHOD(completion, "an empty batch does not reach the store", "[actors]") {
  CHECK(ask<callbacks_stored>(actor, results({})));
  CHECK(storage.record->callbacks.empty());
}

TEST_CASE_METHOD(completion, "a group's token reports results of that group's runs only", "[actors]") {
  core::job mine;
  mine.id = core::job_id{1};
  mine.group = core::group_id{4};
  tell(actor, protocol::sent_runs{{{core::log_id{7}, std::make_shared<const core::job>(mine)}}});
  const auto batch_of = [](std::vector<core::group_id> groups, std::initializer_list<std::int64_t> runs) {
    auto batch = results(runs);
    const auto only = std::make_shared<const std::vector<core::group_id>>(std::move(groups));
    for (auto& item : batch.items)
      item.only_of = only;
    return batch;
  };

  // Refused here; XXL's answer is that of the batch. The run is still remembered.
  CHECK(ask<callbacks_stored>(actor, batch_of({core::group_id{5}}, {7})));
  CHECK(storage.record->callbacks.empty());
  rows.runs = {{8, 5}};
  CHECK(ask<callbacks_stored>(actor, batch_of({core::group_id{4}, core::group_id{5}}, {7, 8})));
  REQUIRE(jobs_told() == jobs{1, 0});
  const auto& told = storage.record->callbacks.back().items;
  CHECK_FALSE(told[0].only_of);
  // For this run the store knows the group.
  CHECK(told[1].only_of);
}
