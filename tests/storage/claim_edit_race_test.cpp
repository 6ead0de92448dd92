// An edit and a claim of the same job at the same time: no instant is claimed twice (firing protocol §7.3, F8).

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "tests/storage/deploy_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

core::declared_set every_seconds(const std::string& seconds, std::size_t jobs) {
  auto set = pay_set();
  set.jobs.clear();
  for (std::size_t i = 0; i < jobs; ++i) {
    auto job = declared_job_of("pay", "job" + std::to_string(i));
    job.schedule_conf = "*/" + seconds + " * * * * ?";
    set.jobs.push_back(std::move(job));
  }
  return set;
}

constexpr const char* instants_claimed_twice = "SELECT count(*) FROM (SELECT job_id, trigger_time FROM xxl_job_log "
                                               "GROUP BY job_id, trigger_time HAVING count(*) > 1) twice";

/// The time of each editor. Claims run ahead of all editors, but not so far that they would count as caused by a wrong clock.
class editors_clock {
public:
  explicit editors_clock(std::size_t editors) : at_ms_(editors) {}

  /// Returns the time for an edit of this editor. Never later than the newest claim, so that only the last claimed instant keeps
  /// a new next time from going back.
  core::time_point now(std::size_t editor) {
    at_ms_[editor] = newest_ms_.load();
    return noon + core::milliseconds{at_ms_[editor]};
  }
  void claimed(core::time_point instant) {
    const auto ms = (instant - noon).count();
    for (auto known = newest_ms_.load(); known < ms && !newest_ms_.compare_exchange_weak(known, ms);) {
    }
  }
  [[nodiscard]] bool may_claim(core::time_point instant) const {
    return std::all_of(at_ms_.begin(), at_ms_.end(),
                       [&](const auto& ms) { return instant <= noon + core::milliseconds{ms} + 15s; });
  }

private:
  std::vector<std::atomic<std::int64_t>> at_ms_;
  std::atomic<std::int64_t> newest_ms_{0};
};

/// Claims due instants of all jobs repeatedly.
class planner {
public:
  planner(deploy_fixture& f, core::node_incarnation owner, int claims, editors_clock& clock)
    : store_{f.db->open()}, owner_{std::move(owner)}, claims_{claims}, clock_{clock} {}

  void run() {
    constexpr int looks_max = 100'000;
    for (int i = 0, looks = 0; i < claims_ && looks < looks_max && failure.empty(); ++looks) {
      idle_ = false;
      if (auto claimed = claim_once(i + 1); !claimed && claimed.error().code != core::errc::unavailable)
        failure = claimed.error().context;
      i += idle_ ? 0 : 1;
    }
    done = true;
  }

  std::atomic<bool> done{false};
  std::size_t won = 0;
  std::size_t lost = 0;
  std::string failure;

private:
  core::result<void> claim_once(std::int64_t sequence) {
    auto jobs = store_->firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000);
    if (!jobs)
      return tl::unexpected{jobs.error()};
    core::claim_batch batch;
    batch.owner = owner_;
    batch.sequence = sequence;
    for (const auto& job : *jobs) {
      batch.seen_revision = std::max(batch.seen_revision, job.revision);
      if (!job.next || !clock_.may_claim(*job.next))
        continue;
      batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
      batch.runs.push_back(firing_fixture::run_of(job.spec, *job.next));
    }
    if (batch.moves.empty()) { // until the editors catch up, or start a job
      idle_ = true;
      return {};
    }
    auto outcome = store_->firings().claim(batch, noon);
    if (!outcome)
      return tl::unexpected{outcome.error()};
    won += outcome->runs.size();
    for (const auto& run : outcome->runs)
      clock_.claimed(run.plan.fire_at);
    lost += outcome->lost_races.size();
    return {};
  }

  std::unique_ptr<storage::store> store_;
  core::node_incarnation owner_;
  int claims_;
  bool idle_ = false;
  editors_clock& clock_;
};

} // namespace

TEST_CASE("edits during busy planning claim no instant twice", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  constexpr std::size_t jobs = 5;
  f.apply(every_seconds("1", jobs));
  editors_clock clock{1};
  planner busy{f, f.me, 150, clock};
  std::thread planning{[&busy] { busy.run(); }};
  std::string refused;
  int edits = 0;
  for (; !busy.done; ++edits)
    if (auto applied = f.try_apply(every_seconds(edits % 2 == 0 ? "2" : "1", jobs), false, clock.now(0));
        !applied && applied.error().code != core::errc::unavailable)
      refused = applied.error().context;
  planning.join();
  CHECK(refused == "");
  CHECK(busy.failure == "");
  CHECK(busy.won > 0);
  CHECK(edits > 0);
  CHECK(f.db->value(instants_claimed_twice) == "0");
  CHECK(f.db->value("SELECT count(*) FROM rm_schedule WHERE next_ms <= last_ms") == "0");
  CHECK(f.rows("xxl_job_log") == std::to_string(busy.won));
}

namespace {

/// Stops and starts jobs as long as `on`, and until it has done both.
class stopping {
public:
  stopping(deploy_fixture& f, std::vector<core::job_id> jobs, std::uint32_t seed, editors_clock& clock)
    : store_{f.db->open()}, jobs_{std::move(jobs)}, random_{seed}, number_{seed - 1}, clock_{clock} {}

  void run(const std::atomic<bool>& on) {
    while ((on || !did_both()) && failure.empty()) {
      const auto job = jobs_[random_() % jobs_.size()];
      const bool stops = random_() % 2 == 0;
      const auto now = clock_.now(number_);
      auto edited = stops ? store_->jobs().stop(job, now) : store_->jobs().start(job, now);
      if (edited)
        ++(stops ? stops_ : starts_);
      else if (edited.error().code != core::errc::unavailable)
        failure = edited.error().context;
    }
  }

  std::string failure;

private:
  [[nodiscard]] bool did_both() const { return stops_ > 0 && starts_ > 0; }

  std::unique_ptr<storage::store> store_;
  std::vector<core::job_id> jobs_;
  std::minstd_rand random_;
  std::size_t number_;
  editors_clock& clock_;
  std::size_t stops_ = 0;
  std::size_t starts_ = 0;
};

} // namespace

TEST_CASE("stops and starts by several users during planning on two nodes repeat no instant", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(every_seconds("1", 4));
  std::vector<core::job_id> jobs;
  for (const auto& job : require(f.firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 100)))
    jobs.push_back(job.spec->id);
  editors_clock clock{2};
  planner first{f, f.me, 120, clock};
  planner second{f, require(f.store->cluster().enter("b", "b:8080")), 120, clock};
  stopping one{f, jobs, 1, clock};
  stopping other{f, jobs, 2, clock};
  std::atomic<bool> on{true};
  std::vector<std::thread> editing;
  for (auto* each : {&one, &other})
    editing.emplace_back([each, &on] { each->run(on); });
  std::vector<std::thread> planning;
  for (auto* each : {&first, &second})
    planning.emplace_back([each] { each->run(); });
  for (auto& each : planning)
    each.join();
  on = false;
  for (auto& each : editing)
    each.join();
  for (const auto& failure : {first.failure, second.failure, one.failure, other.failure})
    CHECK(failure == "");
  CHECK(first.won + second.won > 0);
  CHECK(f.db->value(instants_claimed_twice) == "0");
  CHECK(f.db->value("SELECT count(*) FROM rm_schedule WHERE next_ms <> 0 AND next_ms <= last_ms") == "0");
  CHECK(f.rows("xxl_job_log") == std::to_string(first.won + second.won));
  for (const auto job : jobs) { // after all edits a start takes effect
    const auto started = require(f.store->jobs().start(job, noon));
    REQUIRE(started.next);
    CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = " + std::to_string(core::number(job))) == ms(*started.next));
  }
}

TEST_CASE("a claim that commits during an edit keeps its instant", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  deploy_fixture f{mysql_backend()};
  f.apply(every_seconds("1", 2));
  const auto id = f.id_of("job0");
  REQUIRE(f.next_of("job0") == ms(noon + 1s));
  auto wanted = every_seconds("2", 2);
  std::string next = ms(noon + 4s);
  // The test's own connection simulates a claim: it has moved the schedule and has not committed.
  f.db->exec("START TRANSACTION");
  SECTION("of an instant, and the schedule changes") {
    f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 2s) + ", next_ms = " + ms(noon + 3s) + " WHERE job = " + id);
  }
  SECTION("of the last instant of a job whose schedule the edit keeps") {
    wanted = every_seconds("1", 2);
    wanted.jobs[0].params = "new";
    next = ms(noon + 3s);
    f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 2s) + ", next_ms = 0 WHERE job = " + id);
    f.db->exec("UPDATE xxl_job_info SET trigger_status = 0 WHERE id = " + id);
  }
  core::result<core::deploy_report> applied;
  std::thread editing{[&] { applied = f.try_apply(wanted); }};
  std::string waiting = "0";
  for (const auto end = std::chrono::steady_clock::now() + 10s; waiting == "0" && std::chrono::steady_clock::now() < end;)
    waiting = f.db->value(
      "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
  f.db->exec("COMMIT");
  editing.join();
  REQUIRE(waiting == "1");
  require(std::move(applied));
  CHECK(f.next_of("job0") == next);
  CHECK(f.of_job("trigger_next_time", "job0") == next);
  CHECK(f.of_job("trigger_last_time", "job0") == ms(noon + 2s));
  CHECK(f.of_job("trigger_status", "job0") == "1");
}
