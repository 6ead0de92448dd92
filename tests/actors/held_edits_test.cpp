#include "actors/console/held_edits.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::clock_verdict;

namespace {

struct holding {
  /// Holds an edit that writes its name when it is made, and its name with `!` when its wait took too long.
  bool hold(const std::string& name, std::optional<int> job, bool needs_verdict = true) {
    actors::held_edits::item one;
    one.go_on = [this, name](bool in_time) { made += name + (in_time ? " " : "! "); };
    if (job)
      one.job = core::job_id{*job};
    one.needs_verdict = needs_verdict;
    return edits.hold(one, now);
  }
  std::string take(clock_verdict verdict) {
    made.clear();
    for (const auto& one : edits.take(verdict, now))
      one.go_on(one.in_time);
    return made;
  }

  actors::held_edits edits{10s};
  actors::held_edits::steady now{};
  std::string made;
};

} // namespace

TEST_CASE_METHOD(holding, "edits wait for the verdict, in their order", "[actors][held_edits]") {
  CHECK(hold("a", 1));
  CHECK(hold("b", 2));
  CHECK(hold("c", 1, false));
  CHECK(take(clock_verdict::pending).empty());
  CHECK(take(clock_verdict::trusted) == "a b c ");
  CHECK(edits.empty());
}

TEST_CASE_METHOD(holding, "an edit that needs no verdict waits only for earlier edits of its job", "[actors][held_edits]") {
  CHECK(hold("start 1", 1));
  now += 1s;
  CHECK(hold("stop 1", 1, false));
  CHECK(hold("save 1", 1, false));
  CHECK(hold("apply", std::nullopt));
  CHECK(hold("stop 2", 2, false));
  CHECK(edits.holds(core::job_id{1}));
  CHECK(edits.holds(core::job_id{3}));
  now += 1s;
  CHECK(take(clock_verdict::pending) == "start 1! stop 1 save 1 ");
  now += 999ms;
  CHECK(take(clock_verdict::pending).empty());
  now += 1ms;
  CHECK(take(clock_verdict::pending) == "apply! stop 2! ");
  CHECK_FALSE(edits.holds(core::job_id{3}));
}

TEST_CASE_METHOD(holding, "an edit waits two seconds, or four fifths of its caller's limit", "[actors][held_edits]") {
  edits = actors::held_edits{100ms};
  CHECK(hold("a", 1));
  now += 79ms;
  CHECK(take(clock_verdict::pending).empty());
  now += 1ms;
  CHECK(take(clock_verdict::trusted) == "a! ");
}

TEST_CASE_METHOD(holding, "an edit that finds no room is left unchanged", "[actors][held_edits]") {
  for (std::size_t i = 0; i < actors::held_edits::held_max; ++i)
    CHECK(hold("a", 1));
  actors::held_edits::item one{[this](bool) { made = "called"; }, core::job_id{2}};
  CHECK_FALSE(edits.hold(one, now));
  one.go_on(true);
  CHECK(made == "called");
}
