// The decision of a record, over every state and every pair of updates; the remaining retries.

#include "core/run/record_rules.hpp"

#include <memory>

#include "core/run/execution_state.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;

namespace {

std::vector<core::run_row> all_rows() {
  std::vector<core::run_row> rows;
  for (std::int32_t trigger : {0, 200, 500, 404})
    for (std::int32_t handle : {0, 200, 500, 502})
      for (std::int32_t alarm : {-1, 0, 1, 2})
        for (std::int32_t retries : {-1, 0, 3})
          rows.push_back({trigger, handle, alarm, retries});
  return rows;
}

} // namespace

TEST_CASE("every decision is a legal transition, or no write", "[unit]") {
  for (const auto& row : all_rows())
    for (std::int32_t trigger_code : {-1, 200, 500, 404})
      for (std::int32_t callback_code : {-1, 200, 500, 502})
        for (bool unknown : {false, true})
          for (bool current : {false, true}) {
            core::trigger_result trigger{core::log_id{1}, 1, nullptr, trigger_code, "t", unknown};
            core::callback callback{core::log_id{1}, callback_code, "c", nullptr};
            // -1 means no update.
            core::run_update update{core::log_id{1}, trigger_code == -1 ? nullptr : &trigger,
                              callback_code == -1 ? nullptr : &callback};
            CAPTURE(row.trigger_code, row.handle_code, row.alarm_status, row.retries, trigger_code, callback_code, unknown,
                    current);
            auto write = core::decide_write(row, update, current);
            auto trigger_after = write.trigger_code.value_or(row.trigger_code);
            auto handle_after = write.handle_code.value_or(row.handle_code);
            auto before = core::state_of(row.trigger_code, row.handle_code);
            auto after = core::state_of(trigger_after, handle_after);
            // Codes leave 0 once.
            CHECK((!write.trigger_code || (row.trigger_code == 0 && *write.trigger_code != 0)));
            CHECK((!write.handle_code || (row.handle_code == 0 && *write.handle_code > 0)));
            // An existing result leaves the state unchanged.
            CHECK((before == after || core::may_follow(before, after)));
            // A failed trigger is never written if the run is known to have a result.
            bool new_failure = write.trigger_code && *write.trigger_code != 200;
            CHECK_FALSE((new_failure && (handle_after != 0 || !current)));
            // A retry: only of a run that this write makes fail, once, for a known reason, with retries left.
            if (write.retry_left) {
              CHECK(write.failed);
              CHECK(write.mark_alarm);
              CHECK(row.alarm_status == 0);
              CHECK(row.retries > 0);
              CHECK_FALSE((unknown && new_failure));
            }
            CHECK(write.children == (write.handle_code == 200));
            CHECK((write.failed || !write.mark_alarm));
            CHECK_FALSE((write.failed && write.not_failed));
            CHECK((write.trigger_stored || write.callback_stored || write.failed) <= write.writes_row());
          }
}

TEST_CASE("a failure with retries left is retried exactly when its decision is still open", "[unit]") {
  core::trigger_result trigger{core::log_id{1}, 1, nullptr, 500, "", false};
  CHECK(core::decide_write({0, 0, 0, 1}, {core::log_id{1}, &trigger, nullptr}, true).retry_left);
  CHECK_FALSE(core::decide_write({0, 0, 1, 1}, {core::log_id{1}, &trigger, nullptr}, true).retry_left);
  CHECK_FALSE(core::decide_write({0, 0, 0, 0}, {core::log_id{1}, &trigger, nullptr}, true).retry_left);
  CHECK_FALSE(core::decide_write({0, 0, 0, 1}, {core::log_id{1}, &trigger, nullptr}, false).writes_row());
  trigger.delivery_unknown = true;
  auto unknown = core::decide_write({0, 0, 0, 1}, {core::log_id{1}, &trigger, nullptr}, true);
  CHECK_FALSE(unknown.retry_left);
  CHECK(unknown.clear_retries);
}

TEST_CASE("a retry has one retry less than the run that failed", "[unit]") {
  CHECK(core::retries_after_failure(3) == 2);
  CHECK(core::retries_after_failure(1) == 0);
  CHECK_FALSE(core::retries_after_failure(0));
  CHECK_FALSE(core::retries_after_failure(-1));
  core::callback failed{core::log_id{1}, 500, "", nullptr};
  CHECK(core::decide_write({200, 0, 0, 3}, {core::log_id{1}, nullptr, &failed}, true).retry_left == 2);
}

TEST_CASE("a trigger code of 0 is stored as a failure", "[unit]") {
  core::trigger_result trigger{core::log_id{1}, 1, nullptr, 0, "", false};
  CHECK(core::decide_write({}, {core::log_id{1}, &trigger, nullptr}, true).trigger_code == 500);
}

TEST_CASE("updates have one entry per run, in id order, with the first of each kind", "[unit]") {
  core::record_batch batch;
  for (int id : {5, 3, 5})
    batch.triggers.push_back({core::log_id{id}, 0, nullptr, 200 + static_cast<std::int32_t>(batch.triggers.size()), "", false});
  for (int id : {9, 5, 9, 1})
    batch.callbacks.push_back({core::log_id{id}, 100 + static_cast<std::int32_t>(batch.callbacks.size()), "", nullptr});
  auto updates = core::updates_of(batch);
  REQUIRE(updates.size() == 4);
  CHECK(updates[0].id == core::log_id{1});
  CHECK(updates[0].callback->code == 103);
  CHECK(updates[1].id == core::log_id{3});
  CHECK_FALSE(updates[1].callback);
  CHECK(updates[2].trigger->code == 200);
  CHECK(updates[2].callback->code == 101);
  CHECK(updates[3].callback->code == 100);
  CHECK(core::updates_of({}).empty());
}
