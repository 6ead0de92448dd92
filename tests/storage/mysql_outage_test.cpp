// The server stops and comes back: before a call, between calls, during one.

#include <atomic>
#include <thread>

#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// Restarts the server for the next test, whatever a test did.
struct running_again {
  ~running_again() {
    mariadb_server::shared().resume();
    mariadb_server::shared().start();
  }
};

} // namespace

TEST_CASE("a server restart between two calls has no effect", "[storage]") {
  if (no_server_here())
    return;
  const running_again after;
  firing_fixture f{mysql_backend()};
  const auto run = f.claimed(7, 1);
  mariadb_server::shared().stop();
  mariadb_server::shared().start();
  SECTION("by a read") { CHECK(f.job(7)->id == core::job_id{7}); }
  SECTION("by a claim") {
    auto batch = f.batch();
    f.plan(batch, f.job(7), noon + 60s);
    mariadb_server::shared().stop();
    mariadb_server::shared().start();
    CHECK(require(f.firings().claim(batch, noon)).runs.size() == 1);
  }
  SECTION("by a record") {
    const auto outcome = f.record({f.answer(run, 500, "refused")}, {});
    CHECK(outcome.triggers_stored == 1);
    CHECK(outcome.intents.size() == 1);
  }
  SECTION("by a heartbeat") { require(f.store->cluster().beat(f.me, 7)); }
}

TEST_CASE("without its server a store is unavailable, and works again when it is back", "[storage]") {
  if (no_server_here())
    return;
  const running_again after;
  firing_fixture f{mysql_backend()};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  f.plan(batch, f.add_job(8));
  mariadb_server::shared().stop();
  for (int i = 0; i < 2; ++i) {
    CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::unavailable);
    CHECK(error_of(f.firings().record(f.results(), noon)) == core::errc::unavailable);
    CHECK(error_of(f.firings().edits_since(0, 10)) == core::errc::unavailable);
    CHECK(error_of(f.store->cluster().beat(f.me, 1)) == core::errc::unavailable);
    CHECK(error_of(f.store->registry().read()) == core::errc::unavailable);
    CHECK(error_of(f.store->ping()) == core::errc::unavailable);
  }
  mariadb_server::shared().start();
  const auto outcome = require(f.firings().claim(batch, noon));
  CHECK(outcome.runs.size() == 2);
  CHECK(outcome.lost_races.empty());
  const auto again = require(f.firings().claim(batch, noon));
  REQUIRE(again.runs.size() == 2);
  CHECK(again.runs[0].id == outcome.runs[0].id);
  CHECK(f.record({}, {f.callback(outcome.runs[0], 200)}).callbacks_stored == 1);
}

TEST_CASE("a call without an answer in time is given up, and repeating it returns its outcome", "[storage]") {
  if (no_server_here())
    return;
  const running_again after;
  firing_fixture f{mysql_backend()};
  config::database_settings settings;
  settings.url =
    "mysql://root@localhost/" + f.db->value("SELECT DATABASE()") + "?socket=" + mariadb_server::shared().socket_path();
  settings.statement_timeout = 1s;
  settings.connect_timeout = 1s;
  const auto process = require(storage::make_mysql_database(settings, test_options()));
  auto store = require(process->open());
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  require(store->ping());
  mariadb_server::shared().pause();
  CHECK(error_of(store->firings().claim(batch, noon)) == core::errc::unavailable);
  mariadb_server::shared().resume();
  CHECK(require(store->firings().claim(batch, noon)).runs.size() == 1);
  CHECK(f.rows("xxl_job_log") == "1");
}

TEST_CASE("a server that dies during claims loses no confirmed one", "[storage]") {
  if (no_server_here())
    return;
  const running_again after;
  firing_fixture f{mysql_backend()};
  constexpr std::int32_t jobs = 40;
  std::vector<core::job_ptr> specs;
  for (std::int32_t id = 1; id <= jobs; ++id)
    specs.push_back(f.add_job(id));
  const auto claim_of_round = [&](std::int64_t round) {
    core::claim_batch batch;
    batch.owner = f.me;
    batch.sequence = round;
    for (const auto& spec : specs) {
      const auto at = noon + (round - 1) * 60s;
      batch.moves.push_back({spec->id, at, at, at + 60s});
      batch.runs.push_back(firing_fixture::run_of(spec, at));
    }
    return batch;
  };
  std::atomic<std::int64_t> answered{0};
  std::thread claiming{[&] {
    for (std::int64_t round = 1;; ++round) {
      if (!f.firings().claim(claim_of_round(round), noon))
        return;
      answered = round;
      answered.notify_one();
    }
  }};
  for (int crash = 0; crash < 20; ++crash)
    answered.wait(crash);
  mariadb_server::shared().stop();
  claiming.join();
  mariadb_server::shared().start();
  const auto last = answered.load();
  REQUIRE(last >= 20);
  auto other = f.db->database().open();
  REQUIRE(other);
  // The unanswered claim exists completely or not at all: after repeating, it exists once.
  const auto repeated = require((*other)->firings().claim(claim_of_round(last + 1), noon));
  CHECK(repeated.runs.size() == jobs);
  CHECK(repeated.lost_races.empty());
  const auto open = require((*other)->firings().open_claims(f.me));
  CHECK(open.size() == static_cast<std::size_t>(last + 1));
  auto rows = require((*other)->logs().rows_after(core::log_id{0}, 1'000'000));
  CHECK(rows.size() == static_cast<std::size_t>(last + 1) * jobs);
}
