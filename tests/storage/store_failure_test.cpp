// Refused and unavailable calls: callers give up the first and repeat the second.

#include <mysql/errmsg.h>

#include "storage/mysql/driver/sql.hpp"
#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

TEST_CASE("a damaged schema is unavailable until it is repaired", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.claimed(1, 1);
  auto batch = f.batch();
  f.plan(batch, f.add_job(2));
  auto results = f.results();
  results.triggers = {f.answer(run, 500, "refused")};
  results.resolved_claims = {run.claim};
  f.db->exec("ALTER TABLE rm_claim RENAME TO away");
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::unavailable);
  CHECK(error_of(f.firings().record(results, noon)) == core::errc::unavailable);
  CHECK(f.row(run.id).trigger_code == 0);
  CHECK(f.rows("xxl_job_log") == "1");
  f.db->exec("ALTER TABLE away RENAME TO rm_claim");
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == 1);
  const auto recorded = require(f.firings().record(results, noon));
  CHECK(recorded.triggers_stored == 1);
  CHECK(recorded.intents.size() == 1);
}

TEST_CASE("data that breaks a constraint is refused", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  firing_fixture f{backend};
  if (backend.generation == 0 && f.db->database().description().starts_with("mysql"))
    f.db->exec("ALTER TABLE xxl_job_log REMOVE PARTITIONING"); // otherwise an index could not be unique
  f.db->exec("CREATE UNIQUE INDEX one_run_a_job ON xxl_job_log (job_id)");
  const auto first = f.claimed(1);
  auto batch = f.batch();
  f.plan(batch, f.job(1), noon + 60s);
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::internal);
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.record({f.answer(first, 200)}, {}).triggers_stored == 1);
}

TEST_CASE("a full table on the server is unavailable", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  firing_fixture f{mysql_backend()};
  auto batch = f.batch();
  f.plan(batch, f.add_job(1));
  batch.runs.resize(3000, batch.runs[0]);
  const auto runs = require(f.firings().claim(batch, noon)).runs;
  auto results = f.results();
  for (const auto& run : runs)
    results.triggers.push_back(f.answer(run, 500, "refused"));
  f.db->exec("SET SESSION max_heap_table_size = 16384");
  f.db->exec("ALTER TABLE rm_failed_run ENGINE = MEMORY");
  const auto full = f.firings().record(results, noon);
  CHECK(error_of(full) == core::errc::unavailable);
  CHECK_THAT(full.error().context, Catch::Matchers::Contains("full"));
  CHECK(f.rows("xxl_job_log", "trigger_code <> 0") == "0");
  f.db->exec("DELETE FROM rm_failed_run");
  f.db->exec("ALTER TABLE rm_failed_run ENGINE = InnoDB");
  CHECK(require(f.firings().record(results, noon)).triggers_stored == runs.size());
  CHECK(f.rows("rm_failed_run") == "3000");
}

TEST_CASE("a value that does not fit its column is refused by the server", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  firing_fixture f{mysql_backend()};
  f.db->exec("ALTER TABLE xxl_job_log MODIFY executor_handler VARCHAR(3)");
  auto batch = f.batch();
  f.plan(batch, f.add_job(1));
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::invalid_argument);
}

TEST_CASE("only errors caused by the data are refusals of the server", "[storage]") {
  using storage::mysql::driver_error;
  const auto code = [](unsigned number, const char* state) { return driver_error{number, state, "x"}.to_error().code; };
  using enum core::errc;
  for (auto [number, state] : {std::pair{1406u, "22001"}, {1264u, "22003"}, {1292u, "22007"}, {1366u, "HY000"}, {1265u, "01000"},
                               {1153u, "08S01"}, {2020u, "HY000"}})
    CHECK(code(number, state) == invalid_argument);
  for (auto [number, state] : {std::pair{1062u, "23000"}, {1048u, "23000"}, {4025u, "23000"}, {0u, ""}})
    CHECK(code(number, state) == internal);
  // Disk full, errors of the engine, of the cluster, of the schema, and unknown numbers.
  for (auto [number, state] :
       {std::pair{1114u, "HY000"}, {1021u, "HY000"}, {1026u, "HY000"}, {1030u, "HY000"}, {1180u, "HY000"}, {1206u, "HY000"},
        {1047u, "08S01"}, {1129u, "HY000"}, {1146u, "42S02"}, {1064u, "42000"}, {1213u, "40001"}, {1205u, "HY000"},
        {2013u, "HY000"}, {1290u, "HY000"}, {9999u, "HY000"}})
    CHECK(code(number, state) == unavailable);
  CHECK(driver_error{1062, "23000", "x"}.of_commit().to_error().code == unavailable);
  CHECK(driver_error{1406, "22001", "x"}.of_commit().to_error().code == unavailable);
}
