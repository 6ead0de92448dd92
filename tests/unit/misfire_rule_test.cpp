// Fires of elastic jobs that are due or late.

#include <vector>

#include "core/elastic/misfire_rule.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::elastic_instants_test {

namespace {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;
using ringmaster::core::schedule;
using ringmaster::core::schedule_options;
using ringmaster::core::schedule_type;
using ringmaster::core::time_point;
using ringmaster::core::zone;

constexpr auto t0 = from_ms(1'700'000'000'000);

schedule every(std::int32_t milliseconds, std::optional<time_point> end = std::nullopt) {
  schedule_options options;
  options.interval_ms = milliseconds;
  options.start_at = t0;
  options.end_at = end;
  return schedule::compile(schedule_type::fixed_rate, "1", zone{}, options).value();
}

planned_fire normal(time_point at) { return {{at, run_source::normal, {}}, false, 1}; }

} // namespace

TEST_CASE("instants that are late by up to five seconds fire in order", "[unit][elastic]") {
  const auto rule = every(2000);
  auto plan = plan_fires(rule, t0, {}, t0, {});
  CHECK(plan.fires == std::vector{normal(t0)});
  CHECK(plan.last == t0);
  CHECK(plan.next == t0 + 2s);
  plan = plan_fires(rule, t0, {}, t0 + 5s, {});
  CHECK(plan.fires == std::vector{normal(t0), normal(t0 + 2s), normal(t0 + 4s)});
  CHECK(plan.last == t0 + 4s);
  CHECK(plan.next == t0 + 6s);
  // Never before its instant.
  plan = plan_fires(rule, t0, {}, t0 - 1ms, {});
  CHECK(plan.fires.empty());
  CHECK(plan.next == t0);
}

TEST_CASE("instants that are later become one fire", "[unit][elastic]") {
  const auto rule = every(2000);
  auto plan = plan_fires(rule, t0, {}, t0 + 5001ms, {});
  CHECK(plan.fires == std::vector{planned_fire{{t0 + 4s, run_source::misfire, {}}, false, 3}});
  CHECK(plan.last == t0 + 4s);
  CHECK(plan.next == t0 + 6s);
  // The key is the same whenever another node plans it.
  CHECK(plan_fires(rule, t0, {}, t0 + 5900ms, {}).fires == plan.fires);
  // Years of missed instants are one fire, too.
  plan = plan_fires(rule, t0, {}, t0 + std::chrono::hours{24 * 365}, {});
  REQUIRE(plan.fires.size() == 1);
  CHECK(plan.fires.front().instants == 24u * 365 * 1800 + 1);
}

TEST_CASE("a missed fire that is too old or unwanted is dropped and counted", "[unit][elastic]") {
  const auto rule = every(10'000);
  const planned_fire dropped{{t0, run_source::normal, {}}, true, 1};
  const planned_fire kept{{t0, run_source::misfire, {}}, false, 1};
  CHECK(plan_fires(rule, t0, {}, t0 + 6s, {false, {}}).fires == std::vector{dropped});
  CHECK(plan_fires(rule, t0, {}, t0 + 6s, {true, 5s}).fires == std::vector{dropped});
  CHECK(plan_fires(rule, t0, {}, t0 + 6s, {true, 6s}).fires == std::vector{kept});
  // By default one period, so that a node that was away for long makes up for the newest instant.
  CHECK(plan_fires(rule, t0, {}, t0 + 9999ms, {}).fires == std::vector{kept});
  CHECK(misfire_max_age_of(rule, t0, {}) == 10s);
}

TEST_CASE("after its end a schedule fires no missed instant", "[unit][elastic]") {
  const auto rule = every(10'000, t0 + 15s);
  const auto plan = plan_fires(rule, t0, {}, t0 + 30s, {});
  CHECK(plan.fires == std::vector{planned_fire{{t0 + 10s, run_source::normal, {}}, true, 2}});
  CHECK_FALSE(plan.next);
  CHECK(misfire_max_age_of(rule, t0 + 10s, {}) == last_misfire_age);
}

TEST_CASE("many instants within the limit are planned in parts", "[unit][elastic]") {
  const auto rule = every(10);
  const auto first = plan_fires(rule, t0, {}, t0 + 4s, {});
  CHECK(first.fires.size() == fires_max);
  REQUIRE(first.next);
  CHECK(*first.next == t0 + 640ms);
  CHECK(plan_fires(rule, *first.next, {}, t0 + 4s, {}).fires.front() == normal(t0 + 640ms));
}

// Spec §22.8, MF-9: the node is paused from T3 to T11, period 4.
TEST_CASE("a pause of the node costs one compensation", "[unit][elastic]") {
  const auto rule = every(4000);
  const auto plan = plan_fires(rule, t0 + 4s, {}, t0 + 11s, {});
  CHECK(plan.fires == std::vector{planned_fire{{t0 + 8s, run_source::misfire, {}}, false, 2}});
  CHECK(plan.next == t0 + 12s);
}

} // namespace ringmaster::test::elastic_instants_test
