#include "core/limits/fair_alternator.hpp"
#include "core/limits/retry_pacer.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using ringmaster::core::fair_alternator;
using ringmaster::core::milliseconds;
using ringmaster::core::retry_pacer;

namespace {

constexpr milliseconds limit = 5s;
constexpr std::chrono::steady_clock::time_point begin{1h};

using kind = fair_alternator::kind;

/// Passes over two kinds that want room, with the number of items that found some.
class passes {
public:
  void offer(std::size_t ones, std::size_t others, std::size_t places) {
    std::vector<kind> all(others, kind::other);
    all.insert(all.end(), ones, kind::one);
    const auto order = room_.in_turn(std::move(all), [](kind each) { return each; });
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(places, order.size()));
    for (auto each = order.begin(); each != end; ++each)
      ++(*each == kind::one ? ones_ : others_);
    if (end != order.end()) {
      const auto own = std::count(order.begin(), end, *end);
      room_.answered(*end, own > 0, own < end - order.begin());
    }
  }
  [[nodiscard]] std::size_t found_by(kind which) const { return which == kind::one ? ones_ : others_; }

private:
  fair_alternator room_;
  std::size_t ones_ = 0;
  std::size_t others_ = 0;
};

} // namespace

TEST_CASE("rejected items go after those that wait, a limited number per round", "[core]") {
  retry_pacer given{20ms, 3};
  std::vector<milliseconds> waits;
  for (int i = 0; i < 7; ++i)
    waits.push_back(given.wait(begin, limit, limit));
  CHECK(waits == std::vector<milliseconds>{20ms, 20ms, 20ms, 40ms, 40ms, 40ms, 60ms});
  // A later request does not come before them.
  CHECK(given.wait(begin + 15ms, limit, limit) == 45ms);
  CHECK(given.wait(begin + 15ms, limit, limit) == 45ms);
  CHECK(given.wait(begin + 15ms, limit, limit) == 65ms);
}

TEST_CASE("a past round is not assigned", "[core]") {
  retry_pacer given{20ms, 3};
  CHECK(given.wait(begin, limit, limit) == 20ms);
  CHECK(given.wait(begin + 1min, limit, limit) == 20ms);
  CHECK(given.wait(begin + 1min + 500us, limit, limit) == 40ms); // never earlier than one gap from now
}

TEST_CASE("within a round the later item comes first", "[core]") {
  retry_pacer given{20ms, 100};
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

TEST_CASE("two kinds are offered alternately", "[core]") {
  fair_alternator room;
  const auto ordered = [&room](std::vector<int> all) {
    return room.in_turn(std::move(all), [](int each) { return each < 10 ? kind::one : kind::other; });
  };
  CHECK(ordered({1, 2, 3, 10}) == std::vector<int>{1, 10, 2, 3});
  CHECK(ordered({10, 20, 1, 30}) == std::vector<int>{1, 10, 20, 30});
  CHECK(ordered({10}) == std::vector<int>{10});
  CHECK(ordered({1, 2}) == std::vector<int>{1, 2});
  CHECK(ordered({}).empty());
  room.answered(kind::other, false, true);
  CHECK(ordered({1, 2, 3, 10}) == std::vector<int>{10, 1, 2, 3});
  CHECK(ordered({10, 20, 1, 30}) == std::vector<int>{10, 1, 20, 30});
  CHECK(ordered({1, 2}) == std::vector<int>{1, 2});
}

TEST_CASE("two kinds share room equally, however little a pass has", "[core]") {
  constexpr std::size_t rounds = 2 * fair_alternator::whole_every;
  for (std::size_t places : {1u, 2u, 3u, 7u}) {
    CAPTURE(places);
    passes made;
    for (std::size_t i = 0; i < 10 * rounds; ++i)
      made.offer(10, 10, places);
    CHECK(made.found_by(kind::one) + made.found_by(kind::other) == 10 * rounds * places);
    CHECK(made.found_by(kind::one) >= 4 * rounds * places);
    CHECK(made.found_by(kind::other) >= 4 * rounds * places);
  }
}

TEST_CASE("passes without room change no turn", "[core]") {
  passes made;
  for (int i = 0; i < 100; ++i) {
    made.offer(10, 10, 1); // one free place now, and the rest is offered at once
    made.offer(10, 10, 0);
    made.offer(10, 0, 0);
    made.offer(0, 10, 0);
  }
  CHECK(made.found_by(kind::one) >= 40);
  CHECK(made.found_by(kind::other) >= 40);
}

// Except in passes that offer the other kind as a whole.
TEST_CASE("a kind that is absent from some passes comes first nearly whenever it is present", "[core]") {
  passes made;
  for (int i = 0; i < 160; ++i) {
    made.offer(10, 0, 1);
    made.offer(10, 10, 1);
  }
  CHECK(made.found_by(kind::other) >= 150);
  made = {};
  for (int i = 0; i < 160; ++i) {
    made.offer(0, 10, 1);
    made.offer(10, 10, 1);
    made.offer(0, 10, 1);
  }
  CHECK(made.found_by(kind::one) >= 150);
}

TEST_CASE("a kind that finds all the room it wants leaves the rest to the other", "[core]") {
  passes made;
  for (int i = 0; i < 160; ++i)
    made.offer(1, 10, 4);
  CHECK(made.found_by(kind::one) >= 150);
  CHECK(made.found_by(kind::one) + made.found_by(kind::other) == 640);
}

TEST_CASE("no place goes to one kind permanently, even if other places always have room", "[core]") {
  struct wanted {
    kind what;
    bool full_place;
  };
  for (const auto short_of : {kind::one, kind::other}) {
    const auto rival = short_of == kind::one ? kind::other : kind::one;
    fair_alternator room;
    std::size_t found = 0;
    for (int i = 0; i < 160; ++i) {
      // One place with room for one item, which both kinds want, and another one with room for all, where the first kind always
      // finds some.
      const auto order = room.in_turn(std::vector<wanted>{{rival, true}, {short_of, false}, {rival, true}, {short_of, true}},
                                      [](const wanted& each) { return each.what; });
      const auto winner = std::find_if(order.begin(), order.end(), [](const wanted& each) { return each.full_place; });
      const auto loser = std::find_if(winner + 1, order.end(), [](const wanted& each) { return each.full_place; });
      found += winner->what == short_of ? 1 : 0;
      room.answered(loser->what, loser->what == short_of || winner->what == loser->what,
                    loser->what != short_of || winner->what != loser->what);
    }
    CAPTURE(static_cast<int>(short_of));
    CHECK(found >= 160 / (2 * fair_alternator::whole_every));
  }
}
