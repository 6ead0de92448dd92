// The heap of items that wait for their time.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/schedule/firing_heap.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::from_ms;

TEST_CASE("due items leave earliest first, equal times in insertion order", "[unit][firing_heap]") {
  core::firing_heap<std::string> heap;
  heap.push(from_ms(20), "second");
  heap.push(from_ms(10), "first a");
  heap.push(from_ms(10), "first b");
  heap.push(from_ms(21), "later");
  REQUIRE(heap.next() == from_ms(10));
  CHECK(heap.take_due(from_ms(9)).empty());
  CHECK(heap.take_due(from_ms(20)) == std::vector<std::string>{"first a", "first b", "second"});
  CHECK(heap.next() == from_ms(21));
  CHECK(heap.size() == 1);
}

TEST_CASE("a limit leaves the rest due", "[unit][firing_heap]") {
  core::firing_heap<int> heap;
  for (int i = 0; i < 5; ++i)
    heap.push(from_ms(7), i);
  CHECK(heap.take_due(from_ms(7), 2) == std::vector{0, 1});
  CHECK(heap.take_due(from_ms(7), 0).empty());
  CHECK(heap.take_due(from_ms(7)) == std::vector{2, 3, 4});
  CHECK(heap.empty());
  CHECK_FALSE(heap.next());
}

TEST_CASE("a cleared heap is usable again", "[unit][firing_heap]") {
  core::firing_heap<int> heap;
  heap.push(from_ms(1), 1);
  heap.clear();
  CHECK(heap.empty());
  heap.push(from_ms(2), 2);
  CHECK(heap.take_due(from_ms(2)) == std::vector{2});
}

TEST_CASE("the heap sorts like a stable sort", "[unit][firing_heap]") {
  constexpr std::uint64_t seed = 5;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  core::firing_heap<int> heap;
  std::vector<std::pair<core::time_point, int>> expected;
  for (int i = 0; i < 2000; ++i) {
    const auto due = from_ms(static_cast<std::int64_t>(random() % 300));
    heap.push(due, i);
    expected.emplace_back(due, i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> taken;
  for (std::int64_t now = 0; now < 300; now += 7)
    for (int item : heap.take_due(from_ms(now + 6)))
      taken.push_back(item);
  REQUIRE(taken.size() == expected.size());
  for (std::size_t i = 0; i < taken.size(); ++i)
    REQUIRE(taken[i] == expected[i].second);
}
