// Claims of a node's own incarnation that no actor works on.

#include "tests/actors/recovery_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

struct strays : recovery {
  /// Claims a run in this incarnation, without any trace in memory.
  core::claimed_run claim_here() {
    begin();
    former = life; // the fixture claims in its name
    return claim_one();
  }
  void find(const core::claimed_run& run, bool never_sent) {
    tell(actor, protocol::stray_claims{{{run.claim, never_sent}}});
    advance(200ms);
  }
};

} // namespace

TEST_CASE_METHOD(strays, "a run that was never in memory is sent, not asked about", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::skip;
  auto run = claim_here();
  find(run, true);
  CHECK(executor->calls == calls{"run " + id(run) + "/0"});
  CHECK(row(run).trigger_code == 200);
  CHECK(storage.record->opened_claims == std::vector<std::pair<std::int64_t, std::uint32_t>>{{run.claim, 1}});
}

TEST_CASE_METHOD(strays, "its failure is known, like that of any first sending", "[actors]") {
  declare("settle").retry_count = 2;
  auto run = claim_here();
  SECTION("refused") { executor->send = answer(500, "no such handler"); }
  SECTION("not sent") { executor->send = no_answer(protocol::send_state::not_sent); }
  find(run, true);
  CHECK(row(run).trigger_code == 500);
  CHECK(expect(look->firings().waiting_intents(civil() + 1h, 10)).size() == 1);
}

TEST_CASE_METHOD(strays, "a closed gate changes nothing: the run was not sent yet", "[actors]") {
  declare("settle").retry_count = 2;
  auto run = claim_here();
  executor->send = no_answer(protocol::send_state::gate_closed);
  find(run, true);
  CHECK(executor->calls == calls{"run " + id(run) + "/0"});
  CHECK(row(run).trigger_code == 0);
  executor->send = answer(500, "no such handler");
  advance(3s);
  CHECK(executor->calls == calls{"run " + id(run) + "/0", "run " + id(run) + "/0"});
  CHECK(row(run).trigger_code == 500);
  CHECK(row(run).trigger_msg.find("no such handler") != std::string::npos);
  CHECK(expect(look->firings().waiting_intents(civil() + 1h, 10)).size() == 1);
}

TEST_CASE_METHOD(strays, "the executor is asked if the sending got no answer", "[actors]") {
  declare("settle");
  auto run = claim_here();
  executor->send = no_answer(protocol::send_state::unknown);
  executor->log = started;
  find(run, true);
  advance(2s);
  CHECK(executor->calls == calls{"run " + id(run) + "/0", "idle " + job(run), "log " + id(run)});
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(strays, "a run that may have been sent is asked about", "[actors]") {
  declare("settle");
  auto run = claim_here();
  executor->log = missing;
  find(run, false);
  CHECK(executor->calls.empty());
  advance(1s);
  CHECK(executor->calls == asked_and_sent(run));
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(strays, "a run that is too late for its job is not sent", "[actors]") {
  declare("settle").misfire = core::misfire_policy::do_nothing;
  auto run = claim_here();
  advance(10s);
  find(run, true);
  CHECK(executor->calls.empty());
  CHECK(row(run).trigger_code == 500);
}

TEST_CASE_METHOD(strays, "a claim without runs is closed silently", "[actors]") {
  declare("settle");
  auto run = claim_here();
  core::record_batch batch;
  batch.owner = life;
  batch.triggers.push_back({run.id, run.claim, run.plan.spec, 200, {}, false});
  expect(look->firings().record(batch, civil()));
  find(run, true);
  CHECK(executor->calls.empty());
  CHECK(expect(look->firings().open_claims(life)).empty());
}

TEST_CASE_METHOD(strays, "a run that is reported twice is sent once", "[actors]") {
  declare("settle");
  auto run = claim_here();
  tell(actor, protocol::stray_claims{{{run.claim, true}}});
  tell(actor, protocol::stray_claims{{{run.claim, true}}});
  advance(5s);
  CHECK(executor->runs.size() == 1);
}
