#include "actors/recovery/unknown_runs.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::unknown_run;
using actors::unknown_runs;
using phase = unknown_run::phase;

namespace {

constexpr unknown_run::steady start{1h};

struct cases {
  unknown_runs runs{{.all = 10, .per_address = 6, .per_quiet_address = 2}};
  std::int64_t last = 0;

  /// Adds ready runs of one executor.
  void ready(const std::string& address, int count) {
    for (int i = 0; i < count; ++i) {
      unknown_run run;
      run.run.id = core::log_id{++last};
      run.run.plan.address = address;
      run.due = start;
      CHECK(runs.add(std::move(run)));
    }
    for (auto id : runs.take_due(start, 1000))
      runs.move(*runs.find(id), phase::ready);
  }

  /// Lets all runs that find a place ask now.
  std::vector<std::string> ask() {
    std::vector<std::string> asked;
    while (auto* run = runs.take_ready()) {
      runs.move(*run, phase::asking);
      asked.push_back(run->run.plan.address);
    }
    return asked;
  }
};

} // namespace

TEST_CASE_METHOD(cases, "an executor has few places until it answers, and then its full number", "[actors]") {
  ready("a", 20);
  CHECK(ask().size() == 2);
  runs.note_answer("a", start);
  CHECK(ask().size() == 4);
  ready("b", 20);
  runs.note_answer("b", start);
  CHECK(ask() == std::vector<std::string>(4, "b"));
}

TEST_CASE_METHOD(cases, "an executor is silent after three failures in a row or one at the time limit", "[actors]") {
  ready("a", 1);
  const auto& run = *runs.find(core::log_id{1});
  for (int i = 0; i < 2; ++i)
    runs.note_failure("a", false, start + 1s, "reset");
  CHECK_FALSE(runs.silence(run, start));
  SECTION("an answer between them") {
    runs.note_answer("a", start);
    runs.note_failure("a", false, start + 1s, "reset");
    CHECK_FALSE(runs.silence(run, start));
  }
  SECTION("the third") {
    runs.note_failure("a", false, start + 1s, "refused");
    REQUIRE(runs.silence(run, start));
    CHECK(*runs.silence(run, start) == "refused");
    runs.note_answer("a", start);
    CHECK_FALSE(runs.silence(run, start));
  }
  SECTION("a time limit") {
    runs.note_failure("a", true, start + 1s, "no reply within 3000 ms");
    CHECK(runs.silence(run, start));
  }
  SECTION("another one") {
    runs.note_failure("b", true, start + 1s, "no reply within 3000 ms");
    CHECK_FALSE(runs.silence(run, start));
  }
}

namespace {

/// Three runs of an executor that has just become silent.
struct silent : cases {
  silent() {
    ready("a", 3);
    runs.note_failure("a", true, start + 1s, "no reply");
    while (auto* run = runs.take_ready()) {
      CHECK(runs.silence(*run, start));
      runs.wait_for_answer(*run, start + 8s);
    }
  }
};

} // namespace

TEST_CASE_METHOD(silent, "one run asks a silent executor for all that wait for it", "[actors]") {
  CHECK(runs.take_due(start + 999ms, 10).empty());
  REQUIRE(runs.take_due(start + 1s, 10) == std::vector{core::log_id{1}});
  CHECK_FALSE(runs.silence(*runs.find(core::log_id{1}), start + 1s));
  CHECK(runs.silence(*runs.find(core::log_id{2}), start + 1s));
  SECTION("it answers") {
    runs.note_answer("a", start + 1s);
    CHECK(runs.take_due(start + 1s, 10) == std::vector{core::log_id{2}, core::log_id{3}});
    CHECK_FALSE(runs.silence(*runs.find(core::log_id{2}), start + 1s));
  }
  SECTION("it does not") {
    runs.note_failure("a", false, start + 2s, "refused");
    runs.wait_for_answer(*runs.find(core::log_id{1}), start + 9s);
    CHECK(runs.take_due(start + 2s, 10) == std::vector{core::log_id{1}});
  }
  SECTION("the asking run is decided meanwhile") {
    runs.erase(core::log_id{1});
    CHECK(runs.take_due(start + 1s, 10) == std::vector{core::log_id{2}});
    CHECK_FALSE(runs.silence(*runs.find(core::log_id{2}), start + 1s));
  }
}

TEST_CASE_METHOD(silent, "a run that is decided while it waits is not waited for", "[actors]") {
  runs.erase(core::log_id{2});
  runs.note_answer("a", start);
  CHECK(runs.take_due(start, 10) == std::vector{core::log_id{1}, core::log_id{3}});
  for (std::int64_t id : {1, 3})
    runs.erase(core::log_id{id});
  CHECK(runs.size() == 0);
  CHECK(runs.take_due(start + 1h, 10).empty());
}
