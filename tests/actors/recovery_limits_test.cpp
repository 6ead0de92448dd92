#include "core/routing/lanes.hpp"
#include "tests/actors/recovery_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(recovery, "only a few runs of executors that do not answer are asked about at once", "[actors]") {
  auto keys = declare_many(200);
  std::vector<std::shared_ptr<test::executor_record>> executors;
  for (std::size_t i = 0; i < 10; ++i) {
    auto to = "http://10.0.0.3:" + std::to_string(7000 + i) + "/";
    executors.push_back(pool.executor(to));
    executors.back()->silent = true;
    claim({keys.begin() + static_cast<std::ptrdiff_t>(i * 20), keys.begin() + static_cast<std::ptrdiff_t>(i * 20 + 20)}, to);
  }
  begin();
  advance(1s);
  for (const auto& each : executors)
    CHECK(each->calls.size() == actors::recovery_actor_state::asks_per_quiet_address_max);
  for (const auto& each : executors) {
    each->silent = false;
    each->log = started;
  }
  advance(30s);
  CHECK(verdicts().size() == 200);
}

TEST_CASE_METHOD(recovery, "runs left by a crash are sent about as fast as at first, and none is missed by waiting",
                 "[actors]") {
  constexpr std::size_t count = 1000;
  auto keys = declare_many(count);
  for (auto& job : declared.jobs)
    job.misfire = core::misfire_policy::do_nothing;
  claim(keys);
  executor->log = missing;
  begin();
  SECTION("the executor is quick") {
    executor->takes = 50ms;
    advance(1500ms);
  }
  SECTION("the executor is slow: the last have their turn later than the misfire policy allows") {
    executor->takes = 1s;
    advance(12s);
  }
  CHECK(executor->runs.size() == count);
  CHECK(verdicts().size() == count);
  for (const auto& verdict : verdicts())
    CHECK(verdict.code == 200);
}

TEST_CASE_METHOD(recovery, "permissions that are needed together take one transaction", "[actors]") {
  claim(declare_many(300));
  executor->log = missing;
  storage.record->latency = [] { return std::pair{10ms, 10ms}; };
  begin();
  std::size_t permits = 0;
  store.after = [&](std::string_view method) { permits += method == "permit_resend"; };
  advance(3s);
  CHECK(executor->runs.size() == 300);
  CHECK(permits < 20);
}

TEST_CASE_METHOD(recovery, "a question whose connection broke is repeated at once", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  bool idle_broke = false, log_broke = false;
  executor->before_answer = [&](test::executor_record& record) {
    record.idle = idle;
    record.log = missing;
    if (record.calls.back().rfind("idle", 0) == 0 && !std::exchange(idle_broke, true))
      record.idle = {0, "connection reset by peer"};
    if (record.calls.back().rfind("log", 0) == 0 && !std::exchange(log_broke, true))
      record.log = {.error = "connection reset by peer"};
  };
  begin();
  advance(700ms);
  CHECK(executor->calls
        == calls{"idle " + job(run), "idle " + job(run), "log " + id(run), "log " + id(run), "run " + id(run) + "/1"});
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "one run whose questions all fail does not delay the others", "[actors]") {
  auto runs = claim(declare_many(100));
  executor->log = missing;
  executor->before_answer = [&](test::executor_record& record) {
    record.idle = record.calls.back() == "idle " + job(runs[0]) ? protocol::probe_reply{0, "connection reset by peer"} : idle;
  };
  begin();
  advance(800ms);
  CHECK(executor->runs.size() == 99);
  CHECK(row(runs[0]).trigger_code == 0);
}

TEST_CASE_METHOD(recovery, "runs that wait for a silent executor go on as soon as it answers", "[actors]") {
  auto keys = declare_many(100);
  for (auto& job : declared.jobs)
    job.misfire = core::misfire_policy::fire_once_now;
  claim(keys);
  bool times_out = GENERATE(true, false);
  executor->log = missing;
  if (times_out)
    executor->silent = true;
  else
    executor->idle = {0, "connection refused"};
  begin();
  advance(31s);
  CHECK(executor->calls.size() < 100);
  executor->silent = false;
  executor->idle = idle;
  // The run that asks for all is repeated within a second, or when its question has reached its limit.
  advance(times_out ? 11s : 1300ms);
  CHECK(executor->runs.size() == 100);
  CHECK(verdicts().size() == 100);
}

TEST_CASE_METHOD(recovery, "a run is missed if its executor gave no clear answer within the misfire limit", "[actors]") {
  declare("settle").misfire = core::misfire_policy::do_nothing;
  auto run = claim_one();
  executor->log = missing;
  executor->idle = busy;
  begin();
  advance(7s);
  executor->idle = idle;
  advance(3s);
  CHECK(executor->runs.empty());
  CHECK(row(run).trigger_msg.find("missed: ") != std::string::npos);
}

TEST_CASE_METHOD(recovery, "an executor that is gone does not delay others, and its own runs end in time", "[actors]") {
  auto keys = declare_many(301);
  claim({keys.begin(), keys.end() - 1});
  auto there = pool.executor("http://10.0.0.4:9999/");
  there->log = started;
  auto run = claim({keys.back()}, "http://10.0.0.4:9999/")[0];
  executor->silent = true;
  begin();
  advance(1s);
  CHECK(row(run).trigger_code == 200);
  advance(85s);
  CHECK(verdicts().size() == 301);
  CHECK(executor->calls.size() < 100);
}

// Invariants F2 and F7 for recovery: whatever executors and the store answer, each run is sent at most once more, never after it
// was decided, and ends with one verdict.
TEST_CASE("for any answers, a run is sent at most once more and ends once", "[actors]") {
  auto seed = GENERATE(range(1u, 41u));
  CAPTURE(seed);
  recovery world;
  std::mt19937 random{seed};
  auto one_of = [&random](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  auto keys = world.declare_many(12);
  for (auto& job : world.declared.jobs) {
    job.on_unknown = one_of(core::unknown_policy::ask, core::unknown_policy::skip, core::unknown_policy::resend);
    job.block = one_of(core::block_strategy::serial_execution, core::block_strategy::cover_early);
    job.misfire = one_of(core::misfire_policy::do_nothing, core::misfire_policy::fire_once_now);
    job.retry_count = 2;
  }
  auto runs = world.claim(keys);
  std::map<core::log_id, int> delivered;
  world.executor->before_answer = [&](test::executor_record& executor) {
    executor.idle = one_of(idle, idle, busy, protocol::probe_reply{});
    executor.log = one_of(missing, missing, started, protocol::log_reply{}, protocol::log_reply{true, 3, "something else"});
    auto not_sent = no_answer(protocol::send_state::not_sent);
    executor.send = one_of(answer(200), answer(500, "no"), no_answer(protocol::send_state::unknown), not_sent, not_sent);
    if (executor.calls.back().rfind("run ", 0) == 0 && executor.send->state != protocol::send_state::not_sent) {
      auto id = core::log_id{std::stoll(executor.calls.back().substr(4))};
      ++delivered[id];
      auto row = test::expect(world.look->logs().rows(std::vector{id})).at(0);
      CHECK(row.trigger_code == 0);
    }
  };
  world.begin();
  world.store.fault_of = [&](std::string_view method) {
    if (method == "record")
      return store_fault::none;
    if (random() % 40 == 0)
      world.call_back(runs[random() % runs.size()], world.life);
    return one_of(store_fault::none, store_fault::none, store_fault::none, store_fault::answer_lost, store_fault::away);
  };
  world.advance(300s);
  CHECK(world.verdicts().size() == runs.size());
  for (const auto& run : runs) {
    CAPTURE(run.id, world.row(run).trigger_msg);
    CHECK(world.row(run).trigger_code != 0);
    CHECK(delivered[run.id] <= 1);
    if (run.plan.spec->on_unknown == core::unknown_policy::skip)
      CHECK(delivered[run.id] == 0);
  }
  CHECK(test::expect(world.look->firings().waiting_intents(world.civil() + 1h, 10)).empty());
}

TEST_CASE_METHOD(recovery, "reported runs hold their slots until there is room for them", "[actors]") {
  constexpr auto room = static_cast<std::uint32_t>(actors::recovery_actor_state::runs_max);
  using freed = std::array<std::uint32_t, 2>;
  begin();
  protocol::unknown_batch batch;
  for (std::uint32_t i = 0; i < room + 300; ++i) {
    auto& run = batch.runs.emplace_back().run;
    run.id = core::log_id{1'000 + i};
    run.plan.lane = i < 100 ? core::slow_lane : core::fast_lane;
  }
  tell(actor, batch);
  run();
  CHECK(pool.freed->lanes == freed{room - 100, 100});
  SECTION("some are decided") {
    // No claim of this incarnation holds them: another one does.
    advance(10s);
    CHECK(pool.freed->lanes == freed{room + 200, 100});
    tell(actor, batch);
    run();
    CHECK(pool.freed->lanes == freed{2 * room + 100, 200});
  }
  SECTION("the incarnation ends") {
    tell(actor, protocol::incarnation_change{std::nullopt});
    run();
    CHECK(pool.freed->lanes == freed{room + 200, 100});
    tell(actor, batch);
    run();
    CHECK(pool.freed->lanes == freed{2 * (room + 200), 200});
  }
}
