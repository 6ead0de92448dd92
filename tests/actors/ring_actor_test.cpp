#include "actors/firing/ring_actor.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// Runs that the pool got, and when.
struct fired {
  core::time_point at;
  std::vector<std::int64_t> runs;
  friend bool operator==(const fired&, const fired&) = default;
};

struct pool_record {
  std::vector<fired> firings;
  std::vector<protocol::slot_release> freed;
  /// Time of the last run.
  protocol::wall_clock::steady leave_at{};
};

struct ring : test::virtual_time {
  ring() {
    pool = track(system().spawn([this]() -> protocol::trigger_pool::behavior_type {
      return {
        [](const protocol::route_request&) {},
        [this](const protocol::slot_release& freed) { told.freed.push_back(freed); },
        [this](const protocol::firing_batch& batch) {
          fired one{civil(), {}};
          for (const auto& run : batch.runs) {
            one.runs.push_back(core::number(run.id));
            told.leave_at = run.leave_at;
          }
          told.firings.push_back(std::move(one));
        },
        [](const protocol::send_results&) {},
        [](const protocol::registry_change&) {},
        [](const protocol::executor_update&) {},
        [](const protocol::trigger_partners&) {},
        [](const protocol::native_link_update&) {},
        [](const protocol::returned_runs&) {},
        [](const protocol::link_query&) -> caf::result<protocol::link_handle> { return caf::sec::unexpected_message; },
        [](protocol::tick_atom) {},
      };
    }));
    actor = spawn<actors::ring_actor_state, protocol::ring_actor>(pool, ahead, clock());
  }

  static core::claimed_run run_of(std::int64_t id, core::time_point due, std::uint8_t lane = 0) {
    core::claimed_run run;
    run.id = core::log_id{id};
    run.plan.spec = std::make_shared<core::job>();
    run.plan.fire_at = due;
    run.plan.lane = lane;
    return run;
  }
  void hold(std::vector<core::claimed_run> runs) {
    tell(actor, protocol::firing_batch{std::move(runs)});
    run();
  }

  static constexpr auto ahead = 40ms;

  pool_record told;
  protocol::trigger_pool pool;
  protocol::ring_actor actor;
};

} // namespace

TEST_CASE_METHOD(ring, "a run is handed over shortly before its millisecond, once", "[actors]") {
  hold({run_of(1, start + 150ms)});
  advance(150ms - ahead - 1ms);
  CHECK(told.firings.empty());
  advance(1ms);
  CHECK(told.firings == std::vector<fired>{{start + 150ms - ahead, {1}}});
  advance(10s);
  CHECK(told.firings.size() == 1);
}

TEST_CASE_METHOD(ring, "a civil clock that is set back does not delay runs claimed before", "[actors]") {
  auto instant = now() + 150ms;
  hold({run_of(1, start + 150ms)});
  step_civil(-1h);
  advance(150ms);
  REQUIRE(told.firings.size() == 1);
  CHECK(told.leave_at == instant);
}

TEST_CASE_METHOD(ring, "runs leave in the order of their instants; those of one instant together, in the order of their claim",
                 "[actors]") {
  hold({run_of(1, start + 300ms), run_of(2, start + 100ms)});
  hold({run_of(3, start + 200ms), run_of(4, start + 100ms)});
  advance(1s);
  CHECK(told.firings
        == std::vector<fired>{{start + 100ms - ahead, {2, 4}}, {start + 200ms - ahead, {3}}, {start + 300ms - ahead, {1}}});
}

TEST_CASE_METHOD(ring, "an earlier run that arrives later is not delayed by the timer of the later one", "[actors]") {
  hold({run_of(1, start + 500ms)});
  advance(50ms);
  hold({run_of(2, start + 60ms + ahead)});
  advance(450ms);
  CHECK(told.firings == std::vector<fired>{{start + 60ms, {2}}, {start + 500ms - ahead, {1}}});
}

TEST_CASE_METHOD(ring, "a late run leaves at once", "[actors]") {
  hold({run_of(1, start - 3s), run_of(2, start + ahead), run_of(3, start + ahead + 1ms)});
  CHECK(told.firings == std::vector<fired>{{start, {1, 2}}});
}

TEST_CASE_METHOD(ring, "a change of incarnation empties the ring and releases its slots, lane by lane", "[actors]") {
  hold({run_of(1, start + 100ms), run_of(2, start + 200ms, 1), run_of(3, start + 300ms)});
  tell(actor, protocol::incarnation_change{std::nullopt});
  advance(1s);
  CHECK(told.firings.empty());
  protocol::slot_release freed;
  for (std::uint8_t lane : {0, 0, 1})
    freed.slots.add(run_of(9, start, lane).plan);
  CHECK(told.freed == std::vector<protocol::slot_release>{freed});

  hold({run_of(4, civil() + 100ms)});
  advance(100ms);
  REQUIRE(told.firings.size() == 1);
  CHECK(told.firings[0].runs == std::vector<std::int64_t>{4});
}

TEST_CASE_METHOD(ring, "ten thousand runs keep one timer's order", "[actors]") {
  std::vector<core::claimed_run> runs;
  for (std::int64_t i = 0; i < 10'000; ++i)
    runs.push_back(run_of(i, start + std::chrono::milliseconds{(i * 7919) % 1000}));
  hold(std::move(runs));
  advance(1s);
  std::size_t left = 0;
  for (const auto& one : told.firings) {
    left += one.runs.size();
    for (auto id : one.runs)
      CHECK(one.at == std::max(start, start + std::chrono::milliseconds{(id * 7919) % 1000} - ahead));
  }
  CHECK(left == 10'000);
}
