#include "tests/actors/recovery_fixture.hpp"
#include "tests/support/pulse.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(recovery, "a run that the executor has started counts as delivered", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = started;
  begin();
  advance(499ms);
  CHECK(executor->calls.empty());
  advance(200ms);
  CHECK(executor->calls == asked(run));
  CHECK(row(run).trigger_code == 200);
  CHECK(storage.record->opened_claims == std::vector<std::pair<std::int64_t, std::uint32_t>>{{std::int64_t{1} << 40, 1}});
  CHECK(verdicts()[0].claim == std::int64_t{1} << 40);
  advance(10s);
  CHECK(verdicts().size() == 1);
}

TEST_CASE_METHOD(recovery, "a busy executor is asked again after one, two and four seconds", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  executor->idle = busy;
  begin();
  advance(700ms);
  std::vector<std::size_t> seen;
  for (int second = 0; second < 8; ++second) {
    seen.push_back(executor->calls.size() / 2);
    advance(1s);
  }
  CHECK(seen == std::vector<std::size_t>{1, 2, 2, 3, 3, 3, 3, 4});
  executor->log = started;
  advance(9s);
  CHECK(row(run).trigger_code == 200);
  CHECK(executor->runs.empty());
}

TEST_CASE_METHOD(recovery, "a run without a clear answer within the limit ends as unknown, without retries", "[actors]") {
  declare("settle").retry_count = 3;
  auto run = claim_one();
  SECTION("an answer that proves nothing") { executor->log = {true, 2, "no logs here"}; }
  SECTION("no answer to the first question") { executor->idle = {}; }
  SECTION("no answer to the second question") { executor->log = {}; }
  SECTION("silence") { executor->silent = true; }
  SECTION("the executor cannot be reached") { pool.links->clear(); }
  begin();
  advance(59s);
  CHECK(verdicts().empty());
  advance(20s);
  REQUIRE(verdicts().size() == 1);
  CHECK(row(run).trigger_code == 500);
  CHECK(row(run).fail_retry_count == 0);
  CHECK(executor->runs.empty());
  CHECK(test::expect(look->firings().waiting_intents(civil() + 1h, 10)).empty());
}

TEST_CASE_METHOD(recovery, "the row is read before an executor is asked", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  SECTION("its result is there") {
    call_back(run, former);
    begin();
    advance(2s);
    CHECK(row(run).trigger_code == 200);
    CHECK(row(run).handle_code == 200);
  }
  SECTION("its answer was recorded meanwhile") {
    begin();
    core::record_batch batch;
    batch.owner = life;
    batch.triggers.push_back({run.id, 0, run.plan.spec, 500, "refused", false});
    test::expect(look->firings().record(batch, civil()));
    advance(2s);
    CHECK(row(run).trigger_code == 500);
  }
  CHECK(executor->calls.empty());
  // Reported all the same, so that the claim is closed.
  CHECK(verdicts().size() == 1);
}

TEST_CASE_METHOD(recovery, "a result that arrives while the executor is busy ends the inquiry", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  executor->idle = busy;
  begin();
  advance(1s);
  call_back(run, life);
  advance(2s);
  CHECK(executor->calls == asked(run));
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "skip never sends again and asks no executor", "[actors]") {
  auto& job = declare("settle");
  job.on_unknown = core::unknown_policy::skip;
  job.retry_count = 3;
  auto run = claim_one();
  begin();
  advance(1s);
  CHECK(executor->calls.empty());
  CHECK(row(run).trigger_code == 500);
  CHECK(row(run).trigger_msg.find("delivery unknown: ") != std::string::npos);
  CHECK(row(run).fail_retry_count == 0);
}

TEST_CASE_METHOD(recovery, "a run without an address was never sent", "[actors]") {
  declare("settle").retry_count = 1;
  auto run = claim_one("");
  begin();
  advance(1s);
  CHECK(executor->calls.empty());
  CHECK(row(run).trigger_code == 500);
  CHECK(row(run).trigger_msg.find("registry address is empty") != std::string::npos);
  // A known failure: it is retried.
  CHECK(test::expect(look->firings().waiting_intents(civil() + 1h, 10)).size() == 1);
}

TEST_CASE_METHOD(recovery, "an adoption whose answer was lost is found by the next one", "[actors]") {
  declare("settle");
  declare("report");
  auto runs = claim({"settle", "report"});
  executor->log = started;
  store.once("adopt", store_fault::answer_lost);
  begin();
  advance(5s);
  for (const auto& run : runs)
    CHECK(row(run).trigger_code == 200);
  CHECK(verdicts().size() == 2);
  CHECK(storage.record->opened_claims == std::vector<std::pair<std::int64_t, std::uint32_t>>{{std::int64_t{1} << 40, 2}});
}

TEST_CASE_METHOD(recovery, "orphaned runs of a peer that was fenced later are also adopted", "[actors]") {
  declare("settle");
  former = test::expect(look->cluster().enter("b", "b:8080"));
  auto run = claim_one();
  executor->log = started;
  begin();
  advance(10s);
  CHECK(executor->calls.empty());
  test::expect(look->cluster().leave(former));
  advance(1500ms);
  CHECK(executor->calls == asked(run));
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a run is asked about as soon as its former owner cannot be sending it any more", "[actors]") {
  declare("settle");
  former = test::expect(look->cluster().enter("b", "b:8080"));
  auto run = claim_one();
  executor->log = started;
  begin();
  advance(10s);
  auto rows = test::expect(look->cluster().nodes());
  auto first = 0ms;
  SECTION("fenced: its deadline was send_margin earlier") {
    REQUIRE(test::expect(look->cluster().fence(rows.at(1))));
    first = 200ms;
  }
  SECTION("its process came back: settle") {
    test::expect(look->cluster().enter("b", "b:8080"));
    first = 500ms;
  }
  SECTION("ended before its deadline: dead_after") {
    store.alter_adopted = [](std::vector<core::adopted_run>& runs) {
      for (auto& each : runs)
        each.ended = core::incarnation_end::cut_short;
    };
    test::expect(look->cluster().leave(former));
    first = 1500ms;
  }
  tell(actor, protocol::peer_fenced{});
  advance(first - 1ms);
  CHECK(executor->calls.empty());
  advance(101ms);
  CHECK(executor->calls == asked(run));
}

TEST_CASE_METHOD(recovery, "recovery waits for an unavailable store", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = started;
  begin();
  store.go_away();
  advance(120s);
  CHECK(executor->calls.empty());
  store.come_back();
  advance(2s);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "an unknown run of this incarnation is settled like an adopted one", "[actors]") {
  declare("settle");
  begin();
  former = life;
  auto run = claim_one();
  executor->log = missing;
  report(run);
  advance(499ms);
  CHECK(executor->calls.empty());
  advance(600ms);
  CHECK(executor->calls == asked_and_sent(run));
  CHECK(row(run).trigger_code == 200);
  CHECK(verdicts()[0].claim == run.claim);
  CHECK(storage.record->opened_claims.empty());
}

TEST_CASE_METHOD(recovery, "a run that was reported before its claim was adopted counts under the claim's new number",
                 "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  storage.record->latency = [] { return std::pair{0ms, 200ms}; };
  begin();
  report(run);
  advance(3s);
  CHECK(executor->runs.size() == 1);
  CHECK(row(run).trigger_code == 200);
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].claim == std::int64_t{1} << 40);
  CHECK(storage.record->opened_claims.size() == 1);
}

TEST_CASE_METHOD(recovery, "a reported run whose claim went to a peer is left to the peer", "[actors]") {
  declare("settle").on_unknown = GENERATE(core::unknown_policy::ask, core::unknown_policy::skip);
  auto run = claim_one();
  test::expect(look->cluster().leave(former));
  auto peer = test::expect(look->cluster().enter("b", "b:8080"));
  REQUIRE(test::expect(look->firings().adopt(peer, 1, 10)).size() == 1);
  begin();
  report(run);
  advance(100s);
  CHECK(executor->calls.empty());
  CHECK(verdicts().empty());
  CHECK(row(run).trigger_code == 0);
}

TEST_CASE_METHOD(recovery, "without an incarnation nothing is decided", "[actors]") {
  declare("settle");
  auto run = claim_one();
  begin();
  tell(actor, protocol::incarnation_change{});
  report(run);
  advance(120s);
  CHECK(executor->calls.empty());
  CHECK(verdicts().empty());
}

TEST_CASE_METHOD(recovery, "a row has the error of the sending and the findings of the questions", "[actors]") {
  declare("settle");
  begin();
  former = life;
  auto run = claim_one();
  const std::string larger = "10.0.0.3:9999: the reply is larger than 1048576 bytes";
  std::string expected;
  SECTION("no usable answer to the first question") {
    executor->idle = {0, larger};
    expected = "delivery unknown: no usable answer to /idleBeat: " + larger + "; the first sending: timeout";
  }
  SECTION("no usable answer to the second question") {
    executor->log = {.error = larger};
    expected = "delivery unknown: no usable answer to /log: " + larger + "; the first sending: timeout";
  }
  SECTION("an answer that proves nothing") {
    executor->idle = {404, "not found"};
    executor->log = {true, 0, "no logs here"};
    expected = "delivery unknown: the executor cannot tell: /idleBeat answered 404 (not found), /log does not mention the run; "
               "the first sending: timeout";
  }
  SECTION("it was started") {
    executor->log = started;
    expected = "the executor has started it; the first sending: timeout";
  }
  SECTION("it is sent again") {
    executor->log = missing;
    executor->send = answer(500, "Discard Later");
    expected = "delivery unknown: the second sending was refused: Discard Later; the first sending: timeout";
  }
  report(run, "timeout");
  advance(80s);
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].message == expected);
}

namespace {

/// A peer that ends with an open claim.
struct peered_recovery : recovery {
  core::claimed_run orphaned_run() {
    declare("settle");
    executor->log = started;
    former = test::expect(look->cluster().enter("b", "b:8080"));
    auto run = claim_one();
    test::expect(look->cluster().leave(former));
    return run;
  }
};

} // namespace

TEST_CASE_METHOD(peered_recovery, "with pulses recovery seldom looks for orphans without need", "[actors]") {
  begin();
  const auto pulse = test::start_pulse(*this, storage.actor, actor, life);
  advance(3s);
  test::call_counter counter{store};
  advance(1min);
  CHECK(counter.of("adopt") <= 2);

  const auto run = orphaned_run();
  counter.calls.clear();
  advance(600ms);
  CHECK(counter.of("adopt") >= 1);
  advance(4s);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(peered_recovery, "an adoption whose answer was lost is repeated, although no orphan is left", "[actors]") {
  begin();
  const auto pulse = test::start_pulse(*this, storage.actor, actor, life);
  advance(3s);
  const auto run = orphaned_run();
  store.once("adopt", store_fault::answer_lost);
  advance(10s);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(peered_recovery, "the search after a fence is not skipped because of an older pulse", "[actors]") {
  begin();
  advance(3s);
  int adoptions = 0;
  store.after = [this, &adoptions](std::string_view method) {
    if (method != "adopt" || ++adoptions > 1)
      return;
    // Another peer is fenced during the search, and then comes a pulse that did not see its claims.
    tell(actor, protocol::peer_fenced{});
    tell(actor, protocol::pending_work_update{{}, 500ms});
  };
  tell(actor, protocol::peer_fenced{});
  advance(50ms);
  CHECK(adoptions == 2);
}
