#include "actors/store/storage_actor.hpp"

#include <algorithm>

#include "protocol/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/pulse.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::store_fault;

namespace {

/// A storage_actor with one worker whose tasks take `latency` each, like SQLite with one writer.
struct storing : test::virtual_time {
  storing() {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    for (int i = 0; i < 40; ++i)
      declare("job-" + std::to_string(i));
    test::expect(look->deploys().apply(declared, false, false, civil()));
    jobs = test::expect(look->firings().edits_since(0, 1000));
    life = test::expect(look->cluster().enter("a", "a:8080"));
    worker = track(system().spawn([this](protocol::store_worker::pointer self) -> protocol::store_worker::behavior_type {
      return {[this, self](protocol::store_task& task) -> caf::result<void> {
        auto promise = self->make_response_promise<void>();
        ++tasks;
        self->run_delayed(latency, [this, task = std::move(task), promise]() mutable {
          task.run(&store);
          promise.deliver();
        });
        return promise;
      }};
    }));
    listener = track(system().spawn([this]() -> protocol::claim_listener::behavior_type {
      return {[this](protocol::claim_reply& reply) { replies.push_back(std::move(reply)); }};
    }));
    auto intent_listener = track(system().spawn([this]() -> protocol::intent_listener::behavior_type {
      return {[this](protocol::intent_batch& batch) {
        for (const auto& one : batch.items)
          intents.push_back(core::number(one.job));
      }};
    }));
    begin(100);
    tell(actor, protocol::store_listener{intent_listener});
    tell(actor, protocol::incarnation_change{life});
    run();
    store.refuses_record = [this](const core::record_batch& batch) {
      batches.push_back(batch.triggers.size() + batch.callbacks.size());
      return std::any_of(batch.triggers.begin(), batch.triggers.end(), [&](const auto& t) { return t.id == poison; })
             || std::any_of(batch.callbacks.begin(), batch.callbacks.end(), [&](const auto& c) { return c.id == poison; });
    };
  }

  void begin(std::size_t rows_max) {
    actor = spawn<actors::storage_actor_state, protocol::storage_actor>(actors::storage_workers{worker, worker, worker}, rows_max,
                                                                        clock(), silent_log());
  }

  void declare(const std::string& key) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    job.handler = "handler";
    declared.jobs.push_back(std::move(job));
  }

  /// Claims the next instant of `count` jobs from `first`.
  void claim(std::size_t first, std::size_t count = 1) {
    core::claim_batch batch;
    batch.owner = life;
    batch.sequence = ++sequence;
    batch.seen_revision = 1'000'000;
    for (auto i = first; i < first + count; ++i) {
      auto next = *jobs[i].next;
      batch.moves.push_back({jobs[i].spec->id, next, next, next + 1s});
      core::planned_run run;
      run.spec = jobs[i].spec;
      run.fire_at = next;
      run.address = "http://10.0.0.3:9999/";
      batch.runs.push_back(std::move(run));
      jobs[i].next = next + 1s;
    }
    tell(actor, protocol::claim_request{std::move(batch), listener});
  }
  /// Claims, and waits for the runs.
  std::vector<core::claimed_run> claimed(std::size_t first, std::size_t count = 1) {
    claim(first, count);
    advance(latency);
    REQUIRE(replies.back().outcome);
    REQUIRE(replies.back().outcome->runs.size() == count);
    return replies.back().outcome->runs;
  }

  static core::trigger_result result_of(const core::claimed_run& run, std::int32_t code = 200) {
    return {.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = code, .message = code == 200 ? "" : "no"};
  }
  void record(const core::claimed_run& run, std::int32_t code = 200) {
    tell(actor, protocol::trigger_results{{result_of(run, code)}});
  }
  auto call_back(std::vector<core::log_id> ids) {
    protocol::callback_batch batch;
    for (auto id : ids)
      batch.items.push_back({id, 200, "done", nullptr});
    return later<protocol::callbacks_stored>(actor, std::move(batch));
  }

  [[nodiscard]] core::log_row row(const core::claimed_run& run) {
    return test::expect(look->logs().rows(std::vector{run.id})).at(0);
  }
  [[nodiscard]] std::vector<std::int64_t> open() { return test::expect(look->firings().open_claims(life)); }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  test::faulty_store store{database.open()};
  core::declared_set declared;
  std::vector<core::scheduled_job> jobs;
  core::node_incarnation life;
  std::int64_t sequence = 0;
  std::chrono::milliseconds latency{5};
  std::size_t tasks = 0;
  core::log_id poison{-1};
  /// Sizes of the record batches that reached the store.
  std::vector<std::size_t> batches;
  std::vector<protocol::claim_reply> replies;
  std::vector<std::int32_t> intents;
  protocol::store_worker worker;
  protocol::claim_listener listener;
  protocol::storage_actor actor;
};

} // namespace

TEST_CASE_METHOD(storing, "a claim is answered once, after it is durable", "[actors]") {
  claim(0, 3);
  run();
  CHECK(replies.empty());
  advance(1s);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].sequence == 1);
  REQUIRE(replies[0].outcome);
  CHECK(replies[0].outcome->runs.size() == 3);
  CHECK(open() == std::vector<std::int64_t>{1});
}

TEST_CASE_METHOD(storing, "a claim of an unavailable store is repeated until it works, then answered once", "[actors]") {
  auto status = [this] { return *ask<protocol::node_status>(actor, protocol::status_query{}); };
  CHECK(status().ready);
  store.go_away();
  claim(0);
  advance(10s);
  CHECK(replies.empty());
  CHECK_FALSE(status().ready);
  REQUIRE(status().reasons.size() == 1);
  CHECK(status().reasons[0].find("the database cannot claim: ") == 0);
  auto tried = tasks;
  CHECK(tried >= 7); // 50, 100 .. 2000 ms apart
  CHECK(tried <= 15);
  store.come_back();
  advance(2100ms);
  REQUIRE(replies.size() == 1);
  CHECK(status().ready);
  CHECK(replies[0].outcome->runs.size() == 1);
  advance(10s);
  CHECK(replies.size() == 1);
}

TEST_CASE_METHOD(storing, "results are refused while the wall clock is in doubt", "[actors]") {
  const auto runs = claimed(0);
  clock().set_verdict(protocol::clock_verdict::distrusted);
  auto refused = call_back({runs[0].id});
  advance(1s);
  REQUIRE(*refused);
  REQUIRE_FALSE(**refused);
  CHECK(protocol::to_core((*refused)->error()).context
        == "the wall clock of this node is not trusted yet: see /readyz, and try again");
  CHECK(row(runs[0]).handle_code == 0);
  clock().set_verdict(protocol::clock_verdict::trusted);
  auto stored = call_back({runs[0].id});
  advance(1s);
  REQUIRE(*stored);
  CHECK(**stored);
  CHECK(row(runs[0]).handle_code == 200);
}

TEST_CASE_METHOD(storing, "a claim whose answer was lost is not made twice", "[actors]") {
  store.once("claim", store_fault::answer_lost);
  claim(0, 2);
  advance(1s);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].outcome->runs.size() == 2);
  CHECK(test::expect(look->logs().rows_after(core::log_id{0}, 10)).size() == 2);
}

TEST_CASE_METHOD(storing, "a fenced claim reaches its listener and is not repeated", "[actors]") {
  test::expect(look->cluster().enter("a", "elsewhere:8080"));
  claim(0);
  advance(5s);
  REQUIRE(replies.size() == 1);
  REQUIRE_FALSE(replies[0].outcome);
  CHECK(replies[0].outcome.error().code == core::errc::fenced);
  CHECK(tasks == 1);
}

TEST_CASE_METHOD(storing, "claims keep their order through a failure", "[actors]") {
  store.once("claim", store_fault::away);
  for (std::size_t i = 0; i < 4; ++i)
    claim(i);
  advance(1s);
  std::vector<std::int64_t> order;
  for (const auto& reply : replies)
    order.push_back(reply.sequence);
  CHECK(order == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE_METHOD(storing, "rows that queue while the worker is busy are one batch, at most rows_max of each kind", "[actors]") {
  auto runs = claimed(0, 10);
  batches.clear();
  for (const auto& run : runs)
    record(run);
  advance(1ms);
  CHECK(batches.empty());
  advance(100ms);
  CHECK(batches == std::vector<std::size_t>{1, 9});

  begin(4);
  tell(actor, protocol::incarnation_change{life});
  auto more = claimed(10, 9);
  batches.clear();
  for (const auto& run : more)
    record(run);
  advance(200ms);
  CHECK(batches == std::vector<std::size_t>{1, 4, 4});
  for (const auto& run : more)
    CHECK(row(run).trigger_code == 200);
}

TEST_CASE_METHOD(storing, "results and claims take turns", "[actors]") {
  auto runs = claimed(0, 2);
  record(runs[0]);
  for (std::size_t i = 10; i < 14; ++i)
    claim(i);
  record(runs[1]);
  run();
  // In the worker: the first result. Then a claim, the second result, the other claims.
  advance(3 * latency);
  CHECK(row(runs[1]).trigger_code == 200);
  CHECK(replies.size() == 2);
}

TEST_CASE_METHOD(storing, "callbacks are answered when they are durable, not before", "[actors]") {
  auto runs = claimed(0, 2);
  store.go_away();
  auto answer = call_back({runs[0].id, runs[1].id});
  advance(5s);
  CHECK_FALSE(*answer);
  CHECK(row(runs[0]).handle_code == 0);
  store.come_back();
  advance(2100ms);
  REQUIRE(*answer);
  CHECK(**answer);
  CHECK(row(runs[0]).handle_code == 200);
  CHECK(row(runs[1]).handle_code == 200);
}

TEST_CASE_METHOD(storing, "each sender of a merged batch has its own answer; unknown and repeated results are also answered",
                 "[actors]") {
  auto runs = claimed(0, 3);
  auto first = call_back({runs[0].id}), second = call_back({runs[1].id, runs[0].id}), third = call_back({core::log_id{999'999}});
  auto none = call_back({});
  advance(100ms);
  for (const auto& answer : {first, second, third, none}) {
    REQUIRE(*answer);
    CHECK(**answer);
  }
}

TEST_CASE_METHOD(storing, "callbacks beyond the limit are refused at once and not kept", "[actors]") {
  auto runs = claimed(0, 1);
  store.go_away();
  auto busy = call_back({runs[0].id});
  run();
  auto large = call_back(std::vector<core::log_id>(actors::storage_actor_state::callbacks_max, core::log_id{999'999}));
  run();
  CHECK_FALSE(*large);
  auto refused = call_back({runs[0].id});
  run();
  REQUIRE(*refused);
  REQUIRE_FALSE(**refused);
  CHECK(protocol::to_core((*refused)->error()).code == core::errc::too_large);
  store.come_back();
  advance(10s);
  CHECK(**busy);
  CHECK(**large);
}

TEST_CASE_METHOD(storing, "a claim is deleted about a second after its last run was recorded", "[actors]") {
  auto runs = claimed(0, 3);
  record(runs[0]);
  record(runs[1], 500);
  advance(3s);
  CHECK(open() == std::vector<std::int64_t>{1});
  record(runs[2]);
  advance(500ms);
  CHECK(open() == std::vector<std::int64_t>{1});
  advance(700ms);
  CHECK(open().empty());
}

TEST_CASE_METHOD(storing, "a resolved claim is deleted with the next results", "[actors]") {
  auto runs = claimed(0), more = claimed(1);
  record(runs[0]);
  advance(2 * latency);
  record(more[0]);
  advance(2 * latency);
  CHECK(open() == std::vector<std::int64_t>{2});
}

TEST_CASE_METHOD(storing, "adopted claims are counted like the node's own claims", "[actors]") {
  auto runs = claimed(0, 2);
  life = test::expect(look->cluster().enter("a", "a:8080"));
  tell(actor, protocol::incarnation_change{life});
  auto adopted = test::expect(look->firings().adopt(life, 1000, 10));
  REQUIRE(adopted.size() == 2);
  tell(actor, protocol::claims_opened{{{1000, 2}}});
  for (auto run : runs) {
    run.claim = 1000;
    record(run, 500);
  }
  advance(2s);
  CHECK(row(runs[0]).trigger_code == 500);
  CHECK(open().empty());
}

TEST_CASE_METHOD(storing, "the failure of an earlier incarnation's run is left to the adopting one; its success counts",
                 "[actors]") {
  auto runs = claimed(0, 3);
  store.go_away();
  record(runs[0], 500); // waits in the queue while the incarnation changes
  advance(1s);
  life = test::expect(look->cluster().enter("a", "a:8080"));
  tell(actor, protocol::incarnation_change{life});
  store.come_back();
  record(runs[1], 500); // its answer arrived after the change
  record(runs[2], 200);
  advance(5s);
  CHECK(row(runs[0]).trigger_code == 0);
  CHECK(row(runs[1]).trigger_code == 0);
  CHECK(row(runs[2]).trigger_code == 200);
  CHECK(test::expect(look->firings().adopt(life, 1000, 10)).size() == 2);
}

TEST_CASE_METHOD(storing, "a control transaction goes before every batch and is answered after it ran", "[actors]") {
  auto runs = claimed(0, 2);
  record(runs[0]); // in the worker
  claim(10);
  record(runs[1]);
  run();
  auto ran_at = std::make_shared<core::time_point>();
  auto began = civil();
  auto done =
    later<caf::unit_t>(actor, protocol::store_task{[this, ran_at](core::result<storage::store*>) { *ran_at = civil(); }});
  run();
  CHECK_FALSE(*done);
  advance(1s);
  REQUIRE(*done);
  CHECK(*ran_at - began == 2 * latency);
}

TEST_CASE_METHOD(storing, "a patient task goes after claims and results, but waits at most a second", "[actors]") {
  auto runs = claimed(0, 2);
  auto ran_at = std::make_shared<core::time_point>();
  auto began = civil();
  protocol::store_task task{[this, ran_at](core::result<storage::store*>) { *ran_at = civil(); }, protocol::store_turn::patient};
  SECTION("a claim and a result arrive after it") {
    record(runs[0]); // in the worker
    run();
    auto done = later<caf::unit_t>(actor, task);
    claim(10);
    record(runs[1]);
    advance(2s);
    CHECK(*done);
    CHECK(*ran_at - began == 4 * latency);
  }
  SECTION("there is always a claim") {
    latency = 100ms;
    claim(2); // in the worker
    run();
    auto done = later<caf::unit_t>(actor, task);
    for (std::size_t i = 3; *ran_at == core::time_point{} && i < 40; ++i) {
      claim(i);
      advance(latency);
    }
    CHECK(*ran_at - began > 1s);
    CHECK(*ran_at - began <= 1s + 2 * latency);
  }
}

TEST_CASE_METHOD(storing, "control transactions do not wait for a store that claims wait for", "[actors]") {
  store.go_away();
  claim(0);
  advance(5s);
  auto ran = std::make_shared<bool>(false);
  auto done = later<caf::unit_t>(actor, protocol::store_task{[ran](core::result<storage::store*>) { *ran = true; }});
  advance(3 * latency);
  CHECK(*ran);
  CHECK(*done);
}

TEST_CASE_METHOD(storing, "of a batch that the store refuses only the refused run is lost", "[actors]") {
  auto runs = claimed(0, 20);
  record(runs[0]);
  run();
  poison = runs[13].id;
  for (std::size_t i = 1; i < runs.size(); ++i)
    record(runs[i]);
  auto clean = call_back({runs[3].id}), mixed = call_back({runs[4].id, poison, runs[15].id});
  advance(2s);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(i);
    CHECK(row(runs[i]).trigger_code == (i == 13 ? 0 : 200));
  }
  CHECK(row(runs[3]).handle_code == 200);
  CHECK(row(runs[4]).handle_code == 200);
  CHECK(row(runs[15]).handle_code == 200);
  REQUIRE(*clean);
  CHECK(**clean);
  REQUIRE(*mixed);
  CHECK_FALSE(**mixed);
  CHECK(open() == std::vector<std::int64_t>{1}); // a later incarnation asks about the refused run
  auto tried = batches.size();
  advance(10s);
  CHECK(batches.size() == tried); // nothing is repeated indefinitely
}

TEST_CASE_METHOD(storing, "a store that fails while a refused batch is halved loses nothing", "[actors]") {
  auto runs = claimed(0, 8);
  record(runs[0]);
  run();
  poison = runs[7].id;
  for (std::size_t i = 1; i < runs.size(); ++i)
    record(runs[i]);
  advance(2 * latency + 1ms);
  store.go_away();
  poison = core::log_id{-1};
  advance(3s);
  store.come_back();
  advance(5s);
  for (const auto& run : runs)
    CHECK(row(run).trigger_code == 200);
  CHECK(open().empty());
}

TEST_CASE_METHOD(storing, "children of a recorded result are passed on at once", "[actors]") {
  declared.jobs[0].children = {{"", "job-1"}};
  test::expect(look->deploys().apply(declared, false, false, civil()));
  auto runs = claimed(2);
  jobs = test::expect(look->firings().edits_since(0, 1000));
  auto parent = std::find_if(jobs.begin(), jobs.end(), [](const auto& job) { return !job.spec->child_jobs.empty(); });
  REQUIRE(parent != jobs.end());
  auto family = claimed(static_cast<std::size_t>(parent - jobs.begin()));
  auto answer = call_back({family[0].id});
  advance(100ms);
  REQUIRE(*answer);
  CHECK(intents.size() == 1);
}

// -- claims that no actor works on -----------------------------------------------------------------------------------------

namespace {

struct straying : storing {
  straying() {
    auto heard = track(system().spawn([this]() -> protocol::stray_listener::behavior_type {
      return {
        [this](const protocol::stray_claims& claims) { told.insert(told.end(), claims.items.begin(), claims.items.end()); }};
    }));
    protocol::store_listener all;
    all.strays = heard;
    tell(actor, all);
    run();
  }
  std::vector<protocol::stray_claim> told;
};

} // namespace

TEST_CASE_METHOD(straying, "a claim that was kept although its answer was a refusal goes to recovery, once", "[actors]") {
  store.once("claim", store_fault::answer_wrong);
  claim(0, 2);
  advance(100ms);
  REQUIRE(replies.size() == 1);
  CHECK_FALSE(replies[0].outcome);
  CHECK(open() == std::vector<std::int64_t>{1});
  advance(1200ms);
  REQUIRE(told.size() == 1);
  CHECK(told[0].sequence == 1);
  CHECK(told[0].never_sent);
  tell(actor, protocol::claims_opened{{{1, 2}}});
  advance(10s);
  CHECK(told.size() == 1);
}

TEST_CASE_METHOD(straying, "a run whose result is refused goes to recovery with its claim", "[actors]") {
  auto runs = claimed(0, 2);
  poison = runs[0].id;
  record(runs[0]);
  record(runs[1]);
  advance(3s);
  REQUIRE(told.size() == 1);
  CHECK(told[0].sequence == 1);
  CHECK_FALSE(told[0].never_sent);
  CHECK(open() == std::vector<std::int64_t>{1});
  // Recovery's own result is accepted, and the claim is deleted with it.
  poison = core::log_id{-1};
  tell(actor, protocol::claims_opened{{{1, 1}}});
  record(runs[0]);
  advance(3s);
  CHECK(open().empty());
  CHECK(told.size() == 1);
}

TEST_CASE_METHOD(straying, "claims that are worked on are not reported, however slow the store is", "[actors]") {
  latency = GENERATE(1ms, 300ms, 1500ms);
  std::vector<core::claimed_run> runs;
  for (std::size_t i = 0; i < 8; ++i) {
    claim(i * 4, 4);
    advance(700ms);
  }
  advance(30s);
  for (const auto& reply : replies)
    for (const auto& one : reply.outcome->runs)
      record(one);
  advance(60s);
  CHECK(open().empty());
  CHECK(told.empty());
}

TEST_CASE_METHOD(straying, "a claim that recovery cannot settle is reported a few times, then left to the next incarnation",
                 "[actors]") {
  store.once("claim", store_fault::answer_wrong);
  claim(0);
  advance(1min);
  REQUIRE(told.size() == 3);
  CHECK(told[0].never_sent);
  CHECK_FALSE(told[1].never_sent);
}

TEST_CASE_METHOD(straying, "without an incarnation nothing is reported", "[actors]") {
  store.once("claim", store_fault::answer_wrong);
  claim(0);
  advance(20ms);
  tell(actor, protocol::incarnation_change{});
  advance(1min);
  CHECK(told.empty());
}

TEST_CASE_METHOD(storing, "results of a run whose row another transaction holds delay no others", "[actors]") {
  const auto runs = claimed(0, 3);
  store.holds_run = [&](core::log_id id) { return id == runs[1].id; };
  for (const auto& run : runs)
    record(run);
  const auto answer = call_back({runs[1].id});
  const auto others = call_back({runs[0].id, runs[2].id});
  advance(200ms);
  CHECK(row(runs[0]).trigger_code == 200);
  CHECK(row(runs[2]).handle_code == 200);
  CHECK(row(runs[1]).trigger_code == 0);
  CHECK(*others);
  CHECK_FALSE(*answer);
  CHECK(ask<protocol::node_status>(actor, protocol::status_query{})->ready);
  const auto before = batches.size();
  advance(30s);
  CHECK(batches.size() - before < 60); // 100, 200 .. 2000 ms apart, for each of the two batches
  CHECK(open() == std::vector<std::int64_t>{1});
  store.holds_run = nullptr;
  advance(4s);
  CHECK(row(runs[1]).trigger_code == 200);
  CHECK(row(runs[1]).handle_code == 200);
  CHECK(*answer);
  CHECK(open().empty());
}

TEST_CASE_METHOD(straying, "with pulses open claims are seldom read without need", "[actors]") {
  const auto pulse = test::start_pulse(*this, actor, actor, life);
  advance(3s);
  test::call_counter counter{store};
  advance(1min);
  CHECK(counter.of("open_claims") <= 2);
  advance(10ms); // the worker has answered the pulse

  // The claim is forgotten here, and stays in the store.
  auto runs = claimed(0, 2);
  poison = runs[0].id;
  record(runs[0]);
  record(runs[1]);
  advance(3s);
  CHECK(told.size() == 1);
}
