#include "actors/recovery/lost_monitor.hpp"

#include <sstream>

#include <spdlog/sinks/ostream_sink.h>

#include "tests/actors/recovery_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

const auto lost_text = std::string{"Job result lost, marked as failure"};

/// Runs that an executor accepted, and the monitor of the leader.
struct losing : recovery {
  losing() {
    completion = track(system().spawn([this]() -> protocol::completion_actor::behavior_type {
      return {
        [](const protocol::sent_runs&) {},
        [](const protocol::ending_run&) {},
        [this](const protocol::callback_batch& batch) -> caf::result<protocol::callbacks_stored> {
          ++reports;
          if (refuses)
            return protocol::to_caf({core::errc::unavailable, "the database is away"});
          core::record_batch record;
          record.owner = former;
          record.callbacks = batch.items;
          stored += expect(look->firings().record(record, civil())).callbacks_stored;
          return protocol::callbacks_stored{};
        },
      };
    }));
    queries = std::make_unique<query_worker_double>(*this, store);
  }
  ~losing() { end_all(); }

  /// Adds a run that its executor accepted.
  core::claimed_run accepted(const std::string& to = address) {
    auto run = claim_one(to);
    core::record_batch batch;
    batch.owner = former;
    batch.triggers.push_back({run.id, run.claim, run.plan.spec, 200, {}, false});
    batch.resolved_claims.push_back(run.claim);
    expect(look->firings().record(batch, civil()));
    return run;
  }

  void begin_monitor(std::vector<std::string> live = {address}) {
    monitor = spawn<actors::lost_monitor_state, protocol::lost_monitor>(
      actors::lost_partners{completion, queries->actor, pool.actor}, settings, clock(),
      std::make_shared<spdlog::logger>("lost", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
    serve(std::move(live));
    tell(monitor, protocol::incarnation_change{former});
    tell(monitor, protocol::slot_change{core::slot_set{}.set()});
    run();
  }
  void serve(std::vector<std::string> live, core::address_type type = core::address_type::automatic) {
    auto view = std::make_shared<protocol::registry_view>();
    core::group group;
    group.id = core::group_id{1};
    group.app_name = "pay";
    group.type = type;
    group.addresses = std::move(live);
    view->groups.emplace(1, std::move(group));
    tell(monitor, protocol::registry_change{std::move(view)});
    run();
  }
  void refused(const std::string& at = address) { tell(monitor, protocol::executor_update{at, false}); }
  void heard(const std::string& at = address) { tell(monitor, protocol::executor_update{at, true}); }
  [[nodiscard]] bool is_lost(const core::claimed_run& run) {
    auto found = row(run);
    return found.handle_code == 500 && found.handle_msg == lost_text;
  }
  [[nodiscard]] bool is_open(const core::claimed_run& run) { return row(run).handle_code == 0; }

  protocol::completion_actor completion;
  std::unique_ptr<query_worker_double> queries;
  actors::lost_settings settings;
  protocol::lost_monitor monitor;
  std::size_t reports = 0;
  std::size_t stored = 0;
  bool refuses = false;
  std::ostringstream said;
};

} // namespace

TEST_CASE_METHOD(losing, "a run of an executor that came back without it is lost within seconds", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  refused();
  advance(2s);
  CHECK(is_open(run)); // one denial is not enough
  advance(4s);
  CHECK(is_lost(run));
  CHECK(executor->calls == calls{"beat 0", "idle " + job(run), "log " + id(run), "idle " + job(run), "log " + id(run)});
}

TEST_CASE_METHOD(losing, "a lost result is stored in the users' language", "[actors]") {
  declare("settle");
  auto run = accepted();
  settings.language = core::language::zh_cn;
  begin_monitor();
  executor->log = missing;
  refused();
  advance(6s);
  CHECK(row(run).handle_code == 500);
  CHECK(row(run).handle_msg == "任务结果丢失，标记失败");
}

TEST_CASE_METHOD(losing, "an executor that died is asked about its runs as soon as it answers again", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->idle = {};
  executor->log = missing;
  refused();
  advance(2min);
  CHECK(is_open(run));
  CHECK(std::count(executor->calls.begin(), executor->calls.end(), "idle " + job(run)) == 0);
  executor->idle = idle;
  SECTION("it is probed") { advance(20s); }
  SECTION("it sends a heartbeat") {
    heard();
    advance(5s);
  }
  SECTION("its registration goes and comes") {
    serve({});
    serve({address});
    advance(5s);
  }
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "a leaving executor is logged once as dead if it is silent and left runs open", "[actors]") {
  declare("settle");
  const auto run = accepted();
  begin_monitor();
  const std::string died = std::string{address} + " may have died";
  const auto is_named = [&] { return said.str().find(died) != std::string::npos; };
  SECTION("it reports its runs before it ends") {
    executor->idle = {};
    serve({});
    advance(3s);
    call_back(run, former);
    advance(10min);
    CHECK_FALSE(is_named());
  }
  SECTION("it does not report them") {
    executor->idle = {};
    serve({});
    advance(10s);
    CHECK_FALSE(is_named()); // it may be about to report them
    refused();
    advance(10s);
    CHECK(is_named());
    refused();
    advance(9min);
    CHECK(said.str().find(died) == said.str().rfind(died));
  }
  SECTION("it is back soon") {
    executor->idle = busy;
    serve({});
    serve({address});
    advance(1min);
    CHECK_FALSE(is_named());
  }
}

TEST_CASE_METHOD(losing, "a busy executor keeps its run, an idle one has time for a late callback", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = started;
  SECTION("busy") {
    executor->idle = busy;
    refused();
    advance(1h);
    CHECK(is_open(run));
    CHECK(std::count(executor->calls.begin(), executor->calls.end(), "log " + id(run)) == 0);
  }
  SECTION("idle for 90 s") {
    refused();
    advance(85s);
    CHECK(is_open(run));
    advance(10s);
    CHECK(is_lost(run));
  }
  SECTION("a callback in between") {
    refused();
    advance(30s);
    call_back(run, former);
    advance(5min);
    CHECK(row(run).handle_code == 200);
    CHECK(reports == 0);
  }
  SECTION("busy in between") {
    refused();
    advance(80s);
    executor->idle = busy;
    advance(5min);
    CHECK(is_open(run));
  }
}

TEST_CASE_METHOD(losing, "an executor whose answers prove nothing does not decide about its runs", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = {true, 1, "constant"};
  refused();
  advance(2h);
  CHECK(is_open(run));
}

TEST_CASE_METHOD(losing, "an old run whose address is not registered any more is lost, a young one is not", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->idle = {};
  serve({"http://10.0.0.4:9999/"});
  advance(9min);
  CHECK(is_open(run));
  advance(3min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "a run is not old before its timeout plus a minute", "[actors]") {
  declare("settle").timeout_s = 1800;
  auto run = accepted();
  begin_monitor();
  executor->idle = {};
  serve({});
  advance(30min);
  CHECK(is_open(run));
  advance(10min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "an address that never registered keeps its runs until the log's age limit", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  serve({}, core::address_type::manual);
  tell(monitor, protocol::incarnation_change{}); // keeps its knowledge of the registry
  begin_monitor({});
  serve({}, core::address_type::manual);
  executor->idle = {};
  advance(3h);
  CHECK(is_open(run));
  step_civil(31 * 24h);
  advance(10min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "another process at an address that users entered does not end a young run", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor({});
  serve({address}, core::address_type::manual);
  executor->log = missing;
  refused();
  advance(5min);
  CHECK(std::count(executor->calls.begin(), executor->calls.end(), "log " + id(run)) > 0);
  CHECK(is_open(run));
  advance(12min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "an old run that its executor denies is found without suspicion", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  advance(9min);
  CHECK(executor->calls.empty());
  advance(3min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "a lost run is retried like any failure, and a late real result changes nothing",
                 "[actors]") {
  declare("settle").retry_count = 2;
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  refused();
  advance(10s);
  REQUIRE(is_lost(run));
  CHECK(expect(look->firings().waiting_intents(civil() + 1h, 10)).size() == 1);
  call_back(run, former);
  CHECK(row(run).handle_code == 500);
  CHECK(expect(look->firings().waiting_intents(civil() + 1h, 10)).size() == 1);
}

TEST_CASE_METHOD(losing, "results that the store refuses are found again", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  refuses = true;
  advance(12min);
  CHECK(is_open(run));
  CHECK(reports > 0);
  refuses = false;
  advance(10min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "an unavailable store delays and loses nothing", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  store.go_away();
  refused();
  advance(20min);
  CHECK(is_open(run));
  store.come_back();
  advance(2min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "a search that fails midway suspects its executors again", "[actors]") {
  const std::string elsewhere = "http://10.0.0.9:9999/a-path-that-is-too-long-for-the-buffer-of-a-string/";
  declare("settle");
  auto run = accepted(elsewhere);
  begin_monitor({elsewhere});
  auto asked = pool.executor(elsewhere);
  asked->log = missing;
  store.once("open_runs", store_fault::away);
  refused(elsewhere);
  advance(10s);
  CHECK(std::count(asked->calls.begin(), asked->calls.end(), "beat 0") == 2);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "without slot 0 or an incarnation the monitor does nothing", "[actors]") {
  declare("settle");
  auto run = accepted();
  begin_monitor();
  executor->log = missing;
  SECTION("another node has it") { tell(monitor, protocol::slot_change{core::slot_set{}.set(1)}); }
  SECTION("the lease is lost") { tell(monitor, protocol::incarnation_change{}); }
  refused();
  advance(1h);
  CHECK(is_open(run));
  CHECK(executor->calls.empty());
  tell(monitor, protocol::incarnation_change{former});
  tell(monitor, protocol::slot_change{core::slot_set{}.set(0)});
  advance(2min);
  CHECK(is_lost(run));
}

TEST_CASE_METHOD(losing, "a dead executor with many open runs is asked rarely and delays no others", "[actors]") {
  constexpr std::size_t many = 900;
  auto keys = declare_many(many);
  declare("other");
  const std::string elsewhere = "http://10.0.0.9:9999/";
  auto other = accepted(elsewhere);
  auto healthy = pool.executor(elsewhere);
  healthy->log = missing;
  auto runs = claim(keys, address);
  core::record_batch batch;
  batch.owner = former;
  for (const auto& run : runs)
    batch.triggers.push_back({run.id, run.claim, run.plan.spec, 200, {}, false});
  expect(look->firings().record(batch, civil()));
  begin_monitor({elsewhere});
  executor->silent = true; // a request takes its whole time limit
  advance(12min);
  CHECK(is_lost(other));
  advance(10min);
  // Gone from the registry and silent: all runs are lost after a few requests.
  std::size_t lost = 0;
  for (const auto& run : runs)
    lost += is_lost(run) ? 1 : 0;
  CHECK(lost == many);
  CHECK(executor->calls.size() < 500);
}
