#include <numeric>

#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::send_state;
using test::natively_linked;
using test::worker_address;

namespace {

std::vector<std::int64_t> numbers(std::size_t count) {
  std::vector<std::int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), 1);
  return ids;
}

} // namespace

TEST_CASE_METHOD(natively_linked, "a run goes over the native link with all fields of /run", "[actors][links]") {
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

TEST_CASE_METHOD(natively_linked, "a refused run has its text, and a repeat counts as accepted after a second sending",
                 "[actors][links]") {
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
  CHECK(count(send_state::answered, 200) == 1);
  CHECK(count(send_state::unknown) == 1);
  CHECK(results.back().repeated);
  auto again = run_of(2);
  again.attempt = 1;
  send(native(), {again});
  CHECK(count(send_state::answered, 200) == 2);
}

TEST_CASE_METHOD(natively_linked, "a run is unknown if its executor is not sure, and not sent if the executor stops",
                 "[actors][links]") {
  dial();
  executor->verdict = [](const core::trigger_request&) { return core::trigger_reply{0, ""}; };
  send({1});
  CHECK(count(send_state::unknown) == 1);
  executor->verdict = [](const core::trigger_request&) { return core::trigger_reply{503, "this executor is stopping"}; };
  send({2});
  REQUIRE(count(send_state::not_sent, 503) == 1);
  CHECK(results.back().message == "this executor is stopping");
  // Other executors of the group are preferred for a while, as over HTTP.
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

TEST_CASE_METHOD(natively_linked, "after a cut, runs on their way are unknown and the others go by HTTP", "[actors]") {
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
  // A sender that still has the handle is served, too.
  send(link, {run_of(4)});
  CHECK(http->calls.back() == "run 4/0");
  CHECK(count(send_state::answered, 200) == 2);
  CHECK(results.size() == 4);
  auto probe = ask<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true});
  REQUIRE(probe);
  CHECK(probe->code == 200);
  CHECK(http->calls.back() == "idle 7");
}

TEST_CASE_METHOD(natively_linked, "a window limits runs on their way, and runs without room are not sent", "[actors][links]") {
  dial();
  executor->silent = true;
  send(numbers(5000));
  CHECK(executor->runs.size() == actors::run_flights::runs_max);
  advance(10s);
  CHECK(results.size() == 5000);
  CHECK(count(send_state::unknown) + count(send_state::not_sent) == 5000);
  CHECK(count(send_state::unknown) == executor->runs.size());
}

TEST_CASE_METHOD(natively_linked, "a full window continues as soon as verdicts arrive", "[actors][links]") {
  dial();
  send(numbers(20'000));
  CHECK(count(send_state::answered, 200) == 20'000);
}

TEST_CASE_METHOD(natively_linked, "a cut link never sends requests to itself, whatever the pool answers", "[actors][links]") {
  dial();
  const auto link = native();
  kill_executor();
  tell(pool.actor, protocol::native_link_update{worker_address, link, true});
  const auto probe = ask<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true});
  REQUIRE(probe);
  CHECK(probe->code == 200);
  CHECK(http->calls.back() == "idle 7");
}

TEST_CASE_METHOD(natively_linked, "a cut link answers the questions that it passes on, even if the other link fails",
                 "[actors][links]") {
  dial();
  const auto link = native();
  kill_executor();
  SECTION("the other link has ended") {
    caf::anon_send_exit(pool.links->at(worker_address), caf::exit_reason::kill);
    run();
    const auto probe = ask<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true});
    REQUIRE(probe);
    CHECK(probe->code == 0);
    CHECK(probe->message == "cannot reach the executor");
    const auto log = ask<protocol::log_reply>(link, protocol::log_request{core::log_id{12}, start, 1});
    REQUIRE(log);
    CHECK_FALSE(log->answered);
    CHECK(log->error == "cannot reach the executor");
  }
  SECTION("the other link ends before its answer") {
    http->silent = true;
    const auto probe = later<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true});
    run();
    CHECK_FALSE(*probe);
    caf::anon_send_exit(pool.links->at(worker_address), caf::exit_reason::kill);
    run();
    http->unanswered.clear();
    run();
    REQUIRE(*probe);
    REQUIRE(**probe);
    CHECK((**probe)->code == 0);
  }
  SECTION("the other link does not answer in time") {
    http->silent = true;
    const auto killed = later<protocol::probe_reply>(link, protocol::kill_request{core::job_id{7}});
    const config::trigger_settings settings;
    advance(settings.connect_timeout + settings.request_timeout);
    CHECK_FALSE(*killed);
    advance(1s);
    REQUIRE(*killed);
    REQUIRE(**killed);
    CHECK((**killed)->message == "cannot reach the executor");
  }
}
