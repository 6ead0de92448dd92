// Stored names and child lists.

#include <vector>

#include "core/job/job.hpp"
#include "core/run/run.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;

TEST_CASE("stored names are XXL's and are found again", "[unit][job]") {
  CHECK(stored_name(schedule_type::fixed_rate) == "FIX_RATE");
  CHECK(stored_name(misfire_policy::fire_once_now) == "FIRE_ONCE_NOW");
  CHECK(stored_name(block_strategy::cover_early) == "COVER_EARLY");
  CHECK(stored_name(unknown_policy::resend) == "resend");
  for (auto type : {schedule_type::none, schedule_type::cron, schedule_type::fixed_rate})
    CHECK(find_schedule_type(stored_name(type)) == type);
  for (auto policy : {misfire_policy::do_nothing, misfire_policy::fire_once_now})
    CHECK(find_misfire_policy(stored_name(policy)) == policy);
  for (auto block : {block_strategy::serial_execution, block_strategy::discard_later, block_strategy::cover_early})
    CHECK(find_block_strategy(stored_name(block)) == block);
  for (auto policy : {unknown_policy::ask, unknown_policy::skip, unknown_policy::resend})
    CHECK(find_unknown_policy(stored_name(policy)) == policy);
  for (int i = 0; i < static_cast<int>(route_strategy::unknown); ++i) {
    const auto route = static_cast<route_strategy>(i);
    CAPTURE(i);
    CHECK_FALSE(stored_name(route).empty());
    CHECK(find_route_strategy(stored_name(route)) == route);
  }
}

TEST_CASE("look-ups by name are exact", "[unit][job]") {
  for (auto name : {"", "cron", "CRON ", "FIX_DELAY", "FIXED_RATE"})
    CHECK_FALSE(find_schedule_type(name));
  CHECK_FALSE(find_route_strategy("round"));
  CHECK_FALSE(find_route_strategy(""));
  CHECK(stored_name(route_strategy::unknown).empty());
  CHECK_FALSE(find_unknown_policy("ASK"));
}

TEST_CASE("trigger kinds have stable names", "[unit][job]") {
  std::vector<std::string_view> names;
  for (auto kind : {trigger_kind::cron, trigger_kind::misfire, trigger_kind::manual, trigger_kind::parent, trigger_kind::retry,
                    trigger_kind::api})
    names.push_back(to_string(kind));
  CHECK(names == std::vector<std::string_view>{"cron", "misfire", "manual", "parent", "retry", "api"});
}

TEST_CASE("children are the positive numbers of the list, in order, without the job itself", "[unit][job]") {
  const auto children = [](const char* list) {
    job parent;
    parent.id = job_id{7};
    parent.child_jobs = list;
    std::vector<int> ids;
    for (auto id : child_ids(parent))
      ids.push_back(number(id));
    return ids;
  };
  CHECK(children("").empty());
  CHECK(children(",").empty());
  CHECK(children("3") == std::vector{3});
  CHECK(children("9,3,12") == std::vector{9, 3, 12});
  CHECK(children("9,7,3") == std::vector{9, 3});
  CHECK(children("-5,0,x,4x, 4,99999999999,2147483647,,") == std::vector{2147483647});
}
