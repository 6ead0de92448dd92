// MySQL's log in partitions of a million ids: old runs are removed by dropping a partition.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t million = 1'000'000;
const auto cut_off = noon - 36h; // 2024-02-29 00:00:00

bool no_server() { return mysql_backend().unavailable_reason().has_value(); }

struct parted : firing_fixture {
  parted() : firing_fixture{mysql_backend()} {}

  /// Returns the first ids after the partitions, in order.
  std::vector<std::string> ends() {
    std::vector<std::string> found;
    for (const auto& row :
         db->query("SELECT PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE()"
                   " AND TABLE_NAME = 'xxl_job_log' AND PARTITION_NAME IS NOT NULL"
                   " ORDER BY PARTITION_ORDINAL_POSITION"))
      found.push_back(row.at(0));
    return found;
  }
  void add_row(std::int64_t id, const std::string& when = "'2024-01-01 00:00:00'") {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES ("
             + std::to_string(id) + ", 1, 7, " + when + ", 200, 200)");
  }
  core::purge_outcome purge(std::int64_t after, std::int64_t through) {
    return require(store->maintenance().purge({{core::log_id{after}, core::log_id{through}}, cut_off, 100}));
  }
};

using ends = std::vector<std::string>;
const ends fresh{"1000001", "2000001", "3000001", "MAXVALUE"};

} // namespace

TEST_CASE("Ringmaster's own log is partitioned", "[storage]") {
  if (no_server())
    return;
  parted f;
  CHECK(f.ends() == fresh);
  require(f.store->maintenance().make_room());
  CHECK(f.ends() == fresh);
}

TEST_CASE("a log that XXL-JOB made stays unchanged, as does one that is already partitioned", "[storage]") {
  if (no_server())
    return;
  parted f;
  f.db->exec("DELETE FROM rm_migration WHERE number = 5");
  SECTION("with its indexes") {
    f.db->exec("ALTER TABLE xxl_job_log REMOVE PARTITIONING");
    f.db->exec("CREATE INDEX I_handle_code ON xxl_job_log (handle_code)");
    require(f.db->database().migrate());
    CHECK(f.ends().empty());
    f.add_row(3);
    require(f.store->maintenance().make_room());
    CHECK(f.purge(0, 2 * million).removed == 1);
    CHECK(f.ends().empty());
  }
  SECTION("partitioned") {
    require(f.db->database().migrate());
    CHECK(f.ends() == fresh);
  }
  SECTION("existing rows become the first partition") {
    f.db->exec("ALTER TABLE xxl_job_log REMOVE PARTITIONING");
    f.add_row(5 * million + 17);
    require(f.db->database().migrate());
    CHECK(f.ends() == ends{"6000001", "7000001", "8000001", "MAXVALUE"});
  }
}

TEST_CASE("a partition whose runs are all old is dropped", "[storage]") {
  if (no_server())
    return;
  parted f;
  f.add_row(1);
  f.add_row(million);
  f.add_row(million + 1);
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (1, 7, 0), (1000001, 7, 0)");
  auto step = f.purge(0, million + 1);
  CHECK(step.removed == 2);
  CHECK(step.through == core::log_id{million});
  CHECK(step.took.count() > 0);
  CHECK(f.ends() == ends{"2000001", "3000001", "MAXVALUE"});
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.db->query("SELECT log_id FROM rm_failed_run") == table{{"1000001"}});
  CHECK(f.db->query("SHOW TABLES LIKE 'rm_log_gone'").empty());
  // The rest of the range row by row: its partition has room for younger runs.
  step = f.purge(million, million + 1);
  CHECK(step.removed == 1);
  CHECK(f.ends() == ends{"2000001", "3000001", "MAXVALUE"});
  // A claim gets the ids that follow.
  CHECK(core::number(f.claimed(9).id) > million);
}

TEST_CASE("a partition with a run that has a reason to stay is purged row by row", "[storage]") {
  if (no_server())
    return;
  parted f;
  auto held = core::number(f.claimed(9).id);
  f.db->exec("UPDATE xxl_job_log SET trigger_time = '2024-01-01 00:00:00'");
  SECTION("held by an open claim") {}
  SECTION("younger") {
    f.db->exec("DELETE FROM rm_claim");
    f.db->exec("UPDATE xxl_job_log SET trigger_time = '2024-02-29 00:00:01'");
  }
  SECTION("without a time") {
    f.db->exec("DELETE FROM rm_claim");
    f.db->exec("UPDATE xxl_job_log SET trigger_time = NULL");
  }
  f.add_row(held + 1);
  f.add_row(million + 1);
  auto step = f.purge(0, million);
  CHECK(step.removed == 1);
  CHECK(f.rows("xxl_job_log", "id = " + std::to_string(held)) == "1");
  CHECK(f.ends() == fresh);
}

TEST_CASE("an interrupted drop is finished by the next one", "[storage]") {
  if (no_server())
    return;
  parted f;
  f.db->exec("CREATE TABLE rm_log_gone (id INT)");
  f.add_row(1);
  f.add_row(million + 1);
  CHECK(f.purge(0, million).removed == 1);
  CHECK(f.ends() == ends{"2000001", "3000001", "MAXVALUE"});
}

TEST_CASE("dependent rows of a partition's runs are removed before it, a step at a time", "[storage]") {
  if (no_server())
    return;
  parted f;
  f.add_row(1);
  f.add_row(million + 1);
  for (int id = 1; id <= 250; ++id)
    f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (" + std::to_string(id) + ", 7, 0)");
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (1000001, 7, 0)");
  for (int id = 1; id <= 150; ++id)
    f.db->exec("INSERT INTO rm_kept_log (log_id, job, state, bytes, is_cut, at_ms) VALUES (" + std::to_string(id)
               + ", 7, 1, 1, 0, 0)");
  f.db->exec("INSERT INTO rm_kept_log (log_id, job, state, bytes, is_cut, at_ms) VALUES (1000001, 7, 1, 1, 0, 0)");
  using left = std::pair<std::string, std::string>;
  for (const auto& expected : {left{"151", "151"}, left{"51", "151"}, left{"1", "51"}}) {
    const auto step = f.purge(0, million);
    CHECK(step.removed == 0);
    CHECK(step.through == core::log_id{0});
    CHECK(left{f.rows("rm_failed_run"), f.rows("rm_kept_log", "state < 2")} == expected);
    CHECK(f.ends() == fresh);
  }
  CHECK(f.purge(0, million).removed == 1);
  CHECK(left{f.rows("rm_failed_run"), f.rows("rm_kept_log", "state < 2")} == left{"1", "1"});
  CHECK(f.ends() == ends{"2000001", "3000001", "MAXVALUE"});
}

TEST_CASE("partitions are added ahead of the runs, and never by copying rows", "[storage]") {
  if (no_server())
    return;
  parted f;
  f.add_row(million + 5);
  require(f.store->maintenance().make_room());
  CHECK(f.ends() == ends{"1000001", "2000001", "3000001", "4000001", "MAXVALUE"});
  require(f.store->maintenance().make_room());
  CHECK(f.ends().size() == 5);
  // Another program inserted far ahead: those runs stay where they are.
  f.add_row(9 * million);
  require(f.store->maintenance().make_room());
  CHECK(f.ends().size() == 5);
}
