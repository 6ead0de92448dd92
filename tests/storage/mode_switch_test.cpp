// `takeover --back` that gives up, and a guard that cannot read who plans: a Java admin finds nothing due.

#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::cluster_mode;

namespace {

constexpr const char* javas_lock = "SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE";

/// In native mode since long ago, so that next times are shown.
struct taken_over : reservation_fixture {
  explicit taken_over(const test_backend& backend) : reservation_fixture{backend} {
    add_shared(1, noon);
    add_shared(2, noon + 60s);
    require(reservations().switch_mode(cluster_mode::native, 2s));
    db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
    tend();
    REQUIRE(schedule_of(1) == "1 - 0");
    me = require(store->cluster().enter("node-a", "here"));
  }

  void tend() { (void) require(store->mirror().tend(core::job_id{0}, 100, true, noon)); }

  std::string due_in_this_life() {
    return rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time < " + ms(noon + 24h * 365));
  }
};

} // namespace

TEST_CASE("back that gives up shows no time, and the guard returns", "[storage]") {
  taken_over f{GENERATE(from_range(shared_backends()))};
  auto guard = f.db->open();
  REQUIRE(require(guard->reservations()->hold()));
  f.add_shared(3, noon + 60s); // by a Java console, and nobody has looked yet
  f.db->exec("DELETE FROM rm_schedule WHERE job = 3");
  require(guard->reservations()->let_go()); // as it does once the switch is announced
  SECTION("a Java admin stands still with the lock") {
    f.db->exec("START TRANSACTION");
    (void) f.db->query(javas_lock);
    CHECK(error_of(f.reservations().switch_mode(cluster_mode::shared, 200ms)) == core::errc::unavailable);
    f.db->exec("COMMIT");
  }
  SECTION("there is no lock") {
    f.db->exec("DELETE FROM xxl_job_lock");
    CHECK(error_of(f.reservations().switch_mode(cluster_mode::shared, 200ms)) == core::errc::unsupported);
    f.db->exec("INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')");
  }
  CHECK(f.due_in_this_life() == "0");
  CHECK(require(guard->reservations()->mode()) == core::mode_state{cluster_mode::native, false});
  CHECK(require(guard->reservations()->hold()));
  f.tend();
  CHECK(f.due_in_this_life() == "0"); // not before the minute is over
  CHECK(f.rows("rm_node", "state = 'up'") == "1");

  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  f.tend();
  CHECK(f.schedule_of(1) == "1 - 0");
  CHECK(f.schedule_of(2) == "1 - 60");
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 3") == "1"); // its misfire policy decides
  require(guard->reservations()->let_go());
  CHECK(require(f.reservations().switch_mode(cluster_mode::shared, 2s)).changed);
}

TEST_CASE("a guard that cannot read who plans keeps the lock that it has", "[storage]") {
  taken_over f{GENERATE(from_range(shared_backends()))};
  auto guard = f.db->open();
  f.db->exec("SET SESSION innodb_lock_wait_timeout = 0");
  f.db->exec("UPDATE rm_mode SET mode = 'both'");
  CHECK_FALSE(require(guard->reservations()->hold())); // nor does it take one
  f.db->exec("UPDATE rm_mode SET mode = 'native'");
  REQUIRE(require(guard->reservations()->hold()));
  f.db->exec(GENERATE(as<std::string>{}, "UPDATE rm_mode SET mode = 'both'", "DELETE FROM rm_mode"));
  CHECK(require(guard->reservations()->hold()));
  CHECK_THROWS((void) f.db->query(javas_lock));
  f.db->exec("REPLACE INTO rm_mode (id, mode) VALUES (1, 'shared')");
  CHECK_FALSE(require(guard->reservations()->hold()));
  CHECK_NOTHROW((void) f.db->query(javas_lock));
}
