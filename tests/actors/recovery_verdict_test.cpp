#include "actors/recovery/recovery_verdict.hpp"

#include "actors/recovery/adoption.hpp"
#include "actors/recovery/recovery_queues.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::recovery_step;
using core::log_id;

namespace {

constexpr actors::unknown_run::steady known_since{1h};

/// Run of a job with the schedule's trigger, 1 s late when this incarnation learnt of it.
struct undecided {
  undecided() {
    run.run.id = log_id{7};
    run.run.plan.address = "http://a/";
    run.run.plan.kind = core::trigger_kind::cron;
    run.run.plan.spec = job;
    run.known_at = run.run.plan.fire_at + 1s;
  }

  [[nodiscard]] std::optional<actors::recovery_verdict> judge(actors::unknown_run::steady t = known_since) const {
    return actors::judge_row(run, &row, 5s, t);
  }
  [[nodiscard]] protocol::send_result outcome(std::int32_t code, std::string message = {}) const {
    protocol::send_result result;
    result.state = protocol::send_state::answered;
    result.code = code;
    result.message = std::move(message);
    return result;
  }

  std::shared_ptr<core::job> job = std::make_shared<core::job>();
  actors::unknown_run run;
  core::log_row row;
};

} // namespace

TEST_CASE_METHOD(undecided, "a run that its row does not decide is asked about", "[actors]") {
  CHECK_FALSE(judge());
  CHECK(actors::step_of(run) == recovery_step::ask);
}

TEST_CASE_METHOD(undecided, "a row that is decided or gone ends the case as delivered", "[actors]") {
  run.permit_refused = true;
  CHECK(actors::judge_row(run, nullptr, 5s, known_since)->code == 200);
  row.trigger_code = 500;
  CHECK(judge()->message == "its row has a trigger result");
  row.trigger_code = 0;
  row.handle_code = 500;
  CHECK(judge()->message == "it has a result");
  CHECK(judge()->code == 200);
}

TEST_CASE_METHOD(undecided, "a run that cannot be sent is failed, or unknown if it may have been sent", "[actors]") {
  run.permit_refused = true;
  CHECK(judge()->delivery_unknown);
  run.permit_refused = false;
  job->on_unknown = core::unknown_policy::skip;
  CHECK(judge()->delivery_unknown);
  run.never_sent = true;
  CHECK_FALSE(judge());
  run.run.plan.spec = nullptr;
  CHECK(judge()->message.find("its job was deleted") != std::string::npos);
  run.run.plan.address.clear();
  run.run.plan.route_note = "no executor";
  CHECK(judge()->message == "no executor");
  CHECK_FALSE(judge()->delivery_unknown);
}

TEST_CASE_METHOD(undecided, "a misfire counts the time of unclear answers, but not the wait for a turn", "[actors]") {
  job->misfire = core::misfire_policy::do_nothing;
  CHECK_FALSE(actors::is_missed(run, 5s, known_since + 1h));
  run.asked_since = known_since + 1h;
  CHECK_FALSE(actors::is_missed(run, 5s, known_since + 1h + 4s));
  CHECK(actors::is_missed(run, 5s, known_since + 1h + 4s + 1ms));
  run.never_sent = true;
  CHECK(judge(known_since + 2h)->delivery_unknown);
  run.run.plan.kind = core::trigger_kind::manual;
  CHECK_FALSE(judge(known_since + 2h));
}

TEST_CASE_METHOD(undecided, "only a job that says resend is sent without asking its executor", "[actors]") {
  job->on_unknown = core::unknown_policy::resend;
  CHECK(actors::step_of(run) == recovery_step::permit);
  run.repeated = true;
  CHECK(actors::step_of(run) == recovery_step::ask);
  run.repeated = false;
  run.run.attempt = 1;
  CHECK(actors::step_of(run) == recovery_step::ask);
  run.permitted = true;
  CHECK(actors::step_of(run) == recovery_step::send);
  job->block = core::block_strategy::cover_early;
  CHECK(actors::step_of(run) == recovery_step::ask);
  run.never_sent = true;
  CHECK(actors::step_of(run) == recovery_step::send);
}

TEST_CASE_METHOD(undecided, "a denied run is sent once more at most", "[actors]") {
  CHECK(actors::step_after_denial(run) == recovery_step::permit);
  run.run.attempt = 1;
  CHECK_FALSE(actors::step_after_denial(run));
  run.permitted = true;
  CHECK(actors::step_after_denial(run) == recovery_step::send);
}

TEST_CASE_METHOD(undecided, "a refusal of the second sending fails the run only if the first never arrived", "[actors]") {
  CHECK(actors::judge_answer(run, outcome(200)).code == 200);
  CHECK(actors::judge_answer(run, outcome(500, "block")).delivery_unknown);
  run.never_came = true;
  CHECK_FALSE(actors::judge_answer(run, outcome(500, "block")).delivery_unknown);
  run.repeated = true;
  auto repeated = outcome(200);
  repeated.repeated = true;
  CHECK(actors::judge_answer(run, repeated).delivery_unknown);
}

TEST_CASE_METHOD(undecided, "a first sending ends the case unless its outcome is unknown", "[actors]") {
  CHECK(actors::judge_first_sending(outcome(200))->code == 200);
  CHECK_FALSE(actors::judge_first_sending(outcome(500))->delivery_unknown);
  auto lost = outcome(0);
  lost.state = protocol::send_state::unknown;
  CHECK_FALSE(actors::judge_first_sending(lost));
}

TEST_CASE("an adoption without an answer is repeated under the same number", "[actors]") {
  actors::adoption adoption;
  REQUIRE(adoption.begin());
  CHECK_FALSE(adoption.begin());
  adoption.failed(known_since + 1s);
  CHECK_FALSE(adoption.is_due(known_since));
  CHECK(adoption.sequence() == actors::adoption::first_sequence);
  REQUIRE(adoption.begin());
  core::adopted_run run;
  run.claim = adoption.sequence() + 3;
  adoption.found({run}, known_since);
  CHECK(adoption.sequence() == actors::adoption::first_sequence + 4);
  CHECK_FALSE(adoption.is_due(known_since + 499ms));
  CHECK(adoption.is_due(known_since + 500ms));
}

TEST_CASE("a fence during an adoption makes the next one follow at once", "[actors]") {
  actors::adoption adoption;
  adoption.note_fence();
  REQUIRE(adoption.begin());
  adoption.found({}, known_since);
  CHECK_FALSE(adoption.is_due(known_since));
  REQUIRE(adoption.begin());
  adoption.note_fence();
  adoption.found({}, known_since);
  CHECK(adoption.is_due(known_since));
}

TEST_CASE("permissions that are needed during a transaction form the next one", "[actors]") {
  actors::permit_queue permits;
  CHECK(permits.take().empty());
  permits.add(log_id{1});
  CHECK(permits.take() == std::vector{log_id{1}});
  permits.add(log_id{2});
  permits.add(log_id{3});
  CHECK(permits.take().empty());
  permits.answered();
  CHECK(permits.take() == std::vector{log_id{2}, log_id{3}});
}

TEST_CASE_METHOD(undecided, "reported runs wait for room and keep their slots until then", "[actors]") {
  actors::unknown_runs known{{.all = 10, .per_address = 6, .per_quiet_address = 2}};
  actors::reported_runs reported;
  for (int i = 1; i <= 3; ++i) {
    run.run.id = log_id{i};
    run.sent = true;
    auto copy = run;
    reported.add(std::move(copy));
  }
  CHECK_FALSE(reported.admit(known, 2).slots.empty());
  CHECK(known.size() == 2);
  CHECK(reported.size() == 1);
  CHECK(reported.admit(known, 2).slots.empty());
  CHECK_FALSE(reported.drop().slots.empty());
  CHECK(reported.size() == 0);
}
