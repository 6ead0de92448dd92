// Switches of the mode under abnormal conditions: a `--back` that gives up, a mode row that cannot be read, an old row that a
// console restored before a takeover.

#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::cluster_mode;
using list = std::vector<std::int64_t>;

namespace {

constexpr const char* javas_lock = "SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE";

/// A database in native mode since long ago, so that next times are shown.
struct taken_over : reservation_fixture {
  explicit taken_over(const test_backend& backend) : reservation_fixture{backend} {
    add_shared(1, noon);
    add_shared(2, noon + 60s);
    require(reservations().switch_mode(cluster_mode::native, 2s));
    db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
    sync();
    REQUIRE(schedule_of(1) == "1 - 0");
    me = require(store->cluster().enter("node-a", "here"));
  }

  void sync() { (void) require(store->mirror().sync(core::job_id{0}, 100, true, noon)); }

  std::string due_in_this_incarnation() {
    return rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time < " + ms(noon + 24h * 365));
  }
};

} // namespace

TEST_CASE("back that gives up shows no time, and the guard returns", "[storage]") {
  taken_over f{GENERATE(from_range(shared_backends()))};
  auto guard = f.db->open();
  REQUIRE(require(guard->reservations()->hold()));
  f.add_shared(3, noon + 60s); // by a Java console, and not checked yet
  f.db->exec("DELETE FROM rm_schedule WHERE job = 3");
  require(guard->reservations()->let_go()); // as it does once the switch is announced
  SECTION("a frozen Java admin holds the lock") {
    f.db->exec("START TRANSACTION");
    (void) f.db->query(javas_lock);
    CHECK(error_of(f.reservations().switch_mode(cluster_mode::shared, 200ms)) == core::errc::unavailable);
    f.db->exec("COMMIT");
  }
  SECTION("the lock row is missing") {
    f.db->exec("DELETE FROM xxl_job_lock");
    CHECK(error_of(f.reservations().switch_mode(cluster_mode::shared, 200ms)) == core::errc::unsupported);
    f.db->exec("INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')");
  }
  CHECK(f.due_in_this_incarnation() == "0");
  CHECK(require(guard->reservations()->mode()) == core::mode_state{cluster_mode::native, false});
  CHECK(require(guard->reservations()->hold()));
  f.sync();
  CHECK(f.due_in_this_incarnation() == "0"); // not before the minute has passed
  CHECK(f.rows("rm_node", "state = 'up'") == "1");

  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  f.sync();
  CHECK(f.schedule_of(1) == "1 - 0");
  CHECK(f.schedule_of(2) == "1 - 60");
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 3") == "1"); // its misfire policy decides
  require(guard->reservations()->let_go());
  CHECK(require(f.reservations().switch_mode(cluster_mode::shared, 2s)).changed);
}

TEST_CASE("a guard that cannot read the mode keeps its lock", "[storage]") {
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

TEST_CASE("after a takeover no instant fires again that a console restored", "[storage]") {
  struct expectation {
    list claimed;
    std::string put_back, next, last;
    list waiting;
  };
  const auto expected = GENERATE(values<expectation>({
    {{0}, "0", "2", "0", {}},             // exactly this instant
    {{0, 2}, "0", "4", "2", {}},          // and the one after it
    {{2}, "0", "4", "2", {0}},            // the first is late, and fires by its intent
    {{0}, "-2", "2", "0", {}},            // before all of them: a Java admin fired it, or it is forgotten
    {{4}, "2", "6", "4", {0, 2}},         // both
    {{0}, "2", "2", "0", {}},             // not after the taken ones
    {{0, 2, 4, 6}, "0", "8", "6", {}},    // nothing is left
    {{0}, "8", "8", "6", {2, 4, 6}},      // no console restored anything
    {{}, "0", "0", "6", {}},              // nothing was taken
  }));
  CAPTURE(expected.claimed, expected.put_back);
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  const auto reserved = f.reserve(noon).intents;
  REQUIRE(instants(reserved) == list{0, 2, 4, 6});
  std::vector<core::intent> claimed;
  for (const auto at : expected.claimed)
    claimed.push_back(reserved.at(static_cast<std::size_t>(at) / 2));
  if (!claimed.empty())
    REQUIRE(f.claim(claimed).runs.size() == claimed.size());
  const bool old_row = expected.put_back != "8";
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + ms(noon + std::chrono::seconds{std::stoi(expected.put_back)})
             + (old_row && !claimed.empty() ? ", trigger_last_time = 0" : ""));
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  const auto row = f.db->query("SELECT next_ms, last_ms FROM rm_schedule").at(0);
  CHECK(f.from_noon(row[0]) == expected.next);
  CHECK(f.from_noon(row[1]) == expected.last);
  const auto waiting = require(f.firings().waiting_intents(noon + 1h, 100));
  CHECK(instants(waiting) == expected.waiting);
  // Waiting instants are claimed.
  f.me = require(f.store->cluster().enter("node-a", "here"));
  auto batch = f.batch();
  for (const auto& intent : waiting) {
    batch.runs.push_back(f.run_of(f.job(1), intent.fire_at));
    batch.runs.back().intent = intent.id;
  }
  if (!waiting.empty())
    CHECK(require(f.firings().claim(batch, noon)).runs.size() == waiting.size());
}

TEST_CASE("after a takeover a schedule that a console restarted after its last instant has ended", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "0 0 12 1 3 ? 2024");
  REQUIRE(f.claim(f.reserve(noon - 5s).intents).runs.size() == 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_status = 1, trigger_last_time = 0, trigger_next_time = " + ms(noon));
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  CHECK(f.schedule_of(1) == "0 0 -");
  CHECK(f.db->query("SELECT next_ms, last_ms FROM rm_schedule") == table{{"0", ms(noon)}});
  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  const auto seen = require(f.store->mirror().sync(core::job_id{0}, 100, true, noon));
  CHECK((seen.adopted.empty() || seen.adopted[0].what.empty())); // no other program stopped it
  CHECK(f.schedule_of(1) == "0 0 -");
}

TEST_CASE("a job without a next time that has just fired continues after that instant after a takeover", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  const auto reserved = f.reserve(noon).intents;
  REQUIRE(reserved.size() > 1);
  REQUIRE(f.claim({reserved.front()}).runs.size() == 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + GENERATE(as<std::string>{}, "0", "253402300799000"));
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule") == ms(reserved[1].fire_at));
  CHECK(f.rows("rm_intent", "state = 0") == "0"); // otherwise both the schedule and the intents would fire them
}

TEST_CASE("a job without a next time is due after a takeover, and its waiting instants are deleted", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  REQUIRE(f.reserve(noon).intents.size() > 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + GENERATE(as<std::string>{}, "0", "253402300799000"));
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule") == "1"); // its misfire policy decides
  CHECK(f.rows("rm_intent", "state = 0") == "0");
}

TEST_CASE("after a takeover a misfire that a console restored fires once", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon - 60s, "0 * * * * ?", {{"misfire_strategy", "'FIRE_ONCE_NOW'"}});
  const auto reserved = f.reserve(noon).intents;
  REQUIRE(reserved.size() == 1);
  REQUIRE(reserved[0].kind == core::trigger_kind::misfire);
  const bool claimed = GENERATE(true, false);
  if (claimed)
    REQUIRE(f.claim(reserved).runs.size() == 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_last_time = 0, trigger_next_time = " + ms(noon - 60s));
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule") == ms(claimed ? noon + 60s : noon - 60s));
  CHECK(f.rows("rm_intent", "state = 0") == "0"); // otherwise both the schedule and the intent would fire it
}

TEST_CASE("a hidden time that a console restores after --back is missed, not lost", "[storage]") {
  taken_over f{GENERATE(from_range(shared_backends()))};
  require(f.reservations().switch_mode(cluster_mode::shared, 2s));
  f.me = require(f.store->cluster().enter("node-a", "here"));
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = 253402300799000"); // as it was read in the minute of a switch
  f.db->exec("UPDATE xxl_job_info SET misfire_strategy = 'FIRE_ONCE_NOW' WHERE id = 2");
  const auto reserved = f.reserve(noon + 90s);
  CHECK(reserved.dropped == 1);
  CHECK(f.rows("rm_intent", "kind = 'misfire' AND job = 2") == "1");
  CHECK(f.rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time > " + ms(noon + 90s) + " AND trigger_next_time < "
                                 + ms(noon + 1h)) == "2");
}

TEST_CASE("after back a Java console can read the runs of native mode", "[storage]") {
  const auto backend = GENERATE(from_range(shared_backends()));
  const std::string open_end = backend.generation != 0 && backend.generation <= 5 ? "<br>code：---<br>msg：" : "：pending";
  taken_over f{backend};
  const auto run_at = [&f](core::time_point instant) {
    auto batch = f.batch();
    batch.seen_revision = require(f.firings().last_revision());
    f.plan(batch, f.job(1), instant);
    return require(f.firings().claim(batch, instant)).runs.at(0);
  };
  const auto done = run_at(noon), refused = run_at(noon + 60s), open = run_at(noon + 120s);
  f.record({f.answer(done, 200)}, {f.callback(done, 200, "ok")});
  f.record({f.answer(refused, 500, "<busy>")}, {});
  REQUIRE(f.row(done.id).trigger_msg.starts_with("rm1;"));
  f.db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_code, handle_code, trigger_msg) VALUES"
             " (70000, 1, 1, 200, 0, 'of a Java admin'), (70001, 1, 1, 200, 0, 'rm1;not a note'), (70002, 1, 1, 200, 0, NULL)");
  require(f.reservations().switch_mode(cluster_mode::shared, 2s));

  core::note_rewrite all;
  int steps = 0;
  for (std::optional<core::log_id> after = core::log_id{0}; after && steps < 10; ++steps) {
    const auto step = require(f.reservations().rewrite_notes(*after));
    all.rewritten += step.rewritten;
    all.left += step.left;
    after = step.next;
  }
  CHECK(steps == 2); // deleted ids are skipped
  CHECK(all.rewritten == 3);
  CHECK(all.left == 0);
  CHECK(f.row(done.id).trigger_msg.starts_with("Job trigger type：Cron trigger<br>Trigger machine address：10.0.0.1<br>"));
  CHECK(f.row(refused.id).trigger_msg.find("&lt;busy&gt;") != std::string::npos);
  CHECK(f.row(open.id).trigger_msg.ends_with(open_end));
  CHECK(f.rows("xxl_job_log", "id = " + text(open.id) + " AND handle_time IS NULL AND handle_msg IS NULL") == "1");
  CHECK(f.row(done.id).handle_msg == "ok");
  CHECK(f.rows("xxl_job_log", "trigger_msg IN ('of a Java admin', 'rm1;not a note')") == "2");
  CHECK(require(f.reservations().rewrite_notes(core::log_id{0})).rewritten == 0);
  // Its answer arrives in the new incarnation and closes the text.
  auto results = f.results();
  results.owner = f.me = require(f.store->cluster().enter("node-a", "here"));
  results.shared = true;
  results.triggers = {f.answer(open, 200)};
  require(f.firings().record(results, noon));
  CHECK_FALSE(f.row(open.id).trigger_msg.ends_with(open_end));
}
