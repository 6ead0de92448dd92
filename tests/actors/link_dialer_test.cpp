#include "actors/executor/executor_gate.hpp"
#include "tests/actors/raw_node.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::raw_node;
using test::reports;

TEST_CASE_METHOD(raw_node, "an executor introduces itself", "[actors][links]") {
  dial();
  REQUIRE(hellos.size() == 1);
  CHECK(hellos[0].version == protocol::link_version);
  CHECK(hellos[0].app_name == "pay-worker");
  CHECK(hellos[0].address == test::worker_address);
  CHECK(hellos[0].unused.empty());
  REQUIRE(proofs.size() == 1);
  CHECK(proofs[0].nonce == nonce);
  CHECK(proofs[0].proof == seal_of(protocol::link_end::executor, hellos[0], nonce, "secret"));
}

TEST_CASE_METHOD(raw_node, "each node is dialled independently, and again if the hello is not answered", "[actors][links]") {
  welcomes = false;
  dial({"pay-worker", test::worker_address, "secret"}, {"10.0.0.1:9100", "10.0.0.2:9100"});
  CHECK(hellos.size() == 2);
  advance(2s);
  CHECK(hellos.size() == 2);
  advance(1s);
  CHECK(hellos.size() == 4);
}

TEST_CASE_METHOD(raw_node, "a dial that never ends delays only its own node", "[actors][links]") {
  ports->silent = true;
  dial({"pay-worker", test::worker_address, "secret"}, {"10.0.0.1:9100"});
  ports->silent = false;
  advance(12s);
  CHECK(hellos.size() == 1);
}

TEST_CASE_METHOD(raw_node, "a link that is cut is dialled again", "[actors][links]") {
  dial();
  caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
  run();
  CHECK(hellos.size() == 1);
  advance(1s);
  CHECK(hellos.size() == 2);
  CHECK_FALSE(ask_done(dialer, reports(0)));
}

TEST_CASE_METHOD(raw_node, "the reporter is notified of each link that comes up", "[actors][links]") {
  std::size_t offers = 0;
  reporter = track(system().spawn([&offers]() -> protocol::callback_actor::behavior_type {
    return {
      [](const protocol::run_reports&) {},
      [&offers](const protocol::callback_partners& partners) { offers += partners.links ? 1 : 0; },
      [](const protocol::flush_reports&) {},
      [](const protocol::work_done&) {},
      [](protocol::tick_atom) {},
    };
  }));
  welcomes = false;
  dial();
  CHECK(offers == 1);
  welcomes = true;
  advance(3s);
  REQUIRE(hellos.size() == 2);
  CHECK(offers == 2);
  caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
  run();
  CHECK(offers == 2);
  advance(3s);
  CHECK(offers == 3);
}

TEST_CASE_METHOD(raw_node, "results wait for the first attempt of every node, and for no later one", "[actors][links]") {
  welcomes = false;
  dial();
  auto done = later<caf::unit_t>(dialer, reports(3));
  run();
  CHECK_FALSE(done->has_value());
  SECTION("it is welcomed") {
    say(welcome());
    run();
    REQUIRE(batches.size() == 1);
    say(protocol::link_receipt{batches[0].batch, true});
    run();
    REQUIRE(done->has_value());
    CHECK(**done);
  }
  SECTION("the hello is not answered") {
    advance(3s);
    REQUIRE(done->has_value());
    CHECK_FALSE(**done);
    CHECK(ask_done(dialer, reports(1)));
  }
}

TEST_CASE_METHOD(raw_node, "messages that no Ringmaster node sends end the link", "[actors][links]") {
  dial();
  SECTION("an empty batch") { say(protocol::link_runs{1, {}}); }
  SECTION("a run of no job") { say(protocol::link_runs{1, {core::trigger_request{}}}); }
  SECTION("a question about nothing") { say(protocol::link_question{1, static_cast<protocol::link_topic>(9)}); }
  run();
  CHECK(executor->runs.empty());
  advance(1s);
  CHECK(hellos.size() == 2);
}

TEST_CASE_METHOD(raw_node, "messages from a node that has not welcomed the executor are ignored", "[actors][links]") {
  welcomes = false;
  dial();
  say(protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}});
  run();
  CHECK(executor->runs.empty());
}

TEST_CASE_METHOD(raw_node, "results are done when their receipts confirm them", "[actors][links]") {
  dial();
  auto done = later<caf::unit_t>(dialer, reports(1200));
  run();
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].reports.size() == protocol::link_limits::items_max);
  for (const auto& batch : batches)
    CHECK(protocol::breach_of(batch).empty());
  say(protocol::link_receipt{batches[1].batch, true});
  say(protocol::link_receipt{batches[0].batch, true});
  run();
  CHECK_FALSE(*done);
  say(protocol::link_receipt{batches[2].batch, true});
  run();
  REQUIRE(*done);
  CHECK(**done);
}

TEST_CASE_METHOD(raw_node, "unconfirmed results stay with the reporter", "[actors][links]") {
  SECTION("without a link") {
    ports->trouble = "no route";
    dial();
    CHECK(ask_done(dialer, reports(1)) != caf::error{});
  }
  SECTION("the node cannot keep them") {
    dial();
    auto done = later<caf::unit_t>(dialer, reports(1));
    run();
    say(protocol::link_receipt{batches.at(0).batch, false});
    run();
    REQUIRE(*done);
    CHECK_FALSE(**done);
  }
  SECTION("the link is cut") {
    dial();
    auto done = later<caf::unit_t>(dialer, reports(1));
    run();
    caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
    run();
    REQUIRE(*done);
    CHECK_FALSE(**done);
  }
  SECTION("no receipt comes") {
    dial();
    auto done = later<caf::unit_t>(dialer, reports(1));
    advance(14s);
    CHECK_FALSE(*done);
    advance(1s);
    REQUIRE(*done);
    CHECK_FALSE(**done);
  }
}

TEST_CASE_METHOD(raw_node, "a window limits results on their way, and long messages are cut", "[actors][links]") {
  dial();
  auto done = later<caf::unit_t>(dialer, reports(200, std::string(100'000, 'x')));
  run();
  CHECK(batches.size() == actors::link_dialer_state::unreceipted_max);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    CHECK(protocol::breach_of(batches[i]).empty());
    say(protocol::link_receipt{batches[i].batch, true});
    run();
  }
  REQUIRE(*done);
  CHECK(**done);
}

TEST_CASE_METHOD(raw_node, "questions reach the host", "[actors][links]") {
  dial();
  executor->log = {3, 4, "one\ntwo\n", true};
  executor->idle = {500, "busy"};
  say(protocol::link_question{1, protocol::link_topic::beat});
  say(protocol::link_question{2, protocol::link_topic::idle, core::job_id{7}});
  say(protocol::link_question{3, protocol::link_topic::log, {}, core::log_id{12}, start, 3, core::log_bounds{5000, 2}});
  say(protocol::link_question{4, protocol::link_topic::kill, core::job_id{8}});
  run();
  CHECK(executor->questions == std::vector<std::string>{"idle 7", "log 12 from 3, 5000 bytes", "kill 8"});
  REQUIRE(answers.size() == 4);
  CHECK(answers[0].reply.code == 200);
  CHECK(answers[1].reply.message == "busy");
  REQUIRE(answers[2].lines);
  CHECK(answers[2].lines->text == "one\ntwo\n");
}

TEST_CASE("a log is cut to whole lines that fit", "[actors][links]") {
  core::log_lines lines{10, 12, "aaaa\nbbbb\ncccc\n", true};
  auto whole = lines;
  actors::cut_lines(whole, 15);
  CHECK(whole.text == lines.text);
  CHECK(whole.ended);
  actors::cut_lines(lines, 12);
  CHECK(lines.text == "aaaa\nbbbb\n");
  CHECK(lines.to_line == 11);
  CHECK_FALSE(lines.ended);
  core::log_lines one{10, 10, "äääääääääää", true};
  actors::cut_lines(one, 5);
  CHECK(one.text == "ää");
  CHECK(one.to_line == 10);
}

TEST_CASE_METHOD(raw_node, "messages that do not show the key of the link are ignored", "[actors][links]") {
  dial();
  auto done = later<caf::unit_t>(dialer, reports(1));
  run();
  const auto good = hellos.at(0).gate_key;
  CHECK(good != protocol::link_key{});
  CHECK(batches.at(0).key == own_key);
  for (const auto key : {protocol::link_key{}, own_key, protocol::link_key{good.high ^ 1, good.low}}) {
    tell(gate_there(), protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}, key});
    tell(gate_there(), protocol::link_runs{1, {}, key});
    tell(gate_there(), protocol::link_question{1, protocol::link_topic::kill, core::job_id{8}, {}, {}, 1, {}, key});
    tell(gate_there(), protocol::link_receipt{1, true, key});
    tell(gate_there(), protocol::link_refusal{"forged", key});
    tell(gate_there(), protocol::link_welcome{{}, {}, {}, key});
    run();
  }
  CHECK(executor->runs.empty());
  CHECK(executor->questions.empty());
  CHECK_FALSE(*done);
  CHECK(hellos.size() == 1);
  say(protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}});
  say(protocol::link_receipt{1, true});
  tell(dialer, protocol::link_goodbye{});
  run();
  CHECK(executor->runs.size() == 1);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].key == own_key);
  CHECK(last_key == own_key);
  CHECK(*done);
}

TEST_CASE_METHOD(raw_node, "a welcome without the key is ignored", "[actors][links]") {
  welcomes = false;
  dial();
  auto foreign = welcome();
  foreign.key = own_key;
  tell(gate_there(), foreign);
  auto done = later<caf::unit_t>(dialer, reports(1));
  run();
  CHECK(batches.empty());
  say(welcome());
  run();
  CHECK(batches.size() == 1);
}

TEST_CASE_METHOD(raw_node, "requests beyond the limit of an executor are refused, and the link stays", "[actors][links]") {
  dial();
  executor->silent = true;
  constexpr auto room = actors::executor_gate_state::pending_max;
  for (std::uint64_t batch = 1; batch <= room + 1; ++batch)
    say(protocol::link_runs{batch, {{.job = core::job_id{7}, .run = core::log_id{static_cast<std::int64_t>(batch)}}}});
  say(protocol::link_question{1, protocol::link_topic::kill, core::job_id{8}});
  run();
  CHECK(executor->runs.size() == room);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].batch == room + 1);
  REQUIRE(verdicts[0].replies.size() == 1);
  CHECK(verdicts[0].replies[0].code == 0);
  CHECK(executor->questions.empty());
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reply.code == 0);
  CHECK(hellos.size() == 1);
  // Waiting runs are also unknown if they are not answered.
  advance(11s);
  CHECK(verdicts.size() == room + 1);
  CHECK(verdicts.back().replies.at(0).code == 0);
}

TEST_CASE_METHOD(raw_node, "a leaving executor dials only for results that are not confirmed", "[actors][links]") {
  dial();
  const auto cut = [&] {
    caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
    run();
  };
  tell(dialer, protocol::link_goodbye{});
  run();
  cut();
  advance(1min);
  CHECK(hellos.size() == 1);
  CHECK(ask_done(dialer, reports(1)) != caf::error{});
  advance(1s);
  REQUIRE(hellos.size() == 2);
  CHECK(goodbyes == 2); // it connects only for results
  auto done = later<caf::unit_t>(dialer, reports(1));
  run();
  REQUIRE(batches.size() == 1);
  say(protocol::link_receipt{batches[0].batch, true});
  run();
  CHECK(*done);
  cut();
  advance(1min);
  CHECK(hellos.size() == 2);
}
