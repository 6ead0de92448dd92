// job_admin: edits before the first verdict about the wall clock, and their order.

#include <algorithm>

#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::nightly;
using test::written_job;

namespace {

/// The database has not answered since the start of the node, and the wall clock is ten days ahead.
struct unjudged : written_job {
  unjudged() {
    schedule.record->edit_hints = *registry.hints = 0;
    clock().set_verdict(protocol::clock_verdict::pending);
    step_civil(ahead);
  }
  /// The database answers, and the clock has been set right.
  void judge(protocol::clock_verdict verdict) {
    step_civil(-ahead);
    clock().set_verdict(verdict);
  }
  [[nodiscard]] protocol::trigger_job manual_run() const { return {{job, core::trigger_kind::manual, {}, {}, 0}}; }
  [[nodiscard]] std::string params() {
    return test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->param;
  }
  static core::declared_set nightly_with(const std::string& params) {
    auto declared = nightly();
    declared.jobs[0].params = params;
    return declared;
  }

  static constexpr std::chrono::hours ahead{240};
  core::job_id job = add();
};

/// Returns true if the answer is there and refuses the edit because of the clock.
template <class Answer>
bool refused_by_clock(const Answer& answer) {
  return answer && !*answer && protocol::is_clock_in_doubt(protocol::to_core(answer->error()));
}

} // namespace

TEST_CASE_METHOD(unjudged, "edits that arrive before the first verdict about the wall clock wait for it", "[actors]") {
  const auto& us = core::local_operator();
  const auto added = later<protocol::added_job>(actor, protocol::add_job{draft(), us});
  const auto changed = later<core::job_edit>(actor, protocol::update_job{job, draft(), {}, us});
  const auto started = later<core::job_edit>(actor, protocol::start_job{job});
  const auto triggered = later<core::intent>(actor, manual_run());
  const auto applied = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("new"), false, false});
  advance(std::chrono::milliseconds{1900});
  CHECK_FALSE((*added || *changed || *started || *triggered || *applied));
  CHECK(apply(nightly(), true)); // a dry run stores no instant
  CHECK(hints() == 0);

  SECTION("trusted: they are made, from the time after the verdict") {
    judge(protocol::clock_verdict::trusted);
    advance(std::chrono::milliseconds{20});
    REQUIRE((*added && *changed && *started && *triggered && *applied));
    CHECK((**added && **changed && **triggered && **applied));
    REQUIRE(**started);
    CHECK((**started)->next == start + std::chrono::hours{13});
    CHECK(params() == "new");
  }
  SECTION("not trusted: they are refused at once") {
    judge(protocol::clock_verdict::distrusted);
    advance(std::chrono::milliseconds{20});
    CHECK((refused_by_clock(*added) && refused_by_clock(*changed) && refused_by_clock(*started) && refused_by_clock(*triggered)
           && refused_by_clock(*applied)));
    CHECK(hints() == 0);
  }
  SECTION("no verdict: they are refused after two seconds") {
    advance(std::chrono::milliseconds{200});
    CHECK((refused_by_clock(*added) && refused_by_clock(*changed) && refused_by_clock(*started) && refused_by_clock(*triggered)
           && refused_by_clock(*applied)));
    CHECK(hints() == 0);
    // The next edit waits again.
    const auto again = later<core::intent>(actor, manual_run());
    advance(std::chrono::milliseconds{1000});
    CHECK_FALSE(*again);
    judge(protocol::clock_verdict::trusted);
    advance(std::chrono::milliseconds{20});
    REQUIRE(*again);
    CHECK(**again);
  }
}

TEST_CASE_METHOD(unjudged, "edits beyond the limit of waiting ones are refused at once", "[actors]") {
  std::vector<std::shared_ptr<std::optional<caf::expected<core::intent>>>> waiting;
  for (std::size_t i = 0; i < actors::held_edits::held_max; ++i)
    waiting.push_back(later<core::intent>(actor, manual_run()));
  run();
  const auto beyond = ask<core::intent>(actor, manual_run());
  REQUIRE_FALSE(beyond);
  CHECK(protocol::is_clock_in_doubt(protocol::to_core(beyond.error())));
  judge(protocol::clock_verdict::trusted);
  advance(std::chrono::milliseconds{20});
  CHECK(schedule.record->intents.size() == waiting.size());
  CHECK(std::all_of(waiting.begin(), waiting.end(), [](const auto& each) { return *each && **each; }));
}

TEST_CASE_METHOD(unjudged, "an edit that arrives after the verdict does not overtake those that waited for it", "[actors]") {
  const auto first = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("first"), false, false});
  run();
  judge(protocol::clock_verdict::trusted);
  CHECK(apply(nightly_with("second")));
  REQUIRE(*first);
  CHECK(**first);
  CHECK(params() == "second");
}

// -- order of edits --------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(unjudged, "an edit of a job waits behind an edit of the job that waits for the verdict", "[actors]") {
  const auto& us = core::local_operator();
  const auto other = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
  const auto is_stopped = [this](core::job_id of) { return !test::expect(store.firings().read_jobs({&of, 1})).at(0).next; };
  const auto started = later<core::job_edit>(actor, protocol::start_job{job, us});

  SECTION("all of the job's edits are made in their order, others at once") {
    const auto saved = later<core::job_edit>(actor, protocol::save_source{job, "echo 2", "second", us});
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{job, us});
    const auto removed = later<core::job_edit>(actor, protocol::remove_job{job, false, us});
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{other, us}));
    advance(1900ms);
    CHECK_FALSE((*started || *saved || *stopped || *removed));
    judge(protocol::clock_verdict::trusted);
    advance(20ms);
    REQUIRE((*started && *saved && *stopped && *removed));
    REQUIRE(**started);
    CHECK((**started)->next == start + 13h);
    CHECK((**saved && **stopped && **removed));
    CHECK_FALSE((**stopped)->next);
  }
  SECTION("after the verdict, the waiting edits come first") {
    run();
    judge(protocol::clock_verdict::trusted);
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{job, us}));
    REQUIRE(*started);
    CHECK(**started);
    CHECK(is_stopped(job));
  }
  SECTION("without a verdict, it is made when the edit before it is refused") {
    advance(500ms);
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{job, us});
    advance(1490ms);
    CHECK_FALSE((*started || *stopped));
    advance(20ms);
    CHECK(refused_by_clock(*started));
    REQUIRE(*stopped);
    CHECK(**stopped);
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{job, us})); // at once: no edit waits
  }
  SECTION("declared jobs may be any jobs") {
    const auto applied = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("new"), false, false});
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{other, us});
    run();
    CHECK_FALSE(*stopped);
    judge(protocol::clock_verdict::distrusted);
    advance(20ms);
    CHECK(refused_by_clock(*applied));
    REQUIRE(*stopped);
    CHECK(**stopped);
  }
}

TEST_CASE_METHOD(unjudged, "an edit waits for the verdict no longer than its caller waits for the answer", "[actors]") {
  const auto hurried = spawn_admin(test::with_scripts(), 1s);
  const auto started = later<core::job_edit>(hurried, protocol::start_job{job, core::local_operator()});
  advance(790ms);
  CHECK_FALSE(*started);
  advance(20ms);
  CHECK(refused_by_clock(*started));
}

TEST_CASE_METHOD(unjudged, "an edit whose wait took too long is not made later, whatever the verdict", "[actors]") {
  const auto& us = core::local_operator();
  const auto hurried = spawn_admin(test::with_scripts(), 105ms); // waits 84 ms, between two looks
  const auto started = later<core::job_edit>(hurried, protocol::start_job{job, us});
  const auto applied = later<core::deploy_report>(hurried, protocol::apply_declared{nightly_with("late"), false, false});
  const auto stopped = later<core::job_edit>(hurried, protocol::stop_job{job, us});
  const auto edits_before = *edits.tasks;
  advance(85ms);
  CHECK_FALSE((*started || *applied || *stopped));
  judge(protocol::clock_verdict::trusted);
  advance(10ms);
  CHECK((refused_by_clock(*started) && refused_by_clock(*applied) && refused_by_clock(*stopped)));
  CHECK(*edits.tasks == edits_before);
  CHECK(ask<core::job_edit>(hurried, protocol::start_job{job, us})); // the caller's repeat is the only one
}

TEST_CASE_METHOD(unjudged, "one timer looks at the verdict, however often edits begin to wait", "[actors]") {
  const auto hurried = spawn_admin(test::with_scripts(), 105ms);
  const auto first = later<core::intent>(hurried, manual_run());
  run();
  CHECK(timers_within(10ms) == 1);
  advance(85ms);
  const auto second = later<core::intent>(hurried, manual_run()); // the first has waited too long, before the next look
  run();
  CHECK(refused_by_clock(*first));
  CHECK_FALSE(*second);
  CHECK(timers_within(10ms) == 1);
  advance(200ms);
  CHECK(refused_by_clock(*second));
  CHECK(timers_within(10ms) == 0);
}
