// The disk under an SQLite file: full, failing, read-only, damaged. Nothing is lost, and the same calls succeed afterwards.

#include <filesystem>
#include <fstream>

#include "storage/sqlite/database.hpp"
#include "tests/storage/deploy_fixture.hpp"
#include "tests/support/file_size_limit.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

std::string file_of(test_database& db) { return db.query("PRAGMA database_list").at(0).at(2); }

/// A store on the fixture's file whose connection the test can access.
struct reachable_store {
  explicit reachable_store(deploy_fixture& f) {
    storage::sqlite::open_options options;
    options.file = file_of(*f.db);
    auto opened = require(storage::sqlite::connection::open(options));
    db = opened.get();
    const auto zones = test_options();
    store = storage::sqlite::make_store({std::move(opened), storage::datetime_text{zones.database_zone}, zones.schedule_zone});
  }

  void pragma(const char* text) const {
    db->execute(text);
    require(db->outcome());
  }

  storage::sqlite::connection* db = nullptr;
  std::unique_ptr<storage::store> store;
};

/// Calls that need disk space, each of which can be repeated.
struct calls {
  explicit calls(deploy_fixture& f) : fixture{f} {
    for (std::int32_t id = 1; id <= 10; ++id) {
      const auto run = f.claimed(id);
      results.triggers.push_back(f.answer(run, 500, std::string(14'000, 'e')));
      results.callbacks.push_back(f.callback(run, 500, std::string(14'000, 'r')));
      results.resolved_claims.push_back(run.claim);
    }
    results.owner = f.me;
    claim = f.batch();
    for (std::int32_t id = 11; id <= 30; ++id) {
      f.plan(claim, f.add_job(id));
      claim.runs.back().param = std::string(60'000, 'p');
    }
    for (int i = 0; i < 200; ++i)
      set.jobs.push_back(declared_job_of("pay", "job" + std::to_string(i)));
  }

  void are_unavailable(storage::store& store, const std::string& why) const {
    const auto before = picture(*fixture.db);
    const auto logs = fixture.db->query("SELECT * FROM xxl_job_log");
    const auto said = [&why](const auto& result) {
      CHECK(error_of(result) == core::errc::unavailable);
      CHECK_THAT(result.error().context, Catch::Matchers::Contains(why));
    };
    said(store.firings().claim(claim, noon));
    said(store.firings().record(results, noon));
    said(store.deploys().apply(set, false, false, noon));
    CHECK(picture(*fixture.db) == before);
    CHECK(fixture.db->query("SELECT * FROM xxl_job_log") == logs);
    CHECK(fixture.rows("rm_claim") == "10");
    CHECK(require(store.cluster().nodes()).size() == 1);
  }

  void succeed(storage::store& store) const {
    const auto outcome = require(store.firings().claim(claim, noon));
    CHECK(outcome.runs.size() == 20);
    CHECK(outcome.lost_races.empty());
    const auto recorded = require(store.firings().record(results, noon));
    CHECK(recorded.callbacks_stored == 10);
    CHECK(kinds(require(store.deploys().apply(set, false, false, noon))).size() == set.jobs.size() + 1);
    require(store.cluster().beat(fixture.me, 9));
    CHECK(fixture.rows("rm_claim") == "1");
    CHECK(fixture.rows("xxl_job_log") == "30");
    CHECK(fixture.db->value("PRAGMA integrity_check") == "ok");
  }

  deploy_fixture& fixture;
  core::claim_batch claim;
  core::record_batch results;
  core::declared_set set = pay_set();
};

} // namespace

TEST_CASE("a store on a full disk loses nothing and continues when there is space again", "[storage]") {
  deploy_fixture f{sqlite_backend()};
  const calls wanted{f};
  const reachable_store own{f};
  own.pragma("PRAGMA max_page_count=1"); // the present number of pages
  wanted.are_unavailable(*own.store, "full");
  // Calls that need no space still work: the node stays alive.
  require(own.store->cluster().beat(f.me, 5));
  own.pragma("PRAGMA max_page_count=1000000");
  wanted.succeed(*own.store);
}

TEST_CASE("a store whose writes fail loses nothing and continues when they succeed again", "[storage]") {
  deploy_fixture f{sqlite_backend()};
  const calls wanted{f};
  const reachable_store own{f};
  require(own.store->cluster().beat(f.me, 4));
  {
    const file_size_limit limit{std::filesystem::file_size(file_of(*f.db) + "-wal")};
    wanted.are_unavailable(*own.store, "reading or writing");
    CHECK(error_of(own.store->cluster().beat(f.me, 5)) == core::errc::unavailable);
  }
  wanted.succeed(*own.store);
}

TEST_CASE("a store on a read-only file loses nothing and continues when it may write again", "[storage]") {
  deploy_fixture f{sqlite_backend()};
  const calls wanted{f};
  const reachable_store own{f};
  own.pragma("PRAGMA query_only=ON");
  wanted.are_unavailable(*own.store, "cannot be written");
  CHECK(error_of(own.store->cluster().beat(f.me, 5)) == core::errc::unavailable);
  own.pragma("PRAGMA query_only=OFF");
  wanted.succeed(*own.store);
}

TEST_CASE("a damaged file is unavailable and reported as such", "[storage]") {
  deploy_fixture f{sqlite_backend()};
  const auto copy = file_of(*f.db) + ".damaged";
  f.db->exec("VACUUM INTO '" + copy + "'");
  const auto size = std::filesystem::file_size(copy);
  std::fstream damaged{copy, std::ios::in | std::ios::out | std::ios::binary};
  damaged.seekp(4096 * 4);
  damaged << std::string(size - 4096 * 4, '\xaa');
  damaged.close();
  storage::sqlite::open_options options;
  options.file = copy;
  const auto opened = storage::sqlite::connection::open(options);
  CHECK(error_of(opened) == core::errc::unavailable);
  CHECK_THAT(opened.error().context, Catch::Matchers::Contains("damaged"));
}
