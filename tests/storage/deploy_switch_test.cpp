// Large applies: staged in pieces, taking effect in one transaction, during claims, edits, other applies and crashes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/storage/deploy_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

using steady = std::chrono::steady_clock;

core::declared_set many_jobs(std::size_t jobs, const std::string& params, const std::string& source = "pay.toml",
                        const std::string& group = "pay") {
  core::declared_set set;
  set.source = source;
  set.groups = {{group, "Payments", std::nullopt}};
  for (std::size_t i = 0; i < jobs; ++i) {
    auto job = declared_job_of(group, "job" + std::to_string(i));
    job.params = params;
    set.jobs.push_back(std::move(job));
  }
  return set;
}

std::string with_params(const std::string& params) { return "executor_param = '" + params + "'"; }

/// Waits until the condition holds; each check is a round trip to the database.
template <class Condition>
bool comes_true(Condition condition, std::chrono::milliseconds limit = 20s) {
  for (const auto end = steady::now() + limit; steady::now() < end;)
    if (condition())
      return true;
  return false;
}

} // namespace

TEST_CASE("an apply whose connection is cut after any of its pieces changes all or nothing", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  constexpr std::size_t jobs = 2000;
  deploy_fixture f{mysql_backend()};
  f.apply(many_jobs(jobs, "0"));
  const auto all = std::to_string(jobs);
  int cut = 0;
  // Rows of definitions, rows of schedules, and moments of the switch.
  for (const auto* seen : {"rm_stage_job 1", "rm_stage_job 600", "rm_stage_job 1200", "rm_stage_job 2000", "rm_stage_schedule 1",
                           "rm_stage_schedule 600", "rm_stage_schedule 2000"}) {
    const std::string word{seen};
    const auto table = word.substr(0, word.find(' '));
    const auto rows = std::stoll(word.substr(word.find(' ')));
    const auto before = f.db->value("SELECT MAX(executor_param) FROM xxl_job_info");
    const auto after = std::to_string(std::stoi(before) + 1);
    std::atomic<bool> done{false};
    core::result<core::deploy_report> applied;
    std::thread applying{[&] {
      applied = f.try_apply(many_jobs(jobs, after));
      done = true;
    }};
    std::string victim;
    (void) comes_true([&] {
      const auto staged = f.db->query("SELECT stage, COUNT(*) FROM " + table + " GROUP BY stage");
      if (!staged.empty() && std::stoll(staged[0][1]) >= rows)
        victim = staged[0][0];
      return !victim.empty() || done;
    });
    if (!victim.empty())
      try {
        f.db->exec("KILL " + victim);
      } catch (const std::runtime_error&) { // it had already ended
      }
    applying.join();
    cut += applied ? 0 : 1;
    CAPTURE(word, applied.has_value());
    const auto changed = f.rows("xxl_job_info", with_params(after));
    CHECK((changed == "0" || changed == all));
    if (applied)
      CHECK(changed == all);
    if (changed == "0")
      CHECK(f.rows("xxl_job_info", with_params(before)) == all);
    else
      CHECK(f.rows("rm_audit", "changes LIKE '%-> \"" + after + "\"%'") == all);
    require(f.try_apply(many_jobs(jobs, after)));
    CHECK(f.rows("xxl_job_info", with_params(after)) == all);
  }
  CHECK(cut > 0);
  // Leftovers are removed by the next apply that changes this many jobs.
  require(f.try_apply(many_jobs(jobs, "9")));
  CHECK(f.rows("rm_stage_job") + f.rows("rm_stage_schedule") == "00");
}

TEST_CASE("two concurrent large applies both take effect", "[storage]") {
  constexpr std::size_t jobs = 1500;
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  f.apply(many_jobs(jobs, "0"));
  f.apply(many_jobs(jobs, "0", "other.toml", "other"));
  core::result<core::deploy_report> second;
  std::thread applying{[&] {
    for (int i = 1; i <= 3; ++i)
      second = other->deploys().apply(many_jobs(jobs, std::to_string(i), "other.toml", "other"), false, false, noon);
  }};
  core::result<core::deploy_report> first;
  for (int i = 1; i <= 3; ++i)
    first = f.try_apply(many_jobs(jobs, std::to_string(i)));
  applying.join();
  require(std::move(first));
  require(std::move(second));
  CHECK(f.rows("xxl_job_info", with_params("3")) == std::to_string(2 * jobs));
  CHECK(f.db->value("SELECT COUNT(DISTINCT revision) FROM rm_schedule") == std::to_string(2 * jobs));
}

TEST_CASE("the same file applied twice at once changes each job once", "[storage]") {
  constexpr std::size_t jobs = 600;
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  f.apply(many_jobs(jobs, "0"));
  core::result<core::deploy_report> second;
  std::thread applying{[&] { second = other->deploys().apply(many_jobs(jobs, "1"), false, false, noon); }};
  const auto first = f.try_apply(many_jobs(jobs, "1"));
  applying.join();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->changes_anything() != second->changes_anything());
  CHECK(f.rows("rm_audit", "changes LIKE '%-> \"1\"%'") == std::to_string(jobs));
}

TEST_CASE("an apply sees a manual edit that happens during it", "[storage]") {
  constexpr std::size_t jobs = 1500;
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  f.apply(many_jobs(jobs, "0"));
  const core::job_id edited{std::stoi(f.id_of("job7"))};
  for (int i = 1; i <= 4; ++i) {
    core::result<core::deploy_report> applied;
    std::atomic<bool> done{false};
    std::thread applying{[&] {
      applied = f.try_apply(many_jobs(jobs, std::to_string(i)));
      done = true;
    }};
    std::size_t edits = 0;
    while (!done && edits < 30) {
      auto stopped = other->jobs().stop(edited, noon);
      if (!stopped)
        CHECK(stopped.error().code == core::errc::unavailable);
      edits += stopped ? 1 : 0;
    }
    applying.join();
    require(std::move(applied));
    INFO("edits: " << edits);
    CHECK(f.rows("xxl_job_info", with_params(std::to_string(i))) == std::to_string(jobs));
    // Status, next time and revision are consistent, whichever write was last.
    const auto status = f.of_job("trigger_status", "job7");
    CHECK((f.next_of("job7") == "0") == (status == "0"));
    require(other->jobs().start(edited, noon));
  }
}

TEST_CASE("other claims and edits continue during an apply of 5000 running jobs", "[storage]") {
  constexpr std::size_t jobs = 5'000;
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  f.apply(many_jobs(jobs, "0"));
  f.apply(many_jobs(20, "0", "mine.toml", "mine"));
  std::vector<core::job_id> mine;
  for (const auto& row : f.db->query("SELECT job FROM rm_job_ext WHERE source = 'mine.toml'"))
    mine.push_back(core::job_id{std::stoi(row[0])});
  auto set = many_jobs(jobs, "1");
  for (auto& job : set.jobs)
    job.schedule_conf = "0 0 2 * * ?";
  core::result<core::deploy_report> applied;
  std::atomic<bool> done{false};
  std::jthread applying{[&] {
    applied = f.try_apply(set);
    done = true;
  }};
  std::size_t claims = 0;
  std::size_t edits = 0;
  while (!done) {
    auto batch = f.batch();
    batch.seen_revision = 1'000'000;
    for (const auto& job : require(other->firings().read_jobs(mine))) {
      batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 60s});
      batch.runs.push_back(firing_fixture::run_of(job.spec, *job.next));
    }
    // On a busy machine the wait for SQLite's one writer, or for a lock, may take too long: the call is then repeated, as a node
    // does.
    if (const auto claimed = other->firings().claim(batch, noon); claimed) {
      CHECK(claimed->runs.size() == mine.size());
      ++claims;
    } else {
      CHECK(claimed.error().code == core::errc::unavailable);
    }
    if (const auto started = other->jobs().start(mine.front(), noon); started)
      ++edits;
    else
      CHECK(started.error().code == core::errc::unavailable);
  }
  applying.join();
  require(std::move(applied));
  // The durations are measured by bench/firing_bench --apply.
  CHECK(claims > 3);
  CHECK(edits > 3);
  CHECK(f.rows("rm_schedule", "next_ms = " + ms(one_at_night + 1h)) == std::to_string(jobs));
}
