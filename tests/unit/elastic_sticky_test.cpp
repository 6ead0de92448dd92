// Plans of elastic jobs that keep owners: STICKY and static sharding (EJ §7.6, §21.6, RS-7).

#include <bit>
#include <random>

#include "tests/unit/elastic_hosts.hpp"

using namespace ringmaster;
using core::elastic::gap_reason;
using core::elastic::host_list;
using core::elastic::host_number;
using core::elastic::item_plan;

namespace {

core::elastic::plan_request sticky_request(std::int32_t total, const item_plan* previous) {
  core::elastic::plan_request request;
  request.job = "pay";
  request.total = total;
  request.strategy = "STICKY";
  request.previous = previous;
  return request;
}

core::elastic::plan_request static_request(std::int32_t total, const item_plan* previous,
                                           core::elastic::static_fallback fallback) {
  auto request = sticky_request(total, previous);
  request.strategy = "AVG_ALLOCATION";
  request.is_static = true;
  request.fallback = fallback;
  return request;
}

/// Returns the hosts of `many_elastic_hosts(count)` whose bit is set.
host_list hosts_of_mask(int count, unsigned mask) {
  std::vector<core::elastic::host> present;
  for (const auto& each : test::many_elastic_hosts(count))
    if ((mask >> static_cast<unsigned>(core::number(each.number) - 1) & 1U) != 0)
      present.push_back(each);
  return host_list::make(present).value();
}

/// Returns the greatest number of items that can stay over all balanced plans, by trying each choice of the hosts that get one
/// item more.
std::int32_t most_kept_items(const std::vector<std::int32_t>& has, std::int32_t total) {
  const auto hosts = static_cast<std::int32_t>(has.size());
  std::int32_t most = 0;
  for (unsigned choice = 0; choice < 1U << has.size(); ++choice) {
    if (std::popcount(choice) != total % hosts)
      continue;
    std::int32_t kept = 0;
    for (std::size_t i = 0; i < has.size(); ++i)
      kept += std::min(has[i], total / hosts + static_cast<std::int32_t>(choice >> i & 1U));
    most = std::max(most, kept);
  }
  return most;
}

} // namespace

TEST_CASE("STICKY moves only what balance demands", "[elastic]") {
  const auto plan_of = [](const char* letters, std::int32_t total, const char* previous) {
    const auto before = *previous == '\0' ? std::nullopt : std::optional{item_plan::decode(10, previous).value()};
    return test::plan_text_of(test::planned(test::elastic_hosts(letters), sticky_request(total, before ? &*before : nullptr)),
                              letters);
  };
  CHECK(plan_of("CBA", 10, "") == "C=[0,1,2,3] B=[4,5,6] A=[7,8,9]");
  CHECK(plan_of("CBA", 10, "1:0-4;2:5-9") == "C=[3,4,9] B=[5,6,7,8] A=[0,1,2]"); // C joins: B is first in the order
  CHECK(plan_of("BA", 10, "1:0-2;2:3-5;3:6-9") == "B=[3,4,5,6,7] A=[0,1,2,8,9]"); // C leaves
  CHECK(plan_of("BA", 4, "1:0-4;2:5-9") == "B=[2,3] A=[0,1]");                    // fewer items
  CHECK(plan_of("BA", 12, "1:0-4;2:5-9") == "B=[5,6,7,8,9,10] A=[0,1,2,3,4,11]"); // more items
  CHECK(plan_of("BA", 10, "-:0-9 no_host") == "B=[0,1,2,3,4] A=[5,6,7,8,9]");
  CHECK(plan_of("A", 10, "1:0-9") == "A=[0,1,2,3,4,5,6,7,8,9]");
}

TEST_CASE("STICKY is balanced and moves as few items as possible over joins, leaves and changes of N", "[elastic]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  constexpr int count = 7;
  std::optional<item_plan> previous;
  for (int round = 0; round < 1500; ++round) {
    const auto mask = static_cast<unsigned>(random() % ((1U << count) - 1) + 1);
    const auto total = static_cast<std::int32_t>(round % 3 == 0 || !previous ? random() % 60 + 1 : previous->total());
    CAPTURE(round, mask, total, (previous ? previous->encode() : std::string{}));
    const auto plan = test::planned(hosts_of_mask(count, mask), sticky_request(total, previous ? &*previous : nullptr));
    const auto hosts = std::popcount(mask);
    std::vector<std::int32_t> has;
    std::int32_t kept = 0;
    for (int i = 1; i <= count; ++i) {
      if ((mask >> static_cast<unsigned>(i - 1) & 1U) == 0)
        continue;
      const auto items = plan.count_of(host_number{i});
      REQUIRE((items == total / hosts || items == (total + hosts - 1) / hosts));
      has.push_back(0);
      for (std::int32_t item = 0; previous && item < std::min(total, previous->total()); ++item)
        if (previous->owner_of(item).host == host_number{i}) {
          ++has.back();
          kept += plan.owner_of(item).host == host_number{i} ? 1 : 0;
        }
    }
    REQUIRE(plan.unassigned_count() == 0);
    REQUIRE(kept == most_kept_items(has, total));
    // Planning again changes nothing.
    REQUIRE(test::planned(hosts_of_mask(count, mask), sticky_request(total, &plan)) == plan);
    previous = plan;
  }
}

TEST_CASE("static sharding: items of an absent host wait for it, or are borrowed", "[elastic]") {
  using core::elastic::static_fallback;
  const auto plan_of = [](const char* letters, const item_plan* before, static_fallback fallback, std::int32_t total = 2) {
    return test::planned(test::elastic_hosts(letters), static_request(total, before, fallback));
  };
  const auto first = plan_of("BA", nullptr, static_fallback::wait);
  CHECK(first.encode() == "1:1;2:0");
  // RS-7: B is replaced by C.
  const auto waiting = plan_of("CA", &first, static_fallback::wait);
  CHECK(waiting.encode() == "1:1;-:0 owner_absent@2");
  const auto borrowed = plan_of("CA", &waiting, static_fallback::borrow);
  CHECK(borrowed.encode() == "1:1;3:0 borrowed@2");
  CHECK(plan_of("CA", &borrowed, static_fallback::wait) == waiting);
  CHECK(plan_of("DCA", &borrowed, static_fallback::borrow) == borrowed);
  CHECK(plan_of("A", &borrowed, static_fallback::borrow).encode() == "1:1;1:0 borrowed@2");
  CHECK(plan_of("", &borrowed, static_fallback::borrow).encode() == "-:1 owner_absent@1;-:0 owner_absent@2");
  CHECK(plan_of("CBA", &borrowed, static_fallback::borrow) == first);

  // New items go to the host with the fewest; removed items are forgotten.
  const auto grown = plan_of("CBA", &first, static_fallback::wait, 6);
  CHECK(grown.encode() == "1:1,5;2:0,4;3:2-3");
  CHECK(plan_of("CBA", &grown, static_fallback::wait, 2) == first);
  // Without any home yet, new hosts are homes.
  const auto nothing = plan_of("", nullptr, static_fallback::wait);
  CHECK(nothing.encode() == "-:0-1 no_host");
  CHECK(plan_of("BA", &nothing, static_fallback::wait) == first);
  CHECK(plan_of("", &first, static_fallback::wait, 3).encode() == "-:2 no_host;-:1 owner_absent@1;-:0 owner_absent@2");
}

TEST_CASE("static sharding keeps the home of each item over random absences", "[elastic]") {
  using core::elastic::static_fallback;
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  constexpr int count = 6;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto total = static_cast<std::int32_t>(random() % 50 + 1);
    const auto first = test::planned(hosts_of_mask(count, 0x3F), static_request(total, nullptr, static_fallback::wait));
    auto plan = first;
    for (int round = 0; round < 30; ++round) {
      const auto mask = static_cast<unsigned>(random() % (1U << count));
      const auto fallback = random() % 2 == 0 ? static_fallback::wait : static_fallback::borrow;
      CAPTURE(total, mask, plan.encode());
      plan = item_plan::decode(
                 total, test::planned(hosts_of_mask(count, mask), static_request(total, &plan, fallback)).encode())
                 .value();
      for (std::int32_t item = 0; item < total; ++item) {
        const auto home = first.owner_of(item).host;
        const auto owner = plan.owner_of(item);
        const bool present = (mask >> static_cast<unsigned>(core::number(home) - 1) & 1U) != 0;
        REQUIRE((owner.home == core::elastic::no_host ? owner.host : owner.home) == home);
        REQUIRE((owner.host == home) == present);
        REQUIRE(owner.is_assigned() == (present || (fallback == static_fallback::borrow && mask != 0)));
      }
    }
    CHECK(test::planned(hosts_of_mask(count, 0x3F), static_request(total, &plan, static_fallback::borrow)) == first);
  }
}
