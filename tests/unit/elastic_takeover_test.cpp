// Takeovers of item runs (EJ §8.8, §21.5 R4 and R5, and the choices of host in §22.7).

#include "core/elastic/takeover_rule.hpp"

#include <map>
#include <random>

#include "core/ids.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::elastic::decide_takeovers;
using core::elastic::host_number;
using core::elastic::takeover_action;

namespace {

constexpr core::elastic::takeover_policy failover_on{true};
constexpr host_number first_taker{1}, second_taker{2}, third_taker{3};

/// Returns the hosts of grants as numbers, `-` for an item that waits.
std::string takers(const std::vector<core::elastic::lost_item>& lost, const std::vector<core::elastic::takeover_host>& hosts) {
  std::string numbers;
  for (const auto& each : decide_takeovers(lost, hosts, failover_on))
    numbers += each.action == takeover_action::grant ? std::to_string(core::number(each.host)) : "-";
  return numbers;
}

} // namespace

TEST_CASE("a takeover goes to a host without a run of the job, then to the least loaded", "[elastic]") {
  CHECK(takers({{1}}, {{first_taker, 4, 1, true}, {second_taker, 4, 3, false}}) == "2");
  CHECK(takers({{1}}, {{first_taker, 4, 3, false}, {second_taker, 4, 1, false}}) == "2");
  CHECK(takers({{1}}, {{first_taker, 2, 1, false}, {second_taker, 8, 3, false}}) == "2"); // half of the slots against 3/8
  CHECK(takers({{1}}, {{third_taker, 4, 1, false}, {second_taker, 4, 1, false}}) == "3"); // the order of the job
  CHECK(takers({{1}}, {{first_taker, 4, 4, false}, {second_taker, 4, 3, true}}) == "2");  // no free slot
  CHECK(takers({{1}}, {{first_taker, 0, 0, false}, {core::elastic::no_host, 4, 0, false}}) == "-");
  CHECK(takers({{1}}, {}) == "-");
}

TEST_CASE("several items spread over the hosts", "[elastic]") {
  // FO-2: both items go to the only host, in parallel.
  CHECK(takers({{0}, {1}}, {{first_taker, 4, 0, false}}) == "11");
  CHECK(takers({{0}, {1}, {2}, {3}}, {{first_taker, 4, 0, false}, {second_taker, 4, 0, false}, {third_taker, 4, 0, true}}) ==
        "1231");
  // FO-16: as many grants as slots.
  std::vector<core::elastic::lost_item> dozen;
  for (std::int32_t item = 0; item < 12; ++item)
    dozen.push_back({item});
  CHECK(takers(dozen, {{first_taker, 5, 1, true}}) == "1111--------");
}

TEST_CASE("a run is taken over failover_max times", "[elastic]") {
  const std::vector<core::elastic::takeover_host> hosts{{first_taker, 4, 0, false}};
  using list = std::vector<core::elastic::takeover>;
  const std::vector<core::elastic::lost_item> lost{{7, 1}, {8, 3}, {9, 4}};
  // FO-3: attempts 2 and 3 after two crashes.
  CHECK(decide_takeovers(lost, hosts, failover_on) == list{{7, takeover_action::grant, first_taker, 2},
                                                           {8, takeover_action::grant, first_taker, 4},
                                                           {9, takeover_action::close_failed, core::elastic::no_host, 4}});
  CHECK(decide_takeovers(lost, {}, failover_on) == list{{7, takeover_action::wait, core::elastic::no_host, 2},
                                                        {8, takeover_action::wait, core::elastic::no_host, 4},
                                                        {9, takeover_action::close_failed, core::elastic::no_host, 4}});
  CHECK(decide_takeovers(lost, hosts, {true, 0})[0].action == takeover_action::close_failed);
  for (const auto& each : decide_takeovers(lost, hosts, {false})) // FO-5
    CHECK(each.action == takeover_action::close_lost);
  CHECK(decide_takeovers({}, hosts, failover_on).empty());
}

TEST_CASE("takeovers never exceed the slots of a host, and wait only if none is free", "[elastic]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 500; ++round) {
    std::vector<core::elastic::takeover_host> hosts;
    std::int32_t slots = 0;
    for (std::int32_t i = 0, count = static_cast<std::int32_t>(random() % 8); i < count; ++i) {
      hosts.push_back({host_number{i + 1}, static_cast<std::int32_t>(random() % 6), static_cast<std::int32_t>(random() % 6),
                       random() % 2 == 0});
      slots += std::max(0, hosts.back().capacity - hosts.back().used);
    }
    std::vector<core::elastic::lost_item> lost(random() % 30);
    const auto decided = decide_takeovers(lost, hosts, failover_on);
    REQUIRE(decided.size() == lost.size());
    std::map<host_number, std::int32_t> grants;
    for (const auto& each : decided)
      grants[each.host] += each.action == takeover_action::grant ? 1 : 0;
    std::int32_t granted = 0;
    for (const auto& each : hosts) {
      REQUIRE(grants[each.host] <= std::max(0, each.capacity - each.used));
      granted += grants[each.host];
    }
    REQUIRE(granted == std::min(slots, static_cast<std::int32_t>(lost.size())));
  }
}
