// T1: instants that the misfire policy drops are one row of the log.

#include "core/run/execution_state.hpp"
#include "core/run/trigger_note.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct missed_fixture : firing_fixture {
  using firing_fixture::firing_fixture;

  /// Drops three instants from `first` on, a minute apart.
  static void drop(core::claim_batch& batch, const core::job_ptr& spec, core::time_point first = noon) {
    const core::missed_instants gap{3, first, first + 2min};
    batch.moves.push_back({spec->id, first, gap.last, first + 3min, core::missed_gap{spec, gap, "3 instants were missed"}});
  }

  core::claim_outcome claim_missed(std::int32_t id, const std::vector<std::pair<std::string, std::string>>& values = {}) {
    auto job = add_job(id, noon, values);
    auto one = batch();
    drop(one, job);
    return require(firings().claim(one, noon + 150s));
  }
};

/// Alarm settings of a job, and whether its failures raise an alarm.
struct wanted {
  const char* alarm_on;
  bool missed;
  bool failed;
};

} // namespace

TEST_CASE("a claim that drops instants inserts one row with their number", "[storage]") {
  missed_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto outcome = f.claim_missed(7, {{"job_group", "4"}, {"executor_fail_retry_count", "2"}});
  CHECK(outcome.runs.empty());
  REQUIRE(outcome.missed.size() == 1);
  const auto& said = outcome.missed[0];
  CHECK(said.job == core::job_id{7});
  CHECK(said.group == core::group_id{4});
  CHECK(said.what == core::missed_instants{3, noon, noon + 2min});

  const auto row = f.row(said.id);
  CHECK(row.trigger_time == noon + 150s);
  CHECK(core::state_of(row.trigger_code, row.handle_code) == core::execution_state::trigger_failed);
  CHECK(row.fail_retry_count == 0);
  CHECK(row.alarm_status == core::alarm_status::not_needed);
  CHECK(row.executor_handler == "demoJobHandler");
  CHECK(core::missed_in(row.trigger_msg) == said.what);
  CHECK(f.rows("rm_failed_run", "log_id = " + text(said.id)) == "1");
  CHECK(f.rows("rm_claim") == "0");
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("a move that loses drops nothing", "[storage]") {
  missed_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto other = f.add_job(8);
  auto batch = f.batch();
  missed_fixture::drop(batch, job, noon - 1min);
  missed_fixture::drop(batch, other);
  const auto outcome = require(f.firings().claim(batch, noon + 150s));
  CHECK(outcome.lost_races == std::vector{core::job_id{7}});
  REQUIRE(outcome.missed.size() == 1);
  CHECK(outcome.missed[0].job == core::job_id{8});
  CHECK(f.rows("xxl_job_log") == "1");
  // Repeats the claim because its answer was lost: nothing is written twice.
  const auto again = require(f.firings().claim(batch, noon + 150s));
  CHECK(again.missed.empty());
  CHECK(f.rows("xxl_job_log") == "1");
}

TEST_CASE("runs and dropped instants of one large claim are kept apart", "[storage]") {
  missed_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (std::int32_t id = 1; id <= 40; ++id) {
    auto job = f.add_job(id);
    if (id % 2 == 0)
      missed_fixture::drop(batch, job);
    else
      firing_fixture::plan(batch, job);
  }
  const auto outcome = require(f.firings().claim(batch, noon + 150s));
  CHECK(outcome.runs.size() == 20);
  CHECK(outcome.missed.size() == 20);
  CHECK(f.rows("xxl_job_log", "trigger_code = 500") == "20");
  CHECK(f.rows("rm_schedule", "missed_ms = " + ms(noon + 2min) + " AND last_ms = missed_ms AND job % 2 = 0") == "20");
  CHECK(f.rows("rm_schedule", "missed_ms = 0 AND last_ms = " + ms(noon) + " AND job % 2 = 1") == "20");
  CHECK(require(f.firings().open_claims(f.me)).size() == 1);
}

TEST_CASE("the last sent instant is stored next to the last missed one", "[storage]") {
  missed_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  const auto record = [&f] { return require(f.store->job_editing().read(core::job_id{7}, core::local_operator())); };
  auto sent = f.batch();
  firing_fixture::plan(sent, job);
  require(f.firings().claim(sent, noon));
  CHECK(record().last == noon);
  CHECK(record().missed == core::time_point{});

  for (int gap = 0; gap < 2; ++gap) {
    auto missed = f.batch();
    missed_fixture::drop(missed, job, noon + 1min + gap * 3min);
    require(f.firings().claim(missed, noon + 10min));
    CHECK(record().last == noon);
    CHECK(record().missed == noon + 3min + gap * 3min);
  }

  auto later = f.batch();
  firing_fixture::plan(later, job, noon + 7min);
  require(f.firings().claim(later, noon + 7min));
  CHECK(record().last == noon + 7min);
  CHECK(record().missed == noon + 6min);
}

TEST_CASE("dropped instants raise an alarm for a job that wants one", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  const auto [alarm_on, missed, failed] =
    GENERATE(wanted{"NULL", true, true}, wanted{"'missed'", true, false}, wanted{"'failed'", false, true},
             wanted{"'none'", false, false});
  missed_fixture f{backend};
  f.add_job(8);
  f.db->exec("INSERT INTO rm_job_ext (job, alarm_on) VALUES (7, " + std::string{alarm_on} + ")");
  const auto outcome = f.claim_missed(7, {{"alarm_email", "'a@x.example'"}});
  const auto row = outcome.missed.at(0).id;
  CHECK(f.row(row).alarm_status == (missed ? core::alarm_status::claimed : core::alarm_status::not_needed));
  CHECK(f.rows("rm_intent", "kind = 'alarm' AND state = 2 AND origin_log_id = " + text(row)) == (missed ? "1" : "0"));

  auto run = f.batch();
  firing_fixture::plan(run, f.job(7), noon + 3min);
  const auto claimed = require(f.firings().claim(run, noon + 3min)).runs.at(0);
  f.record({firing_fixture::answer(claimed, 500)}, {});
  CHECK(f.row(claimed.id).alarm_status == (failed ? core::alarm_status::claimed : core::alarm_status::not_needed));
}

TEST_CASE("rows of dropped instants are found by their status", "[storage]") {
  missed_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto row = f.claim_missed(7).missed.at(0).id;
  const auto failed = f.claimed(8);
  f.record({firing_fixture::answer(failed, 500)}, {});
  const auto found = [&f](core::run_status status) {
    std::vector<core::log_id> ids;
    for (const auto& each : require(f.store->run_reading().page({.status = status}, 100, core::local_operator())).rows)
      ids.push_back(each.id);
    return ids;
  };
  CHECK(found(core::run_status::missed) == std::vector{row});
  CHECK(found(core::run_status::failed) == std::vector{failed.id, row});
  CHECK(found(core::run_status::running).empty());
}
