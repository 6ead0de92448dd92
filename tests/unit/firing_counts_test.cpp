// Counts of firings by time, before and after a change.

#include "core/forecast/firing_counts.hpp"

#include <chrono>
#include <map>
#include <random>
#include <string>

#include "core/forecast/upcoming.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::job_id;

namespace {

const core::time_point midnight = core::from_ms(1'767'225'600'000);

core::job_record stored(std::int32_t id, std::string type, std::string conf, core::time_point next = midnight) {
  core::job_record job;
  job.id = job_id{id};
  job.group = core::group_id{1};
  job.schedule_type = std::move(type);
  job.schedule_conf = std::move(conf);
  job.misfire = "DO_NOTHING";
  job.running = true;
  job.next = next;
  return job;
}

core::counts_search span(std::chrono::milliseconds length, std::chrono::milliseconds bucket = 1h) {
  core::counts_search search;
  search.from = midnight;
  search.until = midnight + length;
  search.bucket = bucket;
  return search;
}

core::counts_report counted(const core::counts_search& search, const std::vector<core::job_record>& jobs, bool hurried = false) {
  core::firing_counts made{search, 5s, core::zone{}};
  for (const auto& job : jobs)
    made.add(job);
  int slices = 0;
  while (!made.walk([hurried] { return !hurried; }))
    REQUIRE(++slices < 1'000'000);
  return std::move(made).report();
}

/// Returns the counts that the list of firings has.
std::vector<std::uint64_t> listed(const core::counts_search& search, const std::vector<core::job_record>& jobs) {
  core::upcoming made{{{search.from, {}, search.from_now ? search.from : core::time_point{}}, search.until, 1'000'000}, 5s,
                      core::zone{}};
  for (const auto& job : jobs)
    made.add(job);
  const auto page = std::move(made).page([] { return true; });
  std::vector<std::uint64_t> out(static_cast<std::size_t>((search.until - search.from) / search.bucket));
  for (const auto& each : page.firings)
    ++out.at(static_cast<std::size_t>((each.at - search.from) / search.bucket));
  return out;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("counts: firings by hour, the busiest seconds and jobs", "[unit][forecast]") {
  const std::vector jobs{stored(1, "CRON", "0 0 * * * ?"), stored(2, "CRON", "0 0 2 * * ?", midnight + 2h),
                         stored(3, "FIX_RATE", "1800")};
  const auto report = counted(span(4h), jobs);
  CHECK(report.before.counts == numbers{3, 3, 4, 3});
  CHECK(report.before.firings == 13);
  CHECK_FALSE(report.after);
  CHECK(report.walked_until == midnight + 4h);
  REQUIRE(report.before.top.size() == 8);
  CHECK(report.before.top[0].at == midnight + 2h);
  CHECK(report.before.top[0].jobs == 3);
  CHECK(report.before.top[0].some == std::vector{job_id{1}, job_id{2}, job_id{3}});
  CHECK(report.before.top[1].at == midnight);
  CHECK(report.before.jobs == std::vector<std::pair<job_id, std::uint64_t>>{{job_id{3}, 8}, {job_id{1}, 4}, {job_id{2}, 1}});
}

TEST_CASE("counts: equal those of the list of firings, however short the slices", "[unit][forecast]") {
  std::mt19937 random{42};
  std::vector<core::job_record> jobs;
  const std::vector<std::string> crons{"0 0/7 * * * ?", "0/20 * * * * ?", "30 15 2,4 * * ?", "0 0 3 L * ?", "5 0/10 1-5 * * ?"};
  for (std::int32_t id = 1; id <= 60; ++id) {
    auto job = id % 3 == 0 ? stored(id, "FIX_RATE", std::to_string(1 + random() % 100)) : stored(id, "CRON", crons[random() % 5]);
    job.next = midnight + std::chrono::milliseconds{static_cast<std::int64_t>(random() % 20'000'000) - 10'000'000};
    if (id % 3 != 0)
      job.next = std::chrono::floor<std::chrono::seconds>(job.next);
    if (id % 4 == 0)
      job.misfire = "FIRE_ONCE_NOW";
    if (id % 7 == 0)
      job.timing.jitter_ms = 5000;
    if (id % 9 == 0)
      job.timing.interval_ms = 250 + static_cast<std::int64_t>(random() % 2000);
    if (id % 11 == 0)
      job.timing.end_at = midnight + 3h;
    jobs.push_back(std::move(job));
  }
  for (const bool from_now : {false, true}) {
    auto search = span(6h, 10min);
    search.from_now = from_now;
    const auto whole = counted(search, jobs);
    CHECK(whole.before.counts == listed(search, jobs));
    CHECK(counted(search, jobs, true).before.counts == whole.before.counts);
  }
}

TEST_CASE("counts: several firings of one job in a second count as one job", "[unit][forecast]") {
  auto job = stored(1, "FIX_RATE", "1");
  job.timing.interval_ms = 100;
  const auto report = counted(span(1min, 1min), {job});
  CHECK(report.before.counts == numbers{600});
  CHECK(report.before.top.front().firings == 10);
  CHECK(report.before.top.front().jobs == 1);
}

TEST_CASE("counts: overdue jobs fire at the present by their misfire policy", "[unit][forecast]") {
  auto dropped = stored(1, "CRON", "0 0 1 * * ?", midnight - 23h);
  auto once = dropped;
  once.id = job_id{2};
  once.misfire = "FIRE_ONCE_NOW";
  auto search = span(2h);
  search.from_now = true;
  const auto report = counted(search, {dropped, once});
  CHECK(report.before.counts == numbers{1, 2});
  CHECK(report.before.jobs.front() == std::pair{job_id{2}, std::uint64_t{2}});
  search.from_now = false;
  CHECK(counted(search, {dropped, once}).before.counts == numbers{0, 2});
}

TEST_CASE("counts: jobs that do not run or cannot be planned", "[unit][forecast]") {
  auto stopped = stored(1, "CRON", "0 * * * * ?");
  stopped.running = false;
  const auto report = counted(span(1h), {stopped, stored(2, "CRON", "nonsense"), stored(3, "FIX_DELAY", "1")});
  CHECK(report.before.firings == 0);
  CHECK(report.bad == std::vector{job_id{2}, job_id{3}});
  const auto nothing = counted(span(0h), {stored(4, "CRON", "0 * * * * ?")});
  CHECK(nothing.before.counts.empty());
}

TEST_CASE("counts: a job that is read twice is counted once", "[unit][forecast]") {
  const auto job = stored(1, "CRON", "0 0 * * * ?");
  CHECK(counted(span(2h), {job, job}).before.counts == numbers{1, 1});
}

TEST_CASE("counts: too much work ends the walk at a minute, and what was counted is exact", "[unit][forecast]") {
  auto search = span(2h);
  search.steps_max = 600;
  const auto report = counted(search, {stored(1, "CRON", "* * * * * ?")});
  CHECK(report.walked_until == midnight + 10min);
  CHECK(report.before.counts == numbers{600, 0});
}

TEST_CASE("counts: buckets begin at multiples of their length", "[unit][forecast]") {
  core::counts_search search;
  search.from = midnight + 90min;
  search.until = midnight + 150min;
  const auto report = counted(search, {stored(1, "CRON", "0 0/10 * * * ?")});
  CHECK(report.buckets_from == midnight + 1h);
  CHECK(report.before.counts == numbers{3, 3});
}

TEST_CASE("counts: a changed schedule is counted before and after", "[unit][forecast]") {
  const auto nightly = stored(7, "CRON", "0 0 2 * * ?", midnight + 2h);
  core::firing_counts made{span(4h), 5s, core::zone{}};
  REQUIRE(made.change({nightly.id, core::schedule_type::cron, "0 0 3 * * ?", {}}, &nightly));
  for (const auto id : {1, 2})
    made.add(stored(id, "CRON", "0 0 3 * * ?", midnight + 3h));
  made.add(nightly);
  REQUIRE(made.walk([] { return true; }));
  const auto report = std::move(made).report();
  CHECK(report.before.counts == numbers{0, 0, 1, 2});
  REQUIRE(report.after);
  CHECK(report.after->counts == numbers{0, 0, 0, 3});
  REQUIRE(report.before.own.size() == 1);
  CHECK(report.before.own.front().jobs == 1);
  REQUIRE(report.after->own.size() == 1);
  CHECK(report.after->own.front().jobs == 3);
  CHECK(report.after->own.front().some == std::vector{job_id{1}, job_id{2}, job_id{7}});
}

TEST_CASE("counts: a new job is only in the counts after", "[unit][forecast]") {
  core::firing_counts made{span(2h), 5s, core::zone{}};
  REQUIRE(made.change({{}, core::schedule_type::fixed_rate, "1800", {}}, nullptr));
  made.add(stored(1, "CRON", "0 0 * * * ?"));
  REQUIRE(made.walk([] { return true; }));
  const auto report = std::move(made).report();
  CHECK(report.before.firings == 2);
  CHECK(report.after->firings == 5);
  CHECK_FALSE(core::firing_counts(span(2h), 5s, core::zone{}).change({{}, core::schedule_type::cron, "x", {}}, nullptr));
}
