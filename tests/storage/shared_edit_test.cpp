// Shared mode: edits, lists and monitors where the schedule is XXL's table and Java admins use it, too (firing protocol §8).

#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::cluster_mode;

namespace {

constexpr core::job_id one{1};

struct shared_edit : reservation_fixture {
  using reservation_fixture::reservation_fixture;

  storage::job_store& jobs() { return store->jobs(); }
  void give_option(std::int32_t id) {
    db->exec("REPLACE INTO rm_job_ext (job, jitter_ms) VALUES (" + std::to_string(id) + ", 500)");
  }
};

} // namespace

TEST_CASE("start and stop write the row that Java admins read", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, core::time_point{}, "*/1 * * * * ?");
  const auto started = require(f.jobs().start(one, noon));
  CHECK(started.next == noon + 6s); // after what a Java admin may have in memory
  CHECK(f.schedule_of(1) == "1 - 6");
  CHECK(require(f.jobs().find({.id = one})).next == noon + 6s);
  REQUIRE(f.reserve(noon + 6s).intents.size() == 7);
  CHECK(require(f.jobs().find({.id = one})).last == noon + 12s);
  require(f.jobs().stop(one, noon + 6s));
  CHECK(f.schedule_of(1) == "0 - -");
  CHECK(f.rows("rm_intent", "state = 0") == "0");
  CHECK_FALSE(require(f.jobs().find({.id = one})).next);
  // Instants reserved before the stop stay taken.
  CHECK(require(f.jobs().start(one, noon + 6s)).next == noon + 13s);
  CHECK(f.rows("rm_schedule", "next_ms <> 0") == "0");
}

TEST_CASE("an edit waits for a Java admin's pass", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  f.db->exec("START TRANSACTION");
  (void) f.db->query("SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE");
  CHECK(error_of(f.jobs().stop(one, noon)) == core::errc::unavailable);
  CHECK(error_of(f.jobs().remove(one, true, noon)) == core::errc::unavailable);
  core::manual_trigger request;
  request.job = one;
  request.token = -1;
  CHECK(f.jobs().trigger(request, noon)); // a manual run is not an edit
  f.db->exec("COMMIT");
  CHECK(f.schedule_of(1) == "1 - 0");
  require(f.jobs().remove(one, true, noon));
  CHECK(f.rows("xxl_job_info") == "0");
}

TEST_CASE("an apply that keeps a schedule loses no reserved instant", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  auto set = pay_set();
  set.jobs = {declared_job_of("pay", "settle")};
  set.jobs[0].schedule_conf = "*/1 * * * * ?";
  f.apply(set);
  const auto start = noon + 6s;
  const auto reserved = f.reserve(start).intents;
  REQUIRE(instants(reserved) == std::vector<std::int64_t>{6, 7, 8, 9, 10, 11, 12});
  auto spec = f.job(std::stoi(f.id_of("settle")));
  set.jobs[0].params = "new";
  REQUIRE(f.apply(set, false, start) == "=~");
  CHECK(f.rows("rm_intent", "state = 0") == "7");
  CHECK(f.claim(reserved, {spec}).stale_intents.size() == 7); // and nothing is sent with the old definition
  const auto runs = f.claim(reserved).runs;
  REQUIRE(runs.size() == 7);
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_log WHERE executor_param = 'new'") == "7");

  REQUIRE(f.reserve(start + 2s).intents.size() == 2);
  set.jobs[0].schedule_conf = "0 0 1 * * ?";
  REQUIRE(f.apply(set, false, start + 2s) == "=~");
  CHECK(f.rows("rm_intent", "state = 0") == "0"); // of the old schedule
}

TEST_CASE("no scheduler plans while the mode is unknown", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  const bool has_row = GENERATE(true, false);
  f.db->exec(has_row ? "UPDATE rm_mode SET mode = 'both'" : "DELETE FROM rm_mode");
  const std::string what = has_row ? "rm_mode.mode is \"both\", so the mode is unknown" : "rm_mode has no row, so the mode";
  const auto refused = [&](const auto& outcome) {
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == core::errc::unsupported);
    CHECK(outcome.error().context.find(what) == 0);
  };
  refused(f.jobs().start(one, noon));
  refused(f.jobs().stop(one, noon));
  refused(f.try_apply(pay_set()));
  refused(f.reservations().reserve(f.me, {.now = noon, .jobs_max = 10}));
  refused(f.reservations().put_back(f.me));
  refused(f.reservations().switch_mode(cluster_mode::native, 1s));
  refused(storage::agreed_mode(*f.store, ""));
  CHECK_FALSE(require(f.reservations().hold()));
  const auto found = f.db->database().examine();
  CHECK(std::any_of(found.begin(), found.end(), [&](const storage::database_finding& each) {
    return each.what == "mode" && each.how == storage::database_finding::level::failure && each.detail.find(what) == 0;
  }));
}

TEST_CASE("options that Java admins do not know are refused", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  auto set = pay_set();
  set.jobs[0].timing.time_zone = "Europe/Berlin";
  set.jobs[0].timing.jitter_ms = 100;
  const auto refused = f.refused(set);
  CHECK(refused.code == core::errc::invalid_argument);
  CHECK(refused.context.find("time_zone, jitter_ms: not available in shared mode") != std::string::npos);
  set.jobs[0].timing = {};
  CHECK(f.apply(set) == "+++");

  f.add_shared(101, noon, "*/1 * * * * ?");
  f.add_shared(102, core::time_point{});
  f.give_option(101);
  f.give_option(102);
  CHECK(error_of(f.jobs().start(core::job_id{102}, noon)) == core::errc::invalid_argument);
  CHECK(require(f.reservations().unplanned()) == std::vector{core::job_id{101}});
  CHECK(f.reserve(noon).intents.empty());
  CHECK(f.schedule_of(101) == "1 - 0"); // untouched
  require(f.jobs().stop(core::job_id{101}, noon));
  CHECK(require(f.reservations().unplanned()).empty());
}

TEST_CASE("back to shared mode is refused while a running job has such options", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  f.give_option(1);
  const auto refused = f.reservations().switch_mode(cluster_mode::shared, 2s);
  CHECK(error_of(refused) == core::errc::conflict);
  CHECK(refused.error().context.find("job 1 has options") != std::string::npos);
  CHECK(require(f.reservations().mode()) == core::mode_state{cluster_mode::native, false});
  f.db->exec("DELETE FROM rm_job_ext");
  CHECK(require(f.reservations().switch_mode(cluster_mode::shared, 2s)).changed);
}

TEST_CASE("after a takeover nothing is due both as a reserved instant and in the schedule", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/1 * * * * ?");
  REQUIRE(f.reserve(noon).intents.size() == 7);
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + ms(noon + 5s)); // a Java console starts a running job
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  CHECK(f.rows("rm_intent", "state = 0") == "5");
  CHECK(f.rows("rm_schedule", "next_ms = " + ms(noon + 5s)) == "1");
}

TEST_CASE("nothing is mirrored into a table that Java admins plan with", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  const auto sync = [&] { return require(f.store->mirror().sync(core::job_id{0}, 100, true, noon)); };
  f.db->exec("UPDATE rm_schedule SET next_ms = 0");
  CHECK(sync().adopted.empty());
  CHECK(f.schedule_of(1) == "1 - 0");
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  const auto hidden = f.schedule_of(1);
  CHECK(sync().refreshed == 0); // not yet: the guard may not have the lock
  CHECK(f.schedule_of(1) == hidden);
  // Nor by an edit, which begins after what a Java admin may have in memory.
  require(f.jobs().stop(one, noon));
  CHECK(require(f.jobs().start(one, noon)).next == noon + 60s);
  require(f.jobs().stop(one, noon));
  CHECK(require(f.jobs().start(one, noon + 58s)).next == noon + 120s);
  CHECK(f.schedule_of(1) == hidden);
  f.db->exec("UPDATE rm_schedule SET next_ms = " + ms(noon));
  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  CHECK(sync().adopted.empty()); // our own edits since the switch
  CHECK(sync().refreshed == 1);
  CHECK(f.schedule_of(1) == "1 - 0");
}

TEST_CASE("an edit in the minute of a switch shows no time to a Java admin", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  const auto hidden = f.schedule_of(1);
  const auto restart = [&] {
    require(f.jobs().stop(one, noon));
    const auto next = require(f.jobs().start(one, noon)).next;
    CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 1") == ms(next.value()));
    return f.schedule_of(1);
  };
  CHECK(restart().substr(restart().rfind(' ')) == hidden.substr(hidden.rfind(' ')));
  auto set = pay_set();
  f.apply(set, false, noon);
  CHECK(f.rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time < " + ms(noon + 24h * 365)) == "0");
  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  CHECK(restart().ends_with(" 60"));
}

TEST_CASE("a time that was read before a switch is not shown after it", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  const auto hidden = f.schedule_of(1);
  f.db->exec("START TRANSACTION");
  f.db->exec("UPDATE rm_mode SET wanted = 'shared', wanted_at = UNIX_TIMESTAMP()"); // not seen by any node yet
  CHECK(error_of(f.store->mirror().sync(core::job_id{0}, 100, false, noon)) == core::errc::unavailable);
  f.db->exec("COMMIT");
  CHECK(f.schedule_of(1) == hidden);
  CHECK(require(f.store->mirror().sync(core::job_id{0}, 100, false, noon)).refreshed == 0);
}

TEST_CASE("claims of a Java admin's fail monitor are its own", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  const auto failed = [&](int id, int alarm_status) {
    f.db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, executor_fail_retry_count, trigger_time, trigger_code,"
               " trigger_msg, handle_code, alarm_status) VALUES (" +
               std::to_string(id) + ", 1, 1, 1, '2024-03-01 11:59:00', 500, 'x', 0, " +
               std::to_string(alarm_status) + ")");
  };
  failed(1, 0);
  failed(2, -1);
  const auto sweep_all = [&] {
    std::size_t intents = 0;
    for (const auto at : {noon, noon + 6s, noon + 30min, noon + 31min, noon + 32min})
      intents += require(f.store->alarms().sweep(at, false, 100)).intents.size();
    return intents;
  };
  CHECK(sweep_all() == 1);
  CHECK(f.row(core::log_id{1}).trigger_msg.find("Fail retry trigger") != std::string::npos);
  CHECK(f.row(core::log_id{2}).trigger_msg == "x");
  CHECK(f.row(core::log_id{2}).alarm_status == -1);
}

TEST_CASE("jobs that are due first have the times that Java admins read, or none in an unknown mode", "[storage]") {
  shared_edit f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon + 9s);
  f.add_shared(2, noon + 3s);
  const auto first = [&f] { return f.store->job_editing().soonest({}, 10, core::local_operator()); };
  const auto found = require(first());
  REQUIRE(found.jobs.rows.size() == 2);
  CHECK(found.jobs.rows[0].id == core::job_id{2});
  f.db->exec("UPDATE rm_mode SET mode = 'both'");
  CHECK(error_of(first()) == core::errc::unsupported);
}
