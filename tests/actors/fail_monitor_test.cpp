#include "actors/recovery/fail_monitor.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// Store in which the test decides what the sweep finds.
struct scripted_alarms final : storage::alarm_store {
  core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation&, bool, core::time_point,
                                                      std::size_t) override {
    return std::vector<core::pending_alarm>{};
  }
  core::result<void> finish(const core::node_incarnation&, std::span<const core::alarm_end>) override { return {}; }
  core::result<core::failure_sweep> sweep(core::time_point, bool follow_open, std::size_t limit) override {
    CHECK(follow_open);
    CHECK(limit <= 100); // heartbeats wait for it
    ++sweeps;
    if (answers.empty())
      return core::failure_sweep{};
    auto answer = std::move(answers.front());
    answers.erase(answers.begin());
    return answer;
  }
  core::result<std::size_t> find_recoveries(core::time_point, std::size_t) override {
    ++looks;
    return std::size_t{0};
  }
  int sweeps = 0;
  int looks = 0;
  std::vector<core::result<core::failure_sweep>> answers;
};

struct sweeping_store final : forwarding_store {
  explicit sweeping_store(std::unique_ptr<storage::store> store) : forwarding_store{*store}, inner{std::move(store)} {}
  storage::alarm_store& alarms() override { return own; }
  std::unique_ptr<storage::store> inner;
  scripted_alarms own;
};

struct monitoring : virtual_time {
  memory_database database;
  sweeping_store store{database.open()};
  storage_double storage{*this, store};
  schedule_double schedule{*this};
  protocol::fail_monitor actor = spawn<actors::fail_monitor_state, protocol::fail_monitor>(
    storage.actor, protocol::intent_listener{schedule.actor}, clock(), silent_log());
  void live() { tell(actor, protocol::incarnation_change{core::node_incarnation{"a", 1}}); }
};

} // namespace

TEST_CASE_METHOD(monitoring, "the fail monitor sweeps every ten seconds while the node has an incarnation", "[actors]") {
  advance(30s);
  CHECK(store.own.sweeps == 0);
  live();
  advance(61s);
  CHECK(store.own.sweeps >= 6);
  CHECK(store.own.sweeps <= 7);
  CHECK(store.own.looks == store.own.sweeps);
  tell(actor, protocol::incarnation_change{});
  const auto before = store.own.sweeps;
  advance(1min);
  CHECK(store.own.sweeps == before);
}

TEST_CASE_METHOD(monitoring, "retries go to the planner, and the next section of the log follows soon", "[actors]") {
  core::failure_sweep found;
  found.decided = 2;
  core::intent retry;
  retry.kind = core::trigger_kind::retry;
  retry.origin = core::log_id{12};
  found.intents = {retry};
  found.more = true;
  store.own.answers.emplace_back(found);
  store.own.answers.emplace_back(core::failure_sweep{});
  live();
  advance(4s);
  CHECK(store.own.sweeps == 2);
  REQUIRE(schedule.record->intents.size() == 1);
  CHECK(schedule.record->intents[0].origin == core::log_id{12});
}

TEST_CASE_METHOD(monitoring, "an unavailable store is asked again", "[actors]") {
  store.own.answers.emplace_back(core::fail(core::errc::unavailable, "away"));
  live();
  advance(25s);
  CHECK(store.own.sweeps >= 2);
}
