// Barriers of fires with once-listeners: elastic design §4, spec §12.2, §22.9 (LS-1, LS-2).

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/elastic/fire_machine.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::fire_barriers_test {

namespace {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::number;

constexpr steady_time begin{1000h};
constexpr host_process host_a{host_number{1}, host_incarnation{1}};
constexpr host_process host_b{host_number{2}, host_incarnation{1}};
constexpr item_number i0{0}, i1{1}, i2{2};

struct fire_text {
  std::string operator()(const fire_action::write_state& what) const { return ">" + std::to_string(static_cast<int>(what.to)); }
  std::string operator()(const fire_action::start_hook& what) const {
    return std::string{what.hook == before_hook_item ? "before@" : "after@"} + std::to_string(number(what.host.host));
  }
  std::string operator()(const fire_action::release_all&) const { return "go"; }
  std::string operator()(const fire_action::release_one& what) const { return "go:" + std::to_string(number(what.item)); }
  std::string operator()(const fire_action::report_timeout& what) const { return what.before ? "late:before" : "late:after"; }
};

std::string text_of_fire(const fire_decision& decision) {
  if (decision.outcome == fire_decision::kind::stale)
    return "stale";
  std::string out;
  for (const auto& each : decision.actions)
    out += (out.empty() ? "" : " ") + std::visit(fire_text{}, each);
  return out;
}

/// A fire of items 0, 1, 2 with a clock of its own.
struct scripted_fire {
  fire_machine fire;
  steady_time now = begin;

  explicit scripted_fire(std::vector<item_number> expected = {i0, i1, i2}, barrier_limits limits = {3s, 4s})
    : fire{expected, limits} {}

  std::string operator()(const fire_machine_event& what) { return text_of_fire(fire.apply(what, now)); }
  std::string pass() {
    REQUIRE(fire.due_at());
    now = *fire.due_at();
    return (*this)(fire_event::time_passed{});
  }
  void gather() {
    CHECK((*this)(fire_event::arrived{i1, host_a}).empty());
    CHECK((*this)(fire_event::arrived{i0, host_b}).empty());
    CHECK((*this)(fire_event::arrived{i2, host_b}) == ">2 before@2");
  }
  void release() {
    gather();
    CHECK((*this)(fire_event::hook_ended{before_hook_item}) == ">3 go");
  }
};

} // namespace

TEST_CASE("once-listeners run before all items and after all items", "[unit][elastic]") {
  scripted_fire at;
  CHECK(at.fire.holds());
  CHECK_FALSE(at.fire.due_at());
  at.release();
  CHECK_FALSE(at.fire.holds());
  CHECK(at(fire_event::ended{i0, host_b}).empty());
  CHECK(at(fire_event::ended{i2, host_b}).empty());
  CHECK(at(fire_event::ended{i1, host_a}) == ">4 after@1");
  CHECK(at(fire_event::hook_ended{after_hook_item}) == ">5");
  CHECK(at.fire.is_done());
  CHECK_FALSE(at.fire.due_at());
}

TEST_CASE("each event of a fire counts once", "[unit][elastic]") {
  scripted_fire at;
  CHECK(at(fire_event::arrived{i1, host_a}).empty());
  CHECK(at(fire_event::arrived{i1, host_a}) == "stale");
  CHECK(at(fire_event::arrived{item_number{7}, host_a}) == "stale");
  CHECK(at(fire_event::arrived{item_number{-1}, host_a}) == "stale");
  CHECK(at(fire_event::ended{item_number{2'000'000'000}, host_a}) == "stale");
  CHECK(at(fire_event::joined{item_number{2'000'000'000}}).empty());
  CHECK(at.fire.missing() == 2);
  CHECK(at(fire_event::hook_ended{before_hook_item}) == "stale");
  CHECK(at(fire_event::time_passed{}) == "stale");
  CHECK(at(fire_event::arrived{i0, host_a}).empty());
  CHECK(at(fire_event::arrived{i2, host_a}) == ">2 before@1");
  CHECK(at(fire_event::hook_ended{after_hook_item}) == "stale");
  CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
  CHECK(at(fire_event::hook_ended{before_hook_item}) == "stale");
  // The order was lost with a link: the host reports its arrival again.
  CHECK(at(fire_event::arrived{i0, host_a}) == "go:0");
  CHECK(at(fire_event::ended{i0, host_a}).empty());
  CHECK(at(fire_event::ended{i0, host_a}) == "stale");
  CHECK(at(fire_event::arrived{i0, host_a}) == "stale");
}

TEST_CASE("expected items are those that are planned to run", "[unit][elastic]") {
  const std::vector<fire_part> parts{{i0}, {i1, true}, {i2}, {item_number{3}, false, true}, {item_number{4}, false, false, true}};
  CHECK(expected_items(parts) == std::vector{i0, i2});
  CHECK(initial_state(2, true) == fire_state::gathering);
  CHECK(initial_state(2, false) == fire_state::open);
  // An empty fire calls no listener.
  CHECK(initial_state(0, true) == fire_state::done);
}

// LS-2: item 1 is disabled; the hooks run once and nothing is delayed.
TEST_CASE("a disabled item does not delay the barriers", "[unit][elastic]") {
  scripted_fire at{{i0, i2}};
  CHECK(at(fire_event::arrived{i0, host_b}).empty());
  CHECK(at(fire_event::arrived{i2, host_b}) == ">2 before@2");
  CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
  CHECK(at(fire_event::ended{i2, host_b}).empty());
  CHECK(at(fire_event::ended{i0, host_b}) == ">4 after@2");
  CHECK(at.now == begin);
}

TEST_CASE("time-outs count from the first arrival, and items run in spite of them", "[unit][elastic]") {
  scripted_fire at;
  SECTION("an item does not arrive") {
    at.now += 10s;
    CHECK(at(fire_event::arrived{i1, host_a}).empty());
    CHECK(at.fire.due_at() == begin + 13s);
    at.now += 1s;
    CHECK(at(fire_event::arrived{i0, host_a}).empty());
    CHECK(at.pass() == "late:before >3 go");
    CHECK(at.now == begin + 13s);
    CHECK(at(fire_event::arrived{i2, host_b}) == "go:2");
  }
  SECTION("the hook hangs") {
    at.gather();
    CHECK(at.pass() == ">3 go");
    CHECK(at.now == begin + 3s);
    CHECK(at(fire_event::hook_ended{before_hook_item}) == "stale");
  }
  SECTION("an item does not end") {
    at.release();
    CHECK_FALSE(at.fire.due_at());
    at.now += 20s;
    CHECK(at(fire_event::ended{i0, host_a}).empty());
    CHECK(at.pass() == "late:after >5");
    CHECK(at.now == begin + 24s);
    CHECK(at(fire_event::ended{i1, host_a}).empty());
    CHECK(at.fire.is_done());
  }
  SECTION("the hook after all items hangs") {
    at.release();
    for (const auto each : {i0, i1, i2})
      static_cast<void>(at(fire_event::ended{each, host_a}));
    CHECK(at.pass() == ">5");
  }
  SECTION("none is configured: one hour") {
    at.fire = fire_machine{std::vector{i0, i1}, {0s, -1s}};
    CHECK(at(fire_event::arrived{i1, host_a}).empty());
    CHECK(at.fire.due_at() == begin + 1h);
  }
}

TEST_CASE("a participant that is lost leaves the barrier, or its takeover joins", "[unit][elastic]") {
  scripted_fire at;
  SECTION("while others arrive") {
    CHECK(at(fire_event::arrived{i1, host_a}).empty());
    CHECK(at(fire_event::arrived{i2, host_b}).empty());
    SECTION("it leaves") { CHECK(at(fire_event::lost{i0, false}) == ">2 before@2"); }
    SECTION("its takeover arrives") {
      CHECK(at(fire_event::lost{i2, true}).empty());
      CHECK(at(fire_event::arrived{i0, host_a}).empty());
      CHECK(at(fire_event::arrived{i2, host_a}) == ">2 before@1");
    }
    SECTION("the last arrival is lost: the hook runs on the host of the one before") {
      CHECK(at(fire_event::lost{i2, false}).empty());
      CHECK(at(fire_event::lost{i0, false}) == ">2 before@1");
    }
    SECTION("it was cancelled while it held") {
      CHECK(at(fire_event::ended{i2, host_b}).empty());
      CHECK(at(fire_event::ended{i0, host_b}) == ">2 before@1");
      CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
      CHECK(at(fire_event::ended{i1, host_a}) == ">4 after@1");
    }
    SECTION("a takeover without a host does not hold up the items, and counts after them") {
      CHECK(at(fire_event::lost{i0, true, true}) == ">2 before@2");
      CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
      CHECK(at(fire_event::ended{i1, host_a}).empty());
      CHECK(at(fire_event::ended{i2, host_b}).empty());
      CHECK(at(fire_event::ended{i0, host_b}) == ">4 after@2");
    }
    SECTION("all are lost, and their takeovers wait: the hook runs when one arrives") {
      CHECK(at(fire_event::lost{i1, true, true}).empty());
      CHECK(at(fire_event::lost{i2, true, true}).empty());
      CHECK(at(fire_event::lost{i0, true, true}).empty());
      CHECK_FALSE(at.fire.is_done());
      CHECK(at(fire_event::arrived{i1, host_b}) == ">2 before@2");
    }
    SECTION("all are lost") {
      CHECK(at(fire_event::lost{i2, false}).empty());
      CHECK(at(fire_event::lost{i1, false}).empty());
      CHECK(at(fire_event::lost{i0, false}) == ">5");
    }
  }
  SECTION("while the items run") {
    at.release();
    CHECK(at(fire_event::ended{i0, host_a}).empty());
    CHECK(at(fire_event::lost{i1, true}).empty());
    CHECK(at(fire_event::ended{i2, host_b}).empty());
    SECTION("its takeover counts") { CHECK(at(fire_event::ended{i1, host_b}) == ">4 after@2"); }
    SECTION("its takeover gives up") { CHECK(at(fire_event::lost{i1, false}) == ">4 after@2"); }
  }
  SECTION("while the hook runs") {
    at.gather();
    CHECK(at(fire_event::lost{i1, true}).empty());
    CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
    CHECK(at(fire_event::ended{i0, host_a}).empty());
    CHECK(at(fire_event::ended{i2, host_a}).empty());
    CHECK(at(fire_event::ended{i1, host_a}) == ">4 after@1");
  }
  SECTION("all are lost while they run") {
    at.release();
    for (const auto each : {i0, i1})
      CHECK(at(fire_event::lost{each, false}).empty());
    CHECK(at(fire_event::lost{i2, false}) == ">5");
  }
}

TEST_CASE("a fire names the hook that it waits for", "[unit][elastic]") {
  scripted_fire at;
  CHECK_FALSE(at.fire.hook());
  at.gather();
  CHECK(at.fire.hook() == before_hook_item);
  static_cast<void>(at(fire_event::hook_ended{before_hook_item}));
  CHECK_FALSE(at.fire.hook());
  for (const auto each : {i0, i1, i2})
    static_cast<void>(at(fire_event::ended{each, host_a}));
  CHECK(at.fire.hook() == after_hook_item);
  static_cast<void>(at(fire_event::hook_ended{after_hook_item}));
  CHECK_FALSE(at.fire.hook());
}

TEST_CASE("a compensation joins the barrier after the items", "[unit][elastic]") {
  scripted_fire at{{i0, i1}};
  CHECK(at(fire_event::joined{i2}).empty());
  CHECK(at(fire_event::arrived{i0, host_a}).empty());
  // The barrier before the items does not wait for it, but it holds like the others.
  CHECK(at(fire_event::arrived{i1, host_a}) == ">2 before@1");
  CHECK(at(fire_event::arrived{i2, host_b}).empty());
  CHECK(at(fire_event::hook_ended{before_hook_item}) == ">3 go");
  CHECK(at(fire_event::ended{i0, host_a}).empty());
  CHECK(at(fire_event::ended{i1, host_a}).empty());
  CHECK(at(fire_event::ended{i2, host_b}) == ">4 after@2");
  // After that, a compensation stands alone, and nothing holds it.
  CHECK_FALSE(at.fire.may_join());
  CHECK(at(fire_event::joined{item_number{3}}) == "stale");
  CHECK(at(fire_event::arrived{item_number{3}, host_a}) == "go:3");
}

TEST_CASE("a restored fire goes on where it was", "[unit][elastic]") {
  const std::vector all{i0, i1, i2};
  auto fire = fire_machine::restore(fire_state::released, all, std::vector{i0, i2}, {3s, 4s}, begin);
  CHECK(text_of_fire(fire.apply(fire_event::restored{}, begin)).empty());
  CHECK(fire.due_at() == begin + 4s);
  CHECK(text_of_fire(fire.apply(fire_event::ended{i1, host_a}, begin)) == ">4 after@1");
  fire = fire_machine::restore(fire_state::released, all, all, {3s, 4s}, begin);
  CHECK(text_of_fire(fire.apply(fire_event::restored{}, begin)) == ">4 after@0");
  fire = fire_machine::restore(fire_state::gathering, all, {}, {3s, 4s}, begin);
  CHECK(fire.due_at() == begin + 3s);
  CHECK(text_of_fire(fire.apply(fire_event::arrived{i1, host_a}, begin)).empty());
  fire = fire_machine::restore(fire_state::before_hook, all, {}, {3s, 4s}, begin);
  CHECK(text_of_fire(fire.apply(fire_event::hook_ended{before_hook_item}, begin)) == ">3 go");
  fire = fire_machine::restore(fire_state::after_hook, all, all, {3s, 4s}, begin);
  CHECK(text_of_fire(fire.apply(fire_event::hook_ended{after_hook_item}, begin)) == ">5");
}

// G11: any participant may crash at any step.
TEST_CASE("barriers always resolve, and each hook runs at most once", "[unit][elastic]") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 3000; ++round) {
    std::vector<item_number> expected;
    for (int i = 0; i < 1 + static_cast<int>(random() % 4); ++i)
      expected.push_back(item_number{i});
    scripted_fire at{expected};
    std::multiset<std::string> seen;
    const auto note = [&](const std::string& text) {
      for (const char* word : {"before@", "after@", "go "})
        if ((text + " ").find(word) != std::string::npos)
          seen.insert(word);
    };
    const int steps = static_cast<int>(random() % 40);
    for (int i = 0; i < steps; ++i) {
      const item_number item{static_cast<std::int32_t>(random() % 5)};
      switch (random() % 7) {
      case 0:
      case 1: note(at(fire_event::arrived{item, host_a})); break;
      case 2: note(at(fire_event::ended{item, host_b})); break;
      case 3: note(at(fire_event::lost{item, random() % 2 == 0, random() % 2 == 0})); break;
      case 4: note(at(fire_event::joined{item})); break;
      case 5: note(at(fire_event::hook_ended{random() % 2 == 0 ? before_hook_item : after_hook_item})); break;
      case 6:
        at.now += std::chrono::milliseconds{random() % 2000};
        note(at(fire_event::time_passed{}));
        break;
      }
      // A barrier that is complete does not stay.
      REQUIRE(at(fire_event::restored{}).empty());
    }
    // From here on all runs end, hooks hang, and no other event comes: only time passes.
    for (int i = 0; i < 6; ++i)
      note(at(fire_event::ended{item_number{i}, host_a}));
    for (int i = 0; i < 4 && !at.fire.is_done(); ++i)
      note(at.pass());
    REQUIRE(at.fire.is_done());
    for (const char* word : {"before@", "after@", "go "})
      REQUIRE(seen.count(word) <= 1);
  }
}

} // namespace ringmaster::test::fire_barriers_test
