#include "tests/actors/recovery_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(recovery, "a run that never arrived is sent once more with its log id", "[actors]") {
  declare("settle").params = "x=1";
  auto run = claim_one();
  executor->log = missing;
  begin();
  advance(1s);
  CHECK(executor->calls == asked_and_sent(run));
  REQUIRE(executor->runs.size() == 1);
  const auto& sent = executor->runs[0];
  CHECK(sent.plan.fire_at == run.plan.fire_at);
  CHECK(sent.plan.address == address);
  CHECK(sent.plan.effective_param() == "x=1");
  CHECK(sent.plan.spec->handler == "handler");
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a denial at an address that users entered may come from another process", "[actors]") {
  declare("settle").retry_count = 2;
  auto run = claim_one();
  executor->log = missing;
  *pool.one_process = false;
  begin();
  SECTION("until the process that has it answers") {
    advance(2s);
    CHECK(executor->runs.empty());
    executor->log = started;
    advance(3s);
    CHECK(row(run).trigger_code == 200);
  }
  SECTION("and nothing else arrives within the limit") {
    advance(75s);
    REQUIRE(verdicts().size() == 1);
    CHECK(verdicts()[0].delivery_unknown);
    CHECK(verdicts()[0].message.find("did not register this address") != std::string::npos);
  }
  SECTION("unless the executor answers about the run itself") {
    executor->idle = {404, "this run never came", true};
    advance(10s);
    CHECK(executor->runs.size() == 1);
    return;
  }
  CHECK(executor->runs.empty());
}

TEST_CASE_METHOD(recovery, "a run that was answered with repeat is asked about, whatever on_unknown is", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::resend;
  begin();
  former = life; // the fixture claims in its name
  auto run = claim_one();
  protocol::unknown_batch batch;
  batch.runs.push_back({run, "repeat trigger job, logId:1", true});
  tell(actor, batch);
  SECTION("the executor has it") {
    executor->log = started;
    advance(1s);
    CHECK(row(run).trigger_code == 200);
    CHECK(executor->runs.empty());
  }
  SECTION("the log is of an earlier run") {
    executor->log = {true, 1, "2020-01-01 00:07:31 job execute start\n"};
    advance(75s);
    CHECK(row(run).trigger_code == 500);
    CHECK(row(run).trigger_msg.find("delivery unknown: ") != std::string::npos);
    CHECK(executor->runs.empty());
  }
  SECTION("it is denied, sent again and answered in the same way") {
    executor->log = missing;
    auto again = answer(200, "repeat trigger job, logId:1");
    again.repeated = true;
    executor->send = again;
    advance(2s);
    CHECK(executor->runs.size() == 1);
    CHECK(row(run).trigger_code == 500);
    CHECK(row(run).trigger_msg.find("was answered as the first one was") != std::string::npos);
  }
}

TEST_CASE_METHOD(recovery, "the log of an earlier run with the same id proves nothing", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = {true, 1, "2020-01-01 00:07:31 [x]-[xxl-job, JobThread-1-1] <br>----------- xxl-job job execute start\n"};
  begin();
  advance(75s);
  CHECK(row(run).trigger_code == 500);
  CHECK(row(run).trigger_msg.find("delivery unknown: ") != std::string::npos);
  CHECK(executor->runs.empty());
}

TEST_CASE_METHOD(recovery, "an adopted run is not sent before its instant", "[actors]") {
  declare("settle");
  claims_late = false;
  auto run = claim_one();
  executor->log = missing;
  actors::recovery_settings settings;
  settings.trigger.settle = 0ms;
  const auto ahead = run.plan.fire_at - civil();
  REQUIRE(ahead >= 300ms);
  begin_with(settings);
  advance(ahead - 100ms);
  CHECK(executor->calls.empty());
  advance(400ms);
  CHECK(executor->runs.size() == 1);
}

TEST_CASE_METHOD(recovery, "a late result of an earlier incarnation's sending does not end this one's case", "[actors]") {
  declare("settle").retry_count = 2;
  auto run = claim_one();
  executor->log = missing;
  executor->send.reset(); // no answer yet
  begin();
  advance(1s);
  REQUIRE(executor->runs.size() == 1);
  auto late = answer(500, "refused");
  late.run = executor->runs[0];
  late.run.incarnation = life.incarnation - 1;
  tell(actor, protocol::send_results{{late}});
  advance(200ms);
  CHECK(row(run).trigger_code == 0);
  late.run.incarnation = life.incarnation;
  late.code = 200;
  tell(actor, protocol::send_results{{late}});
  advance(200ms);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "an executor's answer about the run itself decides, however busy it is", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  SECTION("it has it") {
    executor->idle = {200, {}, true};
    begin();
    advance(1s);
    CHECK(executor->calls == calls{"idle " + job(run)});
    CHECK(row(run).trigger_code == 200);
    CHECK(executor->runs.empty());
  }
  SECTION("it never came") {
    executor->idle = {404, "this run never came", true};
    begin();
    advance(1s);
    CHECK(executor->runs.size() == 1);
    CHECK(row(run).trigger_code == 200);
  }
  SECTION("it never came, and is refused now like any refused run") {
    executor->idle = {404, "this run never came", true};
    executor->send = answer(500, "Discard Later");
    begin();
    advance(1s);
    CHECK(row(run).trigger_code == 500);
    REQUIRE(verdicts().size() == 1);
    CHECK(verdicts()[0].message == "refused: Discard Later");
    CHECK_FALSE(verdicts()[0].delivery_unknown);
  }
  SECTION("it does not know yet") {
    executor->idle = {0, "runs are being decided on", true};
    begin();
    advance(1s);
    CHECK(executor->runs.empty());
    CHECK(verdicts().empty());
    executor->idle = {404, "this run never came", true};
    advance(2s);
    CHECK(executor->runs.size() == 1);
  }
}

TEST_CASE_METHOD(recovery, "the result of the second sending decides", "[actors]") {
  struct outcome {
    protocol::send_result sent;
    std::int32_t code;
    std::string message;
  };
  auto expected = GENERATE_REF(values<outcome>({
    {answer(200), 200, ""},
    {answer(500, "Discard Later"), 500, "delivery unknown: the sending by this incarnation was refused: Discard Later"},
    {no_answer(protocol::send_state::unknown), 500, "delivery unknown: no answer to the sending by this incarnation"},
  }));
  declare("settle").retry_count = 2;
  auto run = claim_one();
  executor->log = missing;
  executor->send = expected.sent;
  begin();
  advance(5s);
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].code == expected.code);
  CHECK(verdicts()[0].message == expected.message);
  CHECK(executor->runs.size() == 1);
  CHECK(row(run).fail_retry_count == (expected.code == 200 ? 2 : 0));
}

TEST_CASE_METHOD(recovery, "a second sending without any result ends as unknown", "[actors]") {
  declare("settle");
  claim_one();
  executor->log = missing;
  executor->send.reset();
  begin();
  advance(59s);
  CHECK(verdicts().empty());
  advance(5s);
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].delivery_unknown);
}

TEST_CASE_METHOD(recovery, "a second sending that did not leave is asked about and sent with the same permission", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  executor->send = no_answer(protocol::send_state::not_sent);
  begin();
  advance(1s);
  CHECK(executor->runs.size() == 1);
  executor->send = answer(200);
  advance(2s);
  CHECK(executor->runs.size() == 2);
  CHECK(executor->runs[1].attempt == 1);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a closed gate leaves the run to the next incarnation", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  executor->send = no_answer(protocol::send_state::gate_closed);
  begin();
  advance(1s);
  CHECK(verdicts().empty());
  tell(actor, protocol::incarnation_change{});
  auto calls_before = executor->calls;
  advance(60s);
  CHECK(executor->calls == calls_before);
  executor->log = started;
  life = test::expect(look->cluster().enter("a", "a:8080"));
  storage.record->records_for = life;
  tell(actor, protocol::incarnation_change{life});
  advance(1s);
  CHECK(row(run).trigger_code == 200);
  CHECK(executor->runs.size() == 1);
}

TEST_CASE_METHOD(recovery, "a run sent twice by an earlier incarnation is asked about and never sent again", "[actors]") {
  declare("settle").on_unknown = GENERATE(core::unknown_policy::ask, core::unknown_policy::resend);
  auto run = claim_one();
  REQUIRE(test::expect(look->firings().permit_resend(former, std::vector{core::resend{run.claim, run.id}})) == std::vector{true});
  executor->log = missing;
  begin();
  advance(2s);
  CHECK(executor->runs.empty());
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].code == 500);
  CHECK(verdicts()[0].delivery_unknown);
}

TEST_CASE_METHOD(recovery, "resend does not ask the executor", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::resend;
  auto run = claim_one();
  begin();
  advance(1s);
  CHECK(executor->calls == calls{"run " + id(run) + "/1"});
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "resend of a COVER_EARLY job still asks: a second copy would kill the first", "[actors]") {
  auto& job = declare("settle");
  job.on_unknown = core::unknown_policy::resend;
  job.block = core::block_strategy::cover_early;
  auto run = claim_one();
  executor->log = started;
  begin();
  advance(1s);
  CHECK(executor->calls == asked(run));
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a run that is too late for its misfire policy is reported as missed instead of sent", "[actors]") {
  auto& job = declare("settle");
  job.misfire = GENERATE(core::misfire_policy::do_nothing, core::misfire_policy::fire_once_now);
  job.retry_count = 2;
  bool missed = job.misfire == core::misfire_policy::do_nothing;
  auto run = claim_one();
  executor->log = missing;
  advance(60s);
  begin();
  advance(1s);
  CHECK(executor->runs.size() == (missed ? 0 : 1));
  CHECK(row(run).trigger_code == (missed ? 500 : 200));
  CHECK((row(run).trigger_msg.find("missed: ") != std::string::npos) == missed);
  CHECK(test::expect(look->firings().waiting_intents(civil() + 1h, 10)).empty());
}

TEST_CASE_METHOD(recovery, "a lost permission answer neither loses nor doubles the sending", "[actors]") {
  declare("settle").on_unknown = GENERATE(core::unknown_policy::ask, core::unknown_policy::resend);
  auto fault = GENERATE(store_fault::away, store_fault::answer_lost);
  auto run = claim_one();
  executor->log = missing;
  begin();
  store.once("permit_resend", fault);
  advance(5s);
  CHECK(executor->runs.size() == 1);
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a lost permission answer does not send a run that is decided meanwhile", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::resend;
  auto run = claim_one();
  begin();
  store.once("permit_resend", store_fault::answer_lost);
  advance(700ms);
  call_back(run, life);
  advance(5s);
  CHECK(executor->runs.empty());
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "a result that arrives between the look-up and the permission is respected", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::resend;
  auto run = claim_one();
  begin();
  std::size_t asked = 0;
  store.fault_of = [&](std::string_view method) {
    if (method != "permit_resend")
      return store_fault::none;
    if (++asked == 2)
      call_back(run, life);
    return asked == 1 ? store_fault::answer_lost : store_fault::none;
  };
  advance(5s);
  CHECK(asked == 2);
  CHECK(executor->runs.empty());
  CHECK(row(run).trigger_code == 200);
}
