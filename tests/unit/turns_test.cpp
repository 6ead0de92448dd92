#include "core/turns.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using ringmaster::core::in_turn;
using ringmaster::core::milliseconds;
using ringmaster::core::turns;

namespace {

constexpr milliseconds limit = 5s;
constexpr std::chrono::steady_clock::time_point begin{1h};

} // namespace

TEST_CASE("who finds no room goes behind those that wait, so many a round", "[core]") {
  turns given{20ms, 3};
  std::vector<milliseconds> waits;
  for (int i = 0; i < 7; ++i)
    waits.push_back(given.wait(begin, limit, limit));
  CHECK(waits == std::vector<milliseconds>{20ms, 20ms, 20ms, 40ms, 40ms, 40ms, 60ms});
  // A later one does not come before them.
  CHECK(given.wait(begin + 15ms, limit, limit) == 45ms);
  CHECK(given.wait(begin + 15ms, limit, limit) == 45ms);
  CHECK(given.wait(begin + 15ms, limit, limit) == 65ms);
}

TEST_CASE("a round that is over is not given out", "[core]") {
  turns given{20ms, 3};
  CHECK(given.wait(begin, limit, limit) == 20ms);
  CHECK(given.wait(begin + 1min, limit, limit) == 20ms);
  CHECK(given.wait(begin + 1min + 500us, limit, limit) == 40ms); // never earlier than a gap from now
}

TEST_CASE("in its round the later one is first", "[core]") {
  turns given{20ms, 100};
  const auto early = given.wait(begin, -200ms, limit);
  const auto due = given.wait(begin, 0ms, limit);
  const auto late = given.wait(begin, 2500ms, limit);
  const auto too_late = given.wait(begin, 1h, limit);
  CHECK(early == due);
  CHECK(due == 39ms);
  CHECK((late > too_late && late < due));
  CHECK(too_late == 20ms);
  CHECK(given.wait(begin, 0ms, 0ms) == 39ms);
}

TEST_CASE("two kinds share what room there is", "[core]") {
  CHECK(in_turn<int>({1, 2, 3}, {10}) == std::vector<int>{1, 10, 2, 3});
  CHECK(in_turn<int>({1}, {10, 20, 30}) == std::vector<int>{1, 10, 20, 30});
  CHECK(in_turn<int>({}, {10}) == std::vector<int>{10});
  CHECK(in_turn<int>({1}, {}) == std::vector<int>{1});
  CHECK(in_turn<int>({}, {}).empty());
}
