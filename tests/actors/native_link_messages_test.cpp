// Messages that a native link accepts, answers or is cut for, from a gate that belongs to the test.

#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::send_state;

namespace {

/// A node's link to an executor whose gate belongs to the test.
struct raw_link : test::raw_peer<protocol::executor_gate, protocol::link_gate> {
  explicit raw_link(const std::string& app_name = "pay-worker", const std::string& shown = "secret") {
    gate_there = track(system().spawn([this]() -> protocol::executor_gate::behavior_type {
      return {
        [this](const protocol::link_challenge& challenge) { prove(ports->door, said, challenge.nonce, token); },
        [this](const protocol::link_welcome& welcome) {
          node = welcome.gate;
          node_key = welcome.gate_key;
          seen.push_back(welcome.key);
        },
        [this](const protocol::link_refusal& refusal) { refusals.push_back(refusal.reason); },
        [this](const protocol::link_runs& batch) {
          batches.push_back(batch);
          seen.push_back(batch.key);
        },
        [this](const protocol::link_question& question) { questions.push_back(question); },
        [this](const protocol::link_receipt& receipt) { receipts.push_back(receipt); },
      };
    }));
    greet(app_name, shown);
  }
  ~raw_link() {
    said.gate = nullptr;
    end_all();
  }

  /// Keys that the node showed.
  std::vector<protocol::link_key> seen;
  std::vector<std::string> refusals;
  std::vector<protocol::link_runs> batches;
  std::vector<protocol::link_question> questions;
  std::vector<protocol::link_receipt> receipts;
};

/// Link with the token of group 9.
struct raw_group_link : raw_link {
  raw_group_link() : raw_link("mail-worker", "mail-token") {}
};

} // namespace

TEST_CASE_METHOD(raw_link, "no message is larger than a link may carry", "[actors][links]") {
  const std::string half(500'000, 'x');
  send(native(), {run_of(1, 4, half), run_of(2, 4, half), run_of(3, 4, half), run_of(4, 4, std::string(1'100'000, 'x'))});
  REQUIRE(batches.size() == 2);
  for (const auto& batch : batches)
    CHECK(protocol::breach_of(batch).empty());
  // A run that is too large for any message goes by HTTP.
  CHECK(http->calls == std::vector<std::string>{"run 4/0"});
}

TEST_CASE_METHOD(raw_link, "verdicts that do not match their batch cut the link, verdicts of no batch do not", "[actors]") {
  say(protocol::link_verdicts{77, {{}}});
  run();
  CHECK(is_linked());
  send({1, 2});
  say(protocol::link_verdicts{batches.at(0).batch, {{}}});
  run();
  CHECK_FALSE(is_linked());
  CHECK(count(send_state::unknown) == 2);
  say(protocol::link_verdicts{batches[0].batch, {{}, {}}});
  run();
  CHECK(results.size() == 2);
}

TEST_CASE_METHOD(raw_link, "messages that no Ringmaster executor sends cut the link", "[actors][links]") {
  SECTION("an empty batch of results") { say(protocol::link_reports{1, {}}); }
  SECTION("a result of no run") { say(protocol::link_reports{1, {{core::log_id{0}, start, 200, {}}}}); }
  SECTION("an endless answer") { say(protocol::link_answer{1, {200, std::string(2'000'000, 'x')}}); }
  SECTION("the end of our gate") { caf::anon_send_exit(node, caf::exit_reason::kill); }
  run();
  CHECK_FALSE(is_linked());
  CHECK(callbacks.empty());
}

TEST_CASE_METHOD(raw_link, "more results than receipts allow cut the link", "[actors][links]") {
  store_is_silent = true;
  for (std::uint64_t batch = 1; batch <= actors::link_windows::reports; ++batch)
    say(protocol::link_reports{batch, {{core::log_id{5}, start, 200, {}}}});
  run();
  CHECK(is_linked());
  say(protocol::link_reports{99, {{core::log_id{5}, start, 200, {}}}});
  run();
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(raw_link, "questions are answered, or given up without an answer", "[actors][links]") {
  auto idle = later<protocol::probe_reply>(native(), protocol::probe_request{core::job_id{7}, true});
  const protocol::log_request wanted{core::log_id{12}, start + 1234ms, 3, {}, {}, core::log_bounds{5000, 2}};
  auto log = later<protocol::log_reply>(native(), wanted);
  auto kill = later<protocol::probe_reply>(native(), protocol::kill_request{core::job_id{7}});
  run();
  REQUIRE(questions.size() == 3);
  CHECK(questions[1].topic == protocol::link_topic::log);
  CHECK(questions[1].log_time == start + 1s);
  CHECK(questions[1].bounds == core::log_bounds{5000, 2});
  say(protocol::link_answer{questions[1].number, {}, core::log_lines{3, 4, "one\ntwo\n", true, core::log_size{4, 20}}});
  say(protocol::link_answer{questions[0].number, {500, "job thread is running or has trigger queue."}});
  run();
  REQUIRE(*log);
  CHECK((**log)->answered);
  CHECK((**log)->content == "one\ntwo\n");
  CHECK((**log)->to_line == 4);
  CHECK((**log)->size == core::log_size{4, 20});
  CHECK((**log)->end);
  REQUIRE(*idle);
  CHECK((**idle)->code == 500);
  CHECK_FALSE(*kill);
  advance(4s);
  REQUIRE(*kill);
  CHECK((**kill)->code == 0);
  auto taken = later<protocol::probe_reply>(
    native(), protocol::probe_request{core::job_id{7}, true, {}, core::log_id{12}, start + 1234ms});
  run();
  REQUIRE(questions.size() == 4);
  CHECK(questions[3].topic == protocol::link_topic::known);
  CHECK(questions[3].run == core::log_id{12});
  CHECK(questions[3].log_time == start + 1s);
  say(protocol::link_answer{questions[3].number, {404, "this run never came"}});
  run();
  REQUIRE(*taken);
  CHECK((**taken)->of_run);
  CHECK((**taken)->code == 404);
  CHECK_FALSE((**idle)->of_run);
  auto cut = later<protocol::probe_reply>(native(), protocol::probe_request{});
  run();
  caf::anon_send_exit(gate_there, caf::exit_reason::kill);
  run();
  REQUIRE(*cut);
  CHECK((**cut)->code == 0);
  CHECK((**cut)->message.find("cut") != std::string::npos);
}

TEST_CASE_METHOD(raw_link, "results are acknowledged when the store has them, and refused otherwise", "[actors][links]") {
  send({12});
  say(protocol::link_reports{1, {{core::log_id{12}, start, 200, "done"}}});
  run();
  REQUIRE(callbacks.size() == 1);
  CHECK(callbacks[0].message == "done");
  CHECK(callbacks[0].log_time == start);
  REQUIRE(receipts.size() == 1);
  CHECK(receipts[0].kept);
  store_fails = true;
  say(protocol::link_reports{2, {{core::log_id{12}, start, 200, "a \xff b"}}});
  run();
  REQUIRE(receipts.size() == 2);
  CHECK(receipts[1].batch == 2);
  CHECK_FALSE(receipts[1].kept);
  CHECK(callbacks.back().message == "a \xEF\xBF\xBD b");
}

TEST_CASE_METHOD(raw_link, "the common token reports for every run, whichever node sent it", "[actors][links]") {
  // A run of another node, or of a group in which users entered this address.
  say(protocol::link_reports{1, {{core::log_id{13}, start, 200, "done"}}});
  run();
  // A run of this node, sent before the executor connected again.
  send(native(), {run_of(14, 9)});
  REQUIRE(batches.size() == 1);
  greet("pay-worker", "secret");
  say(protocol::link_reports{1, {{core::log_id{14}, start, 200, "done"}}});
  run();
  REQUIRE(callbacks.size() == 2);
  CHECK_FALSE(callbacks[0].only_of);
  CHECK_FALSE(callbacks[1].only_of);
}

TEST_CASE_METHOD(raw_group_link, "a group's token reports for its groups, and for runs sent here", "[actors][links]") {
  send(native(), {run_of(12, 9)});
  say(protocol::link_reports{1, {{core::log_id{12}, start, 200, "done"}, {core::log_id{13}, start, 0, std::nullopt}}});
  run();
  REQUIRE(callbacks.size() == 2);
  CHECK_FALSE(callbacks[0].only_of);
  REQUIRE(callbacks[1].only_of);
  CHECK(*callbacks[1].only_of == std::vector{core::group_id{9}});
}

TEST_CASE_METHOD(raw_link, "messages that do not show the key of the link change nothing", "[actors][links]") {
  CHECK(node_key != protocol::link_key{});
  send({12});
  auto idle = later<protocol::probe_reply>(native(), protocol::probe_request{core::job_id{7}, true});
  run();
  CHECK(seen == std::vector(seen.size(), own_key));
  const auto good = node_key;
  for (const auto key : {protocol::link_key{}, own_key, protocol::link_key{good.high, good.low ^ 1}}) {
    node_key = key;
    say(protocol::link_verdicts{batches.at(0).batch, {{500, "forged"}}});
    say(protocol::link_answer{questions.at(0).number, {500, "forged"}});
    say(protocol::link_reports{1, {{core::log_id{12}, start, 500, "forged"}}});
    say(protocol::link_reports{1, {}});
    say(protocol::link_goodbye{});
    run();
  }
  CHECK(is_linked());
  CHECK(results.empty());
  CHECK(callbacks.empty());
  CHECK(registry.removals->empty());
  CHECK_FALSE(*idle);
  node_key = good;
  say(protocol::link_verdicts{batches[0].batch, {{}}});
  run();
  CHECK(count(send_state::answered, 200) == 1);
}

TEST_CASE_METHOD(raw_link, "a window limits the bytes on their way, until verdicts arrive or the link is given up", "[actors]") {
  std::vector<core::claimed_run> large;
  for (std::int64_t id = 1; id <= 12; ++id)
    large.push_back(run_of(id, 4, std::string(1'000'000, 'x')));
  send(native(), std::move(large));
  CHECK(batches.size() == 8);
  say(protocol::link_verdicts{batches.at(0).batch, {{}}});
  run();
  CHECK(batches.size() == 9);
  CHECK(count(send_state::answered, 200) == 1);
  // At their deadline the runs are unknown, but may still wait on this node to be written.
  advance(3500ms);
  CHECK(count(send_state::unknown) == 8);
  CHECK(count(send_state::not_sent) == 3);
  send({100});
  CHECK(batches.size() == 10); // a small one still has room
  send(native(), {run_of(101, 4, std::string(1'000'000, 'x'))});
  CHECK(batches.size() == 10);
  say(protocol::link_verdicts{batches.at(1).batch, {{}}}); // late: only frees room
  run();
  CHECK(batches.size() == 11);
  CHECK(count(send_state::answered) == 1);
  CHECK(is_linked());
  advance(3s);
  CHECK_FALSE(is_linked());
  CHECK(results.size() == 14);
}
