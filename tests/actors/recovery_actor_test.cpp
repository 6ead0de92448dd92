#include "actors/admin/recovery_actor.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using calls = std::vector<std::string>;
using core::log_id;
using test::store_fault;

namespace {

constexpr auto address = "http://10.0.0.3:9999/";
const protocol::log_reply missing{true, 0, "readLog fail, logFile not exists"};
const protocol::log_reply started{true, 1, "<br>----------- xxl-job job execute start -----------\n"};
const protocol::probe_reply idle{200, {}};
const protocol::probe_reply busy{500, "job thread is running or has trigger queue."};

protocol::send_result answer(std::int32_t code, std::string message = {}) {
  return test::send_outcome(protocol::send_state::answered, code, std::move(message));
}
protocol::send_result no_answer(protocol::send_state state) { return test::send_outcome(state); }

core::planned_run planned(const core::scheduled_job& job, const std::string& to) {
  core::planned_run run;
  run.spec = job.spec;
  run.fire_at = *job.next;
  run.address = to;
  run.retry_left = job.spec->retry_count;
  return run;
}

/// A node in its second life, with runs that its first one claimed.
struct recovery : test::virtual_time {
  recovery() { former = test::expect(look->cluster().enter("a", "a:8080")); }

  core::declared_job& declare(const std::string& key) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    job.handler = "handler";
    return declared.jobs.emplace_back(std::move(job));
  }

  std::vector<std::string> declare_many(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i)
      keys.push_back(declare("job-" + std::to_string(i)).key);
    return keys;
  }

  /// The rows of `keys` in the former life: one run each, claimed for now.
  std::vector<core::claimed_run> claim(const std::vector<std::string>& keys, const std::string& to = address) {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    test::expect(look->deploys().apply(declared, false, false, civil()));
    core::claim_batch batch;
    batch.owner = former;
    batch.sequence = ++sequence;
    batch.seen_revision = 1'000'000;
    for (const auto& job : test::expect(look->firings().edits_since(0, 1000))) {
      for (std::size_t i = 0; i < declared.jobs.size(); ++i)
        if (core::number(job.spec->id) == static_cast<std::int32_t>(i + 1) && std::find(keys.begin(), keys.end(), declared.jobs[i].key) != keys.end()) {
          batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
          batch.runs.push_back(planned(job, to));
        }
    }
    auto outcome = test::expect(look->firings().claim(batch, civil()));
    REQUIRE(outcome.runs.size() == keys.size());
    return outcome.runs;
  }
  core::claimed_run claim_one(const std::string& to = address) { return claim({declared.jobs.back().key}, to)[0]; }

  /// The node comes back.
  void begin() {
    life = test::expect(look->cluster().enter("a", "a:8080"));
    storage.record->records_for = life;
    actors::recovery_settings settings;
    actor = spawn<actors::recovery_actor_state, protocol::recovery_actor>(storage.actor, pool.actor, settings, clock(), silent_log());
    tell(actor, protocol::life_change{life});
    run();
  }

  /// The executor's result is stored.
  void call_back(const core::claimed_run& run, const core::node_life& recorder) {
    core::record_batch batch;
    batch.owner = recorder;
    batch.callbacks.push_back({run.id, 200, "done", run.plan.spec});
    test::expect(look->firings().record(batch, civil()));
  }

  [[nodiscard]] core::log_row row(const core::claimed_run& run) { return test::expect(look->logs().rows(std::vector{run.id})).at(0); }
  [[nodiscard]] const std::vector<core::trigger_result>& verdicts() const { return storage.record->triggers; }
  [[nodiscard]] static std::string id(const core::claimed_run& run) { return std::to_string(core::number(run.id)); }
  [[nodiscard]] static std::string job(const core::claimed_run& run) { return std::to_string(core::number(run.plan.spec->id)); }
  [[nodiscard]] calls asked(const core::claimed_run& run) const { return {"idle " + job(run), "log " + id(run)}; }
  [[nodiscard]] calls asked_and_sent(const core::claimed_run& run) const { return {"idle " + job(run), "log " + id(run), "run " + id(run) + "/1"}; }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  test::faulty_store store{database.open()};
  test::storage_double storage{*this, store};
  test::pool_double pool{*this};
  std::shared_ptr<test::executor_record> executor = pool.executor(address);
  core::declared_set declared;
  core::node_life former;
  core::node_life life;
  std::int64_t sequence = 0;
  protocol::recovery_actor actor;
};

} // namespace

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

TEST_CASE_METHOD(recovery, "what became of the second sending decides", "[actors]") {
  struct outcome {
    protocol::send_result sent;
    std::int32_t code;
    std::string message;
  };
  auto expected = GENERATE_REF(values<outcome>({
    {answer(200), 200, ""},
    {answer(500, "block strategy effect：Discard Later"), 500, "delivery unknown: the second sending was refused: block strategy effect：Discard Later"},
    {no_answer(protocol::send_state::unknown), 500, "delivery unknown: no answer to the second sending"},
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

TEST_CASE_METHOD(recovery, "a second sending without any outcome ends as unknown", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a closed gate leaves the run to the next life", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  executor->send = no_answer(protocol::send_state::gate_closed);
  begin();
  advance(1s);
  CHECK(verdicts().empty());
  tell(actor, protocol::life_change{});
  auto calls_before = executor->calls;
  advance(60s);
  CHECK(executor->calls == calls_before);
  executor->log = started;
  life = test::expect(look->cluster().enter("a", "a:8080"));
  storage.record->records_for = life;
  tell(actor, protocol::life_change{life});
  advance(1s);
  CHECK(row(run).trigger_code == 200);
  CHECK(executor->runs.size() == 1);
}

TEST_CASE_METHOD(recovery, "who was sent twice by a former life is asked about and never sent again", "[actors]") {
  declare("settle").on_unknown = GENERATE(core::unknown_policy::ask, core::unknown_policy::resend);
  auto run = claim_one();
  REQUIRE(test::expect(look->firings().permit_resend(former, run.claim, run.id)));
  executor->log = missing;
  begin();
  advance(2s);
  CHECK(executor->runs.empty());
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].code == 500);
  CHECK(verdicts()[0].delivery_unknown);
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

TEST_CASE_METHOD(recovery, "what cannot be told within the limit ends as unknown, without retries", "[actors]") {
  declare("settle").retry_count = 3;
  auto run = claim_one();
  SECTION("an answer that proves nothing") { executor->log = {true, 2, "no logs here"}; }
  SECTION("no answer to the first question") { executor->idle = {}; }
  SECTION("no answer to the second one") { executor->log = {}; }
  SECTION("silence") { executor->silent = true; }
  SECTION("no way to the executor") { pool.links->clear(); }
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

TEST_CASE_METHOD(recovery, "the row is looked at before anybody is asked", "[actors]") {
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
  // Said all the same, so that the claim is closed.
  CHECK(verdicts().size() == 1);
}

TEST_CASE_METHOD(recovery, "a result that comes while the executor is busy ends the asking", "[actors]") {
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

TEST_CASE_METHOD(recovery, "skip never sends again and asks nobody", "[actors]") {
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

TEST_CASE_METHOD(recovery, "resend asks nobody", "[actors]") {
  declare("settle").on_unknown = core::unknown_policy::resend;
  auto run = claim_one();
  begin();
  advance(1s);
  CHECK(executor->calls == calls{"run " + id(run) + "/1"});
  CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(recovery, "resend of a COVER_EARLY job asks all the same: a second copy would kill the first", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a run that is late for its misfire rule is reported as missed instead of sent", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a lost permission answer does not send what is decided meanwhile", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a lost adoption answer is found by the next one", "[actors]") {
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

TEST_CASE_METHOD(recovery, "orphans of a peer that was fenced later are adopted, too", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a store that is away is waited for", "[actors]") {
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

TEST_CASE_METHOD(recovery, "an unknown run of this life is settled like an adopted one", "[actors]") {
  declare("settle");
  begin();
  former = life;
  auto run = claim_one();
  executor->log = missing;
  tell(actor, protocol::unknown_batch{{run}});
  advance(499ms);
  CHECK(executor->calls.empty());
  advance(600ms);
  CHECK(executor->calls == asked_and_sent(run));
  CHECK(row(run).trigger_code == 200);
  CHECK(verdicts()[0].claim == run.claim);
  CHECK(storage.record->opened_claims.empty());
}

TEST_CASE_METHOD(recovery, "a run that was reported before its claim went over counts for the claim's new number", "[actors]") {
  declare("settle");
  auto run = claim_one();
  executor->log = missing;
  storage.record->latency = [] { return std::pair{0ms, 200ms}; };
  begin();
  tell(actor, protocol::unknown_batch{{run}});
  advance(3s);
  CHECK(executor->runs.size() == 1);
  CHECK(row(run).trigger_code == 200);
  REQUIRE(verdicts().size() == 1);
  CHECK(verdicts()[0].claim == std::int64_t{1} << 40);
  CHECK(storage.record->opened_claims.size() == 1);
}

TEST_CASE_METHOD(recovery, "without a life nothing is decided", "[actors]") {
  declare("settle");
  auto run = claim_one();
  begin();
  tell(actor, protocol::life_change{});
  tell(actor, protocol::unknown_batch{{run}});
  advance(120s);
  CHECK(executor->calls.empty());
  CHECK(verdicts().empty());
}

TEST_CASE_METHOD(recovery, "a result that comes between the look and the permission is not overrun", "[actors]") {
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

TEST_CASE_METHOD(recovery, "a bounded number of runs talks to executors at once", "[actors]") {
  auto keys = declare_many(200);
  std::vector<std::shared_ptr<test::executor_record>> executors;
  for (std::size_t i = 0; i < 20; ++i) {
    auto to = "http://10.0.0.3:" + std::to_string(7000 + i) + "/";
    executors.push_back(pool.executor(to));
    executors.back()->silent = true;
    claim({keys.begin() + static_cast<std::ptrdiff_t>(i * 10), keys.begin() + static_cast<std::ptrdiff_t>(i * 10 + 10)}, to);
  }
  begin();
  advance(1s);
  std::size_t asked = 0;
  for (const auto& each : executors) {
    asked += each->calls.size();
    CHECK(each->calls.size() <= actors::recovery_actor_state::asks_per_address_max);
    CHECK(each->calls.size() >= 3);
  }
  CHECK(asked == actors::recovery_actor_state::asks_max);
  for (const auto& each : executors) {
    each->silent = false;
    each->log = started;
  }
  advance(30s);
  CHECK(verdicts().size() == 200);
}

TEST_CASE_METHOD(recovery, "an executor that is gone does not hold up the runs of another, and all of its own end in time", "[actors]") {
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

// Invariants F2 and F7 for what recovery does: whatever executors and the store answer, each run is sent at most once more, never after it
// was decided, and ends with one verdict.
TEST_CASE("whatever is answered, a run is sent at most once more and ends once", "[actors]") {
  auto seed = GENERATE(range(1u, 41u));
  CAPTURE(seed);
  recovery world;
  std::mt19937 random{seed};
  auto one_of = [&random](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  for (auto& key : world.declare_many(12)) {
    auto& job = *std::find_if(world.declared.jobs.begin(), world.declared.jobs.end(), [&](const auto& each) { return each.key == key; });
    job.on_unknown = one_of(core::unknown_policy::ask, core::unknown_policy::skip, core::unknown_policy::resend);
    job.block = one_of(core::block_strategy::serial_execution, core::block_strategy::cover_early);
    job.misfire = one_of(core::misfire_policy::do_nothing, core::misfire_policy::fire_once_now);
    job.retry_count = 2;
  }
  std::vector<std::string> keys;
  for (const auto& job : world.declared.jobs)
    keys.push_back(job.key);
  auto runs = world.claim(keys);
  std::map<core::log_id, int> delivered;
  world.executor->before_answer = [&](test::executor_record& executor) {
    executor.idle = one_of(idle, idle, busy, protocol::probe_reply{});
    executor.log = one_of(missing, missing, started, protocol::log_reply{}, protocol::log_reply{true, 3, "something else"});
    executor.send = one_of(answer(200), answer(500, "no"), no_answer(protocol::send_state::unknown), no_answer(protocol::send_state::not_sent),
                           no_answer(protocol::send_state::not_sent));
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
