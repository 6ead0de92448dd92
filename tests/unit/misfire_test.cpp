// Reserved instants that were not claimed in time.

#include <map>
#include <memory>

#include "core/schedule/misfire.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

constexpr time_point now = from_ms(1'000'000);

intent reserved(std::int64_t id, std::int32_t job, time_point fire_at, trigger_kind kind = trigger_kind::cron) {
  intent out;
  out.id = intent_id{id};
  out.kind = kind;
  out.job = job_id{job};
  out.fire_at = fire_at;
  return out;
}

/// Job 1 ignores missed instants, job 2 makes them up once, job 9 is unknown.
job_ptr spec_of(job_id id) {
  if (id == job_id{9})
    return nullptr;
  auto spec = std::make_shared<job>();
  spec->id = id;
  spec->misfire = id == job_id{1} ? misfire_policy::do_nothing : misfire_policy::fire_once_now;
  return spec;
}

} // namespace

TEST_CASE("instants on time go on unchanged", "[unit][late_instants]") {
  waiting_misfires none;
  auto settled = apply_misfire_policy({reserved(1, 1, now), reserved(2, 1, now - 5s), reserved(3, 2, now - 5s),
                              reserved(4, 1, {}, trigger_kind::parent), reserved(5, 2, now - 60s, trigger_kind::misfire)},
                             now, 5s, spec_of, none);
  CHECK(settled.go_on.size() == 5);
  CHECK(settled.drop.empty());
}

TEST_CASE("late instants are dropped or made up once, according to the job", "[unit][late_instants]") {
  waiting_misfires none;
  auto settled = apply_misfire_policy({reserved(1, 1, now - 6s), reserved(2, 2, now - 6s), reserved(3, 1, now - 1s),
                              reserved(4, 2, now - 5001ms), reserved(5, 2, now - 8s), reserved(6, 9, now - 60s)},
                             now, 5s, spec_of, none);
  CHECK(settled.drop
        == std::vector<dropped_instant>{{intent_id{1}, {}}, {intent_id{2}, intent_id{4}}, {intent_id{5}, intent_id{4}}});
  std::map<std::int64_t, intent> left;
  for (const auto& one : settled.go_on)
    left[number(one.id)] = one;
  REQUIRE(left.size() == 3);
  CHECK(left.at(3).fire_at == now - 1s);
  CHECK(left.at(4).kind == trigger_kind::misfire);
  CHECK(left.at(4).fire_at == now);
  CHECK(left.at(6).fire_at == now - 60s); // decided when its job is known
}

TEST_CASE("missed instants join a waiting misfire of the job", "[unit][late_instants]") {
  waiting_misfires waiting;
  auto first = apply_misfire_policy({reserved(1, 2, now - 6s)}, now, 5s, spec_of, waiting);
  REQUIRE(first.go_on.size() == 1);
  CHECK(waiting == waiting_misfires{{job_id{2}, intent_id{1}}});
  const auto later = reserved(2, 2, now - 5s);
  CHECK_FALSE(needs_misfire_decision(later, now, 5s, waiting));
  CHECK(needs_misfire_decision(later, now + 1s, 5s, waiting));
  auto second = apply_misfire_policy({later, reserved(3, 2, now), first.go_on[0]}, now + 1s, 5s, spec_of, waiting);
  CHECK(second.drop == std::vector<dropped_instant>{{intent_id{2}, intent_id{1}}});
  REQUIRE(second.go_on.size() == 2);
  CHECK(second.go_on[0].kind == trigger_kind::cron);
  CHECK(second.go_on[1].kind == trigger_kind::misfire);
}

TEST_CASE("one of several reserved misfires runs", "[unit][late_instants]") {
  waiting_misfires waiting;
  const std::vector two{reserved(7, 2, now - 60s, trigger_kind::misfire), reserved(8, 2, now - 20s, trigger_kind::misfire)};
  CHECK(needs_misfire_decision(two[0], now, 5s, waiting));
  auto settled = apply_misfire_policy(std::vector{two}, now, 5s, spec_of, waiting);
  REQUIRE(settled.go_on.size() == 1);
  CHECK(settled.go_on[0].id == intent_id{7});
  CHECK(settled.drop == std::vector<dropped_instant>{{intent_id{8}, intent_id{7}}});
  CHECK_FALSE(needs_misfire_decision(two[0], now, 5s, waiting));
  CHECK(needs_misfire_decision(two[1], now, 5s, waiting));
}
