#include "actors/maintenance/log_keeper.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/declared_jobs.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

constexpr const char* address = "http://10.0.0.3:9999/";

/// Store that refuses texts while it `fails`.
struct full_logs final : storage::kept_log_store {
  explicit full_logs(storage::kept_log_store& logs) : inner{logs} {}
  core::result<std::vector<core::pending_log>> pending(core::log_id after, std::size_t limit) override {
    return inner.pending(after, limit);
  }
  core::result<bool> keep(core::log_id run, std::string_view text, bool cut) override {
    return fails ? core::fail(core::errc::unavailable, "the disk is full") : inner.keep(run, text, cut);
  }
  core::result<void> give_up(std::span<const core::log_id> runs) override { return inner.give_up(runs); }
  core::result<std::optional<core::kept_log>> read(core::log_id run, core::job_id job, std::size_t bytes_max) override {
    return inner.read(run, job, bytes_max);
  }
  core::result<std::int64_t> bytes() override {
    return fails ? core::fail(core::errc::timeout, "it took too long") : inner.bytes();
  }
  core::result<std::int64_t> drop_oldest(std::int64_t bytes, std::size_t limit) override {
    return inner.drop_oldest(bytes, limit);
  }
  core::result<std::size_t> remove_dropped(std::size_t limit) override { return inner.remove_dropped(limit); }
  storage::kept_log_store& inner;
  bool fails = false;
};

struct full_store final : test::forwarding_store {
  explicit full_store(storage::store& store) : forwarding_store{store}, logs{store.kept_logs()} {}
  storage::kept_log_store& kept_logs() override { return logs; }
  full_logs logs;
};

/// The leader, with a job whose logs are kept.
struct keeping : test::virtual_time {
  keeping() {
    auto declared = test::nightly();
    declared.jobs.front().keep_logs = true;
    test::expect(store->deploys().apply(declared, false, false, civil()));
    const auto id = test::expect(store->jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
    job = test::expect(store->firings().read_jobs({&id, 1})).at(0).spec;
    life = test::expect(store->cluster().enter("a", "a:8080"));
  }
  ~keeping() { end_all(); }

  void begin(config::retention_settings retention = {}) {
    actor = spawn<actors::log_keeper_state, protocol::log_keeper>(
      actors::keeper_partners{{storage.actor, worker.actor}, pool.actor}, retention, 6000ms, clock(), silent_log());
    tell(actor, protocol::incarnation_change{life});
    tell(actor, protocol::slot_change{core::slot_set{}.set(0)});
  }

  /// Adds a run that has its result.
  core::log_id end_run(const std::string& at = address) {
    const auto next = *test::expect(store->firings().read_jobs({&job->id, 1})).at(0).next;
    core::claim_batch claim;
    claim.owner = life;
    claim.sequence = ++sequence;
    claim.seen_revision = 1000;
    claim.moves = {{job->id, next, next, next + 24h}};
    core::planned_run run;
    run.spec = job;
    run.fire_at = next;
    run.address = at;
    claim.runs = {run};
    const auto made = test::expect(store->firings().claim(claim, civil())).runs.at(0);
    core::record_batch batch;
    batch.owner = life;
    batch.triggers = {{made.id, made.claim, job, 200, {}, false}};
    batch.resolved_claims = {made.claim};
    batch.callbacks = {{made.id, 200, "done", job}};
    test::expect(store->firings().record(batch, civil()));
    return made.id;
  }
  std::optional<std::string> kept(core::log_id run) {
    const auto log = test::expect(store->kept_logs().read(run, job->id));
    return log ? std::optional{log->text} : std::nullopt;
  }
  std::size_t pending() { return test::expect(store->kept_logs().pending({}, 1000)).size(); }

  test::memory_database database;
  std::unique_ptr<storage::store> store = database.open();
  full_store fillable{*store};
  test::query_worker_double worker{*this, fillable};
  test::storage_double storage{*this, fillable};
  test::pool_double pool{*this};
  std::shared_ptr<test::executor_record> executor = pool.executor(address);
  protocol::log_keeper actor;
  core::job_ptr job;
  core::node_incarnation life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(keeping, "the log of a finished run is fetched part by part and kept", "[actors][keep]") {
  const auto run = end_run();
  executor->before_answer = [part = 0](test::executor_record& it) mutable {
    ++part;
    it.log = part == 1   ? protocol::log_reply{true, 2, "one\ntwo\n", {}, 1, false}
             : part == 2 ? protocol::log_reply{true, 3, "three\xff", {}, 3, false}
             : part == 3 ? protocol::log_reply{true, 4, "four\n", {}, 4, false}
                         : protocol::log_reply{true, 0, "", {}, 5, false};
  };
  begin();
  advance(6s);
  CHECK(kept(run) == "one\ntwo\nthree\uFFFD\nfour\n");
  CHECK(executor->calls.size() == 4);
  CHECK(pending() == 0);
  advance(10s);
  CHECK(executor->calls.size() == 4);
}

TEST_CASE_METHOD(keeping, "lines written after a result are in the log", "[actors][keep]") {
  const auto run = end_run();
  executor->log = {true, 1, "begins\n", {}, 1, true};
  begin();
  advance(2s);
  CHECK(executor->calls.empty());
  executor->log = {true, 2, "begins\nends\n", {}, 1, true};
  advance(3s);
  CHECK(kept(run) == "begins\nends\n");
}

TEST_CASE_METHOD(keeping, "an executor that ignores the requested line gives its log once",
                 "[actors][keep]") {
  const auto run = end_run();
  executor->log = {true, 2, "one\ntwo\n", {}, 1, false};
  begin();
  advance(6s);
  CHECK(kept(run) == "one\ntwo\n");
  CHECK(executor->calls.size() == 2);
}

TEST_CASE_METHOD(keeping, "answers without lines end a log", "[actors][keep]") {
  const auto run = end_run();
  executor->log = {true, 1000, "", {}, 1, false};
  begin();
  advance(6s);
  CHECK(kept(run) == "");
  CHECK(executor->calls.size() == 1);
}

TEST_CASE_METHOD(keeping, "logs that another request cannot bring are given up at once", "[actors][keep]") {
  const auto run = end_run();
  SECTION("the executor has no log of the run") { executor->log = {true, 0, "readLog fail, logFile not exists", {}, 1, true}; }
  SECTION("it is longer than an answer may be") {
    executor->log = {.error = "the reply is larger than 4194304 bytes", .too_long = true};
  }
  begin();
  advance(6s);
  CHECK(pending() == 0);
  CHECK_FALSE(kept(run));
  CHECK(executor->calls.size() == 1);
}

TEST_CASE_METHOD(keeping, "only the leader fetches", "[actors][keep]") {
  end_run();
  executor->log = {true, 1, "x\n", {}, 1, true};
  begin();
  tell(actor, protocol::slot_change{core::slot_set{}.set(1)});
  advance(5s);
  CHECK(executor->calls.empty());
  tell(actor, protocol::slot_change{core::slot_set{}.set(0)});
  advance(5s);
  CHECK(pending() == 0);
}

TEST_CASE_METHOD(keeping, "a long log is cut, and its last line says so", "[actors][keep]") {
  const auto run = end_run();
  executor->log = {true, 500, {}, {}, 1, true};
  for (int i = 0; i < 500; ++i)
    executor->log.content += "line " + std::to_string(i) + '\n';
  begin({30, 400, 1024, 1 << 20});
  advance(6s);
  const auto text = kept(run);
  REQUIRE(text);
  CHECK(text->size() <= 1024);
  CHECK(text->ends_with("[log truncated: only the first 1024 bytes are kept]\n"));
  CHECK(test::expect(store->kept_logs().read(run, job->id))->cut);
}

TEST_CASE_METHOD(keeping, "an executor is asked for a few logs at once, and for all in the end", "[actors][keep]") {
  constexpr auto most = actors::log_keeper_state::fetches_of_one_max;
  for (std::size_t i = 0; i < 3 * most; ++i)
    end_run();
  const auto elsewhere = end_run("http://10.0.0.4:9999/");
  auto other = pool.executor("http://10.0.0.4:9999/");
  other->log = {true, 1, "there\n", {}, 1, true};
  executor->silent = true;
  begin();
  advance(6s);
  CHECK(executor->calls.size() == most);
  CHECK(kept(elsewhere) == "there\n");
  executor->silent = false;
  executor->log = {true, 1, "x\n", {}, 1, true};
  advance(60s);
  CHECK(pending() == 0);
}

TEST_CASE_METHOD(keeping, "a log that arrives too slowly is given up", "[actors][keep]") {
  end_run();
  executor->log_takes = 5s;
  executor->before_answer = [](test::executor_record& it) {
    const auto line = static_cast<std::int32_t>(it.calls.size());
    it.log = {true, line, "x\n", {}, line, false};
  };
  begin();
  advance(34s);
  CHECK(executor->calls.size() <= 7);
  CHECK(pending() == 1);
  advance(12min);
  CHECK(pending() == 0);
  CHECK(test::expect(store->kept_logs().bytes()) == 0);
}

TEST_CASE_METHOD(keeping, "an executor that is away is asked at growing intervals, and its runs are given up", "[actors][keep]") {
  const auto away = end_run();
  executor->log = {false, 0, {}, "refused", 0, false};
  auto other = pool.executor("http://10.0.0.4:9999/");
  other->log = {true, 1, "there\n", {}, 1, true};
  begin();
  advance(30s);
  const auto calls = executor->calls.size();
  CHECK(calls >= 3);
  CHECK(calls <= 6);
  const auto reached = end_run("http://10.0.0.4:9999/");
  advance(6s);
  CHECK(kept(reached) == "there\n");
  advance(9min);
  CHECK(pending() == 1);
  advance(2min);
  CHECK(pending() == 0);
  CHECK_FALSE(kept(away));
  CHECK(executor->calls.size() <= calls + 12);
}

TEST_CASE_METHOD(keeping, "many runs of an executor that is away delay no others", "[actors][keep]") {
  executor->log = {false, 0, {}, "refused", 0, false};
  for (std::size_t i = 0; i < 2 * actors::log_keeper_state::looked_at; ++i)
    end_run();
  advance(1h);
  begin();
  advance(10s);
  auto other = pool.executor("http://10.0.0.4:9999/");
  other->log = {true, 1, "there\n", {}, 1, true};
  const auto reached = end_run("http://10.0.0.4:9999/");
  advance(6s);
  CHECK(kept(reached) == "there\n");
  advance(12min);
  CHECK(pending() == 0);
  CHECK(executor->calls.size() < 40);
}

TEST_CASE_METHOD(keeping, "a log that cannot be fetched delays no other log of its executor", "[actors][keep]") {
  const auto ill = end_run();
  executor->before_answer = [asked = "log " + std::to_string(core::number(ill))](test::executor_record& it) {
    it.log = it.calls.back() == asked ? protocol::log_reply{false, 0, {}, "it broke off", 0, false}
                                      : protocol::log_reply{true, 1, "there\n", {}, 1, true};
  };
  const auto well = end_run();
  begin();
  advance(10s);
  CHECK(kept(well) == "there\n");
  // Other logs succeed all the time; the failing one is still given up.
  for (int minute = 0; minute < 12; ++minute) {
    const auto later = end_run();
    advance(60s);
    CHECK(kept(later));
  }
  CHECK(pending() == 0);
  CHECK_FALSE(kept(ill));
}

TEST_CASE_METHOD(keeping, "a new leader gives executors their full time, too", "[actors][keep]") {
  std::vector<core::log_id> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(end_run());
  advance(1h);
  executor->log = {false, 0, {}, "refused", 0, false};
  begin();
  advance(5min);
  CHECK(pending() == 3);
  executor->log = {true, 1, "back\n", {}, 1, true};
  advance(65s);
  for (const auto run : runs)
    CHECK(kept(run) == "back\n");
}

TEST_CASE_METHOD(keeping, "a moment without an answer gives up nothing", "[actors][keep]") {
  fillable.logs.fails = true;
  std::vector<core::log_id> runs;
  for (int i = 0; i < 8; ++i)
    runs.push_back(end_run());
  executor->log = {true, 1, "x\n", {}, 1, true};
  begin();
  advance(20min);
  CHECK(pending() == 8);
  fillable.logs.fails = false;
  executor->log = {false, 0, {}, "refused", 0, false};
  advance(6min);
  executor->log = {true, 1, "x\n", {}, 1, true};
  advance(2min);
  for (const auto run : runs)
    CHECK(kept(run) == "x\n");
}

TEST_CASE_METHOD(keeping, "a log that was to be fetched when the node died is fetched by the next incarnation",
                 "[actors][keep]") {
  const auto run = end_run();
  executor->silent = true;
  begin();
  advance(5s);
  tell(actor, protocol::incarnation_change{});
  advance(20s);
  CHECK(pending() == 1);
  executor->silent = false;
  executor->log = {true, 1, "late\n", {}, 1, true};
  tell(actor, protocol::incarnation_change{life});
  tell(actor, protocol::slot_change{core::slot_set{}.set(0)});
  advance(2s);
  CHECK(kept(run) == "late\n");
}

TEST_CASE_METHOD(keeping, "a store that refuses texts is tried at growing intervals", "[actors][keep]") {
  const auto run = end_run();
  executor->log = {true, 1, "x\n", {}, 1, true};
  fillable.logs.fails = true;
  begin();
  advance(5min);
  CHECK(pending() == 1);
  CHECK(executor->calls.size() <= 8);
  fillable.logs.fails = false;
  advance(5min);
  CHECK(kept(run) == "x\n");
}

TEST_CASE_METHOD(keeping, "the oldest logs make room for new ones, and their texts are removed", "[actors][keep]") {
  executor->log = {true, 1, std::string(600, 'x') + '\n', {}, 1, true};
  std::vector<core::log_id> runs;
  for (int i = 0; i < 5; ++i)
    runs.push_back(end_run());
  begin({30, 400, 4096, 2000});
  advance(90s);
  CHECK(test::expect(store->kept_logs().bytes()) == 3 * 601);
  CHECK_FALSE(kept(runs[1]));
  CHECK(kept(runs[2]));
  CHECK(test::expect(store->kept_logs().remove_dropped(1)) == 0);
}

TEST_CASE_METHOD(keeping, "the limit is applied once the store can tell the total size", "[actors][keep]") {
  executor->log = {true, 1, std::string(600, 'x') + '\n', {}, 1, true};
  for (int i = 0; i < 5; ++i)
    end_run();
  begin();
  advance(10s);
  tell(actor, protocol::incarnation_change{});
  fillable.logs.fails = true;
  begin({30, 400, 1024, 2000});
  advance(10s);
  CHECK(test::expect(store->kept_logs().bytes()) == 5 * 601);
  fillable.logs.fails = false;
  advance(10s);
  CHECK(test::expect(store->kept_logs().bytes()) == 3 * 601);
}

TEST_CASE_METHOD(keeping, "a run without an executor has no log to keep", "[actors][keep]") {
  end_run("");
  begin();
  advance(1min);
  CHECK(pending() == 1); // the answer to its trigger may come after its result
  advance(10min);
  CHECK(pending() == 0);
}
