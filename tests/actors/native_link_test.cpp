#include <numeric>

#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::send_state;
using test::natively_linked;

namespace {

/// A node's link to an executor whose gate the test itself has.
struct raw_link : natively_linked {
  raw_link() {
    gate_there = track(system().spawn([this]() -> protocol::executor_gate::behavior_type {
      return {
        [this](const protocol::link_welcome& welcome) { node = welcome.gate; },
        [this](const protocol::link_refusal& refusal) { refusals.push_back(refusal.reason); },
        [this](const protocol::link_runs& batch) { batches.push_back(batch); },
        [this](const protocol::link_question& question) { questions.push_back(question); },
        [this](const protocol::link_receipt& receipt) { receipts.push_back(receipt); },
      };
    }));
    tell(ports->door, protocol::link_hello{protocol::link_version, "pay-worker", test::worker_address, "secret", gate_there});
    run();
    REQUIRE(node);
  }
  ~raw_link() { end_all(); }

  protocol::executor_gate gate_there;
  protocol::link_gate node;
  std::vector<std::string> refusals;
  std::vector<protocol::link_runs> batches;
  std::vector<protocol::link_question> questions;
  std::vector<protocol::link_receipt> receipts;
};

std::vector<std::int64_t> numbers(std::size_t count) {
  std::vector<std::int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), 1);
  return ids;
}

} // namespace

TEST_CASE_METHOD(natively_linked, "a run goes over the native link with all that /run would say", "[actors][links]") {
  dial();
  send({12});
  REQUIRE(executor->runs.size() == 1);
  const auto& run = executor->runs[0];
  CHECK(run.job == core::job_id{7});
  CHECK(run.run == core::log_id{12});
  CHECK(run.log_time == start);
  CHECK(run.handler == "settle");
  CHECK(run.param == "a=1");
  CHECK(run.block == core::block_strategy::discard_later);
  CHECK(run.timeout_s == 30);
  CHECK(run.glue_type == "BEAN");
  CHECK(run.glue_source == "");
  CHECK(run.shard_index == 1);
  CHECK(run.shard_total == 3);
  CHECK(count(send_state::answered, 200) == 1);
  CHECK(results[0].sent_at == now());
  CHECK(http->calls.empty());
}

TEST_CASE_METHOD(natively_linked, "a refused run has its text, and a repeated log id counts as accepted", "[actors][links]") {
  dial();
  executor->verdict = [](const core::trigger_request&) {
    return core::trigger_reply{500, "block strategy effect：Discard Later"};
  };
  send({1});
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 500);
  CHECK(results[0].message == "block strategy effect：Discard Later");
  executor->verdict = nullptr;
  send({2});
  send({2});
  CHECK(count(send_state::answered, 200) == 2);
}

TEST_CASE_METHOD(natively_linked, "a run is unknown when its executor is not sure, not sent when it stops", "[actors][links]") {
  dial();
  executor->verdict = [](const core::trigger_request&) { return core::trigger_reply{0, ""}; };
  send({1});
  CHECK(count(send_state::unknown) == 1);
  executor->verdict = [](const core::trigger_request&) { return core::trigger_reply{503, "this executor is stopping"}; };
  send({2});
  REQUIRE(count(send_state::not_sent, 503) == 1);
  CHECK(results.back().message == "this executor is stopping");
  // Others of the group are preferred for a while, as over HTTP.
  CHECK(results.back().unreachable);
}

TEST_CASE_METHOD(natively_linked, "a run leaves at its instant and not after the lease", "[actors][links]") {
  dial();
  auto later = run_of(1);
  later.leave_at = now() + 50ms;
  send(native(), {later, run_of(2)});
  CHECK(executor->runs.size() == 1);
  advance(49ms);
  CHECK(executor->runs.size() == 1);
  advance(1ms);
  CHECK(executor->runs.size() == 2);
  gate->close();
  send({3});
  CHECK(executor->runs.size() == 2);
  CHECK(count(send_state::gate_closed) == 1);
  auto former = run_of(4);
  former.incarnation = life - 1;
  gate->open_until(life, boot_now() + std::chrono::nanoseconds{1h}.count());
  send(native(), {former});
  CHECK(count(send_state::gate_closed) == 2);
}

TEST_CASE_METHOD(natively_linked, "a run without a verdict is unknown at its deadline, once", "[actors][links]") {
  dial();
  executor->silent = true;
  send({1, 2});
  advance(2900ms);
  CHECK(results.empty());
  advance(200ms);
  CHECK(count(send_state::unknown) == 2);
  CHECK(results[0].message.find("3000 ms") != std::string::npos);
  advance(10s);
  CHECK(results.size() == 2);
}

TEST_CASE_METHOD(natively_linked, "of a cut link, what was on its way is unknown and what was not goes by HTTP", "[actors]") {
  dial();
  auto link = native();
  executor->silent = true;
  send({1, 2});
  auto later = run_of(3);
  later.leave_at = now() + 1s;
  send(link, {later});
  kill_executor();
  CHECK_FALSE(is_linked());
  CHECK(count(send_state::unknown) == 2);
  CHECK(http->calls == std::vector<std::string>{"run 3/0"});
  // Whoever has the handle still is served, too.
  send(link, {run_of(4)});
  CHECK(http->calls.back() == "run 4/0");
  CHECK(count(send_state::answered, 200) == 2);
  CHECK(results.size() == 4);
  auto probe = ask<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true});
  REQUIRE(probe);
  CHECK(probe->code == 200);
  CHECK(http->calls.back() == "idle 7");
}

TEST_CASE_METHOD(natively_linked, "a window bounds what is on its way, and what finds no room is not sent", "[actors][links]") {
  dial();
  executor->silent = true;
  send(numbers(5000));
  CHECK(executor->runs.size() == actors::link_windows::runs_on_their_way);
  advance(10s);
  CHECK(results.size() == 5000);
  CHECK(count(send_state::unknown) + count(send_state::not_sent) == 5000);
  CHECK(count(send_state::unknown) == executor->runs.size());
}

TEST_CASE_METHOD(natively_linked, "a full window goes on as soon as verdicts come", "[actors][links]") {
  dial();
  send(numbers(20'000));
  CHECK(count(send_state::answered, 200) == 20'000);
}

TEST_CASE_METHOD(raw_link, "no message is larger than a link may carry", "[actors][links]") {
  const std::string half(500'000, 'x');
  send(native(), {run_of(1, 4, half), run_of(2, 4, half), run_of(3, 4, half), run_of(4, 4, std::string(1'100'000, 'x'))});
  REQUIRE(batches.size() == 2);
  for (const auto& batch : batches)
    CHECK(protocol::breach_of(batch).empty());
  // One that is too large for any goes the other way.
  CHECK(http->calls == std::vector<std::string>{"run 4/0"});
}

TEST_CASE_METHOD(raw_link, "verdicts that do not match their batch cut the link, those of no batch do not", "[actors]") {
  tell(node, protocol::link_verdicts{77, {{}}});
  run();
  CHECK(is_linked());
  send({1, 2});
  tell(node, protocol::link_verdicts{batches.at(0).batch, {{}}});
  run();
  CHECK_FALSE(is_linked());
  CHECK(count(send_state::unknown) == 2);
  tell(node, protocol::link_verdicts{batches[0].batch, {{}, {}}});
  run();
  CHECK(results.size() == 2);
}

TEST_CASE_METHOD(raw_link, "what no executor of ours sends cuts the link", "[actors][links]") {
  SECTION("an empty batch of results") { tell(node, protocol::link_reports{1, {}}); }
  SECTION("a result of no run") { tell(node, protocol::link_reports{1, {{core::log_id{0}, start, 200, {}}}}); }
  SECTION("an endless answer") { tell(node, protocol::link_answer{1, {200, std::string(2'000'000, 'x')}}); }
  SECTION("the end of our gate") { caf::anon_send_exit(node, caf::exit_reason::kill); }
  run();
  CHECK_FALSE(is_linked());
  CHECK(callbacks.empty());
}

TEST_CASE_METHOD(raw_link, "more results than receipts allow cut the link", "[actors][links]") {
  store_is_silent = true;
  for (std::uint64_t batch = 1; batch <= actors::link_windows::reports; ++batch)
    tell(node, protocol::link_reports{batch, {{core::log_id{5}, start, 200, {}}}});
  run();
  CHECK(is_linked());
  tell(node, protocol::link_reports{99, {{core::log_id{5}, start, 200, {}}}});
  run();
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(raw_link, "questions are answered, or given up when nobody does", "[actors][links]") {
  auto idle = later<protocol::probe_reply>(native(), protocol::probe_request{core::job_id{7}, true});
  auto log = later<protocol::log_reply>(native(), protocol::log_request{core::log_id{12}, start + 1234ms, 3});
  auto kill = later<protocol::probe_reply>(native(), protocol::kill_request{core::job_id{7}});
  run();
  REQUIRE(questions.size() == 3);
  CHECK(questions[1].topic == protocol::link_topic::log);
  CHECK(questions[1].log_time == start + 1s);
  tell(node, protocol::link_answer{questions[1].number, {}, core::log_lines{3, 4, "one\ntwo\n", true}});
  tell(node, protocol::link_answer{questions[0].number, {500, "job thread is running or has trigger queue."}});
  run();
  REQUIRE(*log);
  CHECK((**log)->answered);
  CHECK((**log)->content == "one\ntwo\n");
  CHECK((**log)->to_line == 4);
  CHECK((**log)->end);
  REQUIRE(*idle);
  CHECK((**idle)->code == 500);
  CHECK_FALSE(*kill);
  advance(4s);
  REQUIRE(*kill);
  CHECK((**kill)->code == 0);
  auto cut = later<protocol::probe_reply>(native(), protocol::probe_request{});
  run();
  caf::anon_send_exit(gate_there, caf::exit_reason::kill);
  run();
  REQUIRE(*cut);
  CHECK((**cut)->code == 0);
  CHECK((**cut)->message.find("cut") != std::string::npos);
}

TEST_CASE_METHOD(raw_link, "a result counts for a run that was sent there, else for its groups alone", "[actors][links]") {
  send({12});
  tell(node, protocol::link_reports{1, {{core::log_id{12}, start, 200, "done"}, {core::log_id{13}, start, 0, std::nullopt}}});
  run();
  REQUIRE(callbacks.size() == 2);
  CHECK_FALSE(callbacks[0].only_of);
  CHECK(callbacks[0].message == "done");
  REQUIRE(callbacks[1].only_of);
  CHECK(*callbacks[1].only_of == std::vector{core::group_id{4}});
  REQUIRE(receipts.size() == 1);
  CHECK(receipts[0].kept);
  store_fails = true;
  tell(node, protocol::link_reports{2, {{core::log_id{12}, start, 200, "a \xff b"}}});
  run();
  REQUIRE(receipts.size() == 2);
  CHECK(receipts[1].batch == 2);
  CHECK_FALSE(receipts[1].kept);
  CHECK(callbacks.back().message == "a \xEF\xBF\xBD b");
}
