// Checks of a node that administrators ask for.

#include "actors/maintenance/doctor.hpp"

#include "tests/actors/alarm_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using core::errc;

namespace {

using level = core::finding::level;
using progress = protocol::doctor_report::progress;

/// Examiner whose checks end when the test says so.
class scripted_examiner final : public protocol::examiner {
public:
  bool start(taker take) override {
    if (busy)
      return false;
    ++starts;
    busy = true;
    take_ = std::move(take);
    return true;
  }

  /// Ends a check. Returns whether the others are still wanted.
  bool report(std::vector<core::finding> found, bool done = false) {
    busy = !done;
    return take_(std::move(found), done);
  }

  int starts = 0;
  bool busy = false;

private:
  taker take_;
};

struct doctor_world : virtual_time {
  doctor_world()
    : actor{spawn<actors::doctor_state, protocol::doctor>(examiner, "node-a", clock(), silent_log())} {
    admin.user = core::user_id{1};
    admin.name = "admin";
    admin.admin = true;
  }

  protocol::doctor_report start() { return *ask<protocol::doctor_report>(actor, protocol::start_doctor{admin}); }
  protocol::doctor_report last() { return *ask<protocol::doctor_report>(actor, protocol::doctor_query{admin}); }

  std::shared_ptr<scripted_examiner> examiner = std::make_shared<scripted_examiner>();
  core::principal admin;
  protocol::doctor actor;
};

} // namespace

TEST_CASE_METHOD(doctor_world, "a report grows with each check and is kept", "[actors][doctor]") {
  CHECK(last().state == progress::none);
  CHECK_FALSE(last().at);
  const auto begun = start();
  CHECK(begun.state == progress::running);
  CHECK(begun.node == "node-a");
  CHECK(begun.at);
  CHECK(examiner->report({{level::fine, "clock", "agrees"}}));
  run();
  CHECK(last().state == progress::running);
  CHECK(last().findings.size() == 1);
  examiner->report({{level::failure, "mode", "bad \xFF text", "change it"}}, true);
  run();
  const auto ended = last();
  CHECK(ended.state == progress::done);
  CHECK(ended.at == begun.at);
  REQUIRE(ended.findings.size() == 2);
  CHECK(ended.findings[1].detail == "bad \xEF\xBF\xBD text");
  CHECK(ended.findings[1].remedy == "change it");
  advance(200s);
  CHECK(last().findings.size() == 2);
}

TEST_CASE_METHOD(doctor_world, "a second start answers the report that runs", "[actors][doctor]") {
  start();
  examiner->report({{level::fine, "clock", "agrees"}});
  run();
  const auto second = start();
  CHECK(second.state == progress::running);
  CHECK(second.findings.size() == 1);
  CHECK(examiner->starts == 1);
  examiner->report({}, true);
  run();
  CHECK(start().findings.empty());
  CHECK(examiner->starts == 2);
}

TEST_CASE_METHOD(doctor_world, "a check that hangs ends the report at its time limit", "[actors][doctor]") {
  start();
  examiner->report({{level::fine, "clock", "agrees"}});
  run();
  advance(actors::doctor_state::patience);
  const auto late = last();
  CHECK(late.state == progress::done);
  REQUIRE(late.findings.size() == 2);
  CHECK(late.findings[1].what == "time limit");
  CHECK(late.findings[1].detail == "the checks did not end within 120 s; the last one that ended: clock");
  const auto refused = ask<protocol::doctor_report>(actor, protocol::start_doctor{admin});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == errc::unavailable);
  CHECK_FALSE(examiner->report({{level::fine, "mode", "native"}}, true));
  run();
  CHECK(last().findings.size() == 2);
  CHECK(start().state == progress::running);
  CHECK(last().findings.empty());
}

TEST_CASE_METHOD(doctor_world, "only administrators use the doctor", "[actors][doctor]") {
  admin.admin = false;
  for (const auto& refused : {ask<protocol::doctor_report>(actor, protocol::start_doctor{admin}),
                              ask<protocol::doctor_report>(actor, protocol::doctor_query{admin})}) {
    REQUIRE_FALSE(refused);
    CHECK(protocol::to_core(refused.error()).code == errc::forbidden);
  }
  CHECK(examiner->starts == 0);
}
