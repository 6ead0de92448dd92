// The assignment of slots to nodes.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/cluster/slot_map.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::slot_count;
using core::slots_of;

namespace {

using names = std::vector<std::string>;

names nodes(int count, const std::string& prefix = "node-") {
  names all;
  for (int i = 0; i < count; ++i)
    all.push_back(prefix + std::to_string(i));
  return all;
}

/// Returns the owner of each slot; fails if a slot has none or two.
names owners(const names& live) {
  names owner(slot_count);
  for (const auto& node : live) {
    const auto slots = slots_of(node, live);
    for (std::size_t slot = 0; slot < slot_count; ++slot)
      if (slots.test(slot)) {
        REQUIRE(owner[slot].empty());
        owner[slot] = node;
      }
  }
  for (const auto& node : owner)
    REQUIRE_FALSE(node.empty());
  return owner;
}

} // namespace

TEST_CASE("every slot has exactly one owner for any set of live nodes", "[unit][slot_map]") {
  for (int count : {1, 2, 3, 5, 16, 64, 300}) {
    CAPTURE(count);
    owners(nodes(count));
    owners(nodes(count, "10.0.0.1:"));
  }
  CHECK(slots_of("alone", names{"alone"}).all());
}

TEST_CASE("a node that is not up has no slots", "[unit][slot_map]") {
  CHECK(slots_of("node-9", nodes(3)).none());
  CHECK(slots_of("node-0", names{}).none());
}

TEST_CASE("the order of the list and repeated names have no effect", "[unit][slot_map]") {
  auto live = nodes(7);
  const auto before = owners(live);
  constexpr std::uint64_t seed = 3;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 10; ++i) {
    std::shuffle(live.begin(), live.end(), random);
    CHECK(owners(live) == before);
  }
  auto repeated = live;
  repeated.push_back(live.front());
  CHECK(slots_of(live.front(), repeated) == slots_of(live.front(), live));
}

TEST_CASE("a node that leaves or enters moves only its own share", "[unit][slot_map]") {
  for (int count : {2, 3, 10}) {
    const auto more = nodes(count + 1);
    auto fewer = more;
    fewer.pop_back();
    const auto with = owners(more), without = owners(fewer);
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
      CAPTURE(count, slot);
      CHECK((with[slot] == more.back() || with[slot] == without[slot]));
    }
  }
}

TEST_CASE("shares are nearly even", "[unit][slot_map]") {
  for (int count : {2, 3, 4, 8}) {
    const auto live = nodes(count);
    for (const auto& node : live) {
      const auto share = slots_of(node, live).count(), fair = slot_count / live.size();
      CAPTURE(count, node, share);
      CHECK(share > fair / 2);
      CHECK(share < fair * 2);
    }
  }
}

TEST_CASE("releases agree on the map", "[unit][slot_map]") {
  const auto owner = owners({"a", "b", "c"});
  std::string first;
  for (std::size_t slot = 0; slot < 32; ++slot)
    first += owner[slot];
  CHECK(first == "caaabcccccbcbcccbccbccaababbbcbb");
}

TEST_CASE("a job's slot is its id modulo 256", "[unit][slot_map]") {
  CHECK(core::slot_of(core::job_id{0}) == 0);
  CHECK(core::slot_of(core::job_id{257}) == 1);
  CHECK(core::slot_of(core::job_id{2147483647}) == 255);
}

TEST_CASE("the counts of all nodes are the sizes of their shares", "[unit][slot_map]") {
  for (int count : {0, 1, 2, 7, 40}) {
    CAPTURE(count);
    const auto live = nodes(count);
    const auto counts = core::slot_counts(live);
    REQUIRE(counts.size() == live.size());
    for (std::size_t i = 0; i < live.size(); ++i)
      CHECK(counts[i] == slots_of(live[i], live).count());
  }
}
