// Forecasts of firings.

#include <map>
#include <random>

#include "core/forecast/forecast.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

// 2026-03-02 12:00:00 UTC, a Monday.
constexpr auto noon = from_ms(1'772'452'800'000);

scheduled_job job_of(std::int32_t id, std::string cron, std::optional<time_point> next = noon + 1h,
                     schedule_options timing = {}) {
  auto spec = std::make_shared<job>();
  spec->id = job_id{id};
  spec->schedule = schedule_type::cron;
  spec->schedule_conf = std::move(cron);
  spec->timing = std::move(timing);
  return {std::move(spec), next, {}, 1};
}

forecast_options hours(int count, bool from_now = false) {
  forecast_options options;
  options.from = noon;
  options.until = noon + std::chrono::hours{count};
  options.from_now = from_now;
  return options;
}

forecast_report forecast_of(const forecast_options& options, std::vector<scheduled_job> jobs) {
  forecast walk{options, zone{}};
  for (auto& each : jobs)
    walk.add(std::move(each));
  return std::move(walk).run();
}

} // namespace

TEST_CASE("a forecast without firings is empty", "[unit][forecast]") {
  const auto report = forecast_of(hours(24), {job_of(1, "0 0 0 * * ?", std::nullopt)});
  CHECK(report.firings == 0);
  CHECK(report.not_scheduled == 1);
  CHECK(report.seconds.empty());
  CHECK(report.jobs.empty());
  CHECK(report.walked_until == noon + 24h);
}

TEST_CASE("firings, peaks, hours and totals", "[unit][forecast]") {
  const auto report = forecast_of(hours(3), {job_of(1, "0 0 * * * ?"), job_of(2, "0 0 * * * ?"), job_of(3, "0 0/30 * * * ?"),
                                             job_of(4, "5 0 13 * * ?"), job_of(5, "0 0 0 1 1 ? 2030")});
  // 12:00, 13:00, 14:00 for two jobs; twice an hour for the third; once for the fourth.
  CHECK(report.firings == 2 * 3 + 6 + 1);
  REQUIRE(report.seconds.size() == 7);
  CHECK(report.seconds[0].at == noon);
  CHECK(report.seconds[0].firings == 3);
  CHECK(report.seconds[2].at == noon + 2h);
  CHECK(report.minutes[0].at == noon + 1h);
  CHECK(report.minutes[0].firings == 4);
  CHECK(report.seconds_by_firings == std::vector<std::uint64_t>{4, 3});
  CHECK(report.hours == std::vector<std::uint64_t>{4, 5, 4});
  REQUIRE(report.jobs.size() == 5);
  CHECK(number(report.jobs[0].job) == 3);
  CHECK(report.jobs[0].firings == 6);
  CHECK(report.jobs[0].first == noon);
  CHECK(number(report.jobs[4].job) == 5);
  CHECK(report.jobs[4].firings == 0);
  CHECK_FALSE(report.jobs[4].first);
}

TEST_CASE("the busiest times and the first firings are listed", "[unit][forecast]") {
  auto options = hours(1);
  options.peaks_max = 2;
  options.listed_max = 3;
  const auto report = forecast_of(options, {job_of(1, "* * * * * ?"), job_of(2, "10 * * * * ?"), job_of(3, "10 5 * * * ?")});
  REQUIRE(report.seconds.size() == 2);
  CHECK(report.seconds[0].at == noon + 5min + 10s);
  CHECK(report.seconds[0].firings == 3);
  CHECK(report.seconds[1].at == noon + 10s);
  REQUIRE(report.first_firings.size() == 3);
  CHECK(report.first_firings[2].at == noon + 2s);
}

TEST_CASE("from now, an overdue job fires by its misfire policy", "[unit][forecast]") {
  auto once = job_of(1, "0 0 * * * ?", noon - 30min);
  auto spec = std::make_shared<job>(*once.spec);
  spec->misfire = misfire_policy::fire_once_now;
  once.spec = spec;
  const auto report = forecast_of(hours(1, true), {once, job_of(2, "0 0 * * * ?", noon - 30min), job_of(3, "0 0 * * * ?", noon)});
  CHECK(report.firings == 2); // the first at once, the third on time
  CHECK(report.dropped == 2); // the overdue instant, and the one at this moment
  CHECK(report.jobs[0].first == noon);
}

TEST_CASE("a rate keeps its grid in a forecast that begins later or earlier", "[unit][forecast]") {
  auto rate = job_of(1, "", noon + 7s);
  auto spec = std::make_shared<job>(*rate.spec);
  spec->schedule = schedule_type::fixed_rate;
  spec->schedule_conf = "10";
  rate.spec = spec;
  CHECK(forecast_of(hours(1), {rate}).first_firings[0].at == noon + 7s);
  rate.next = noon - 24h + 3s;
  CHECK(forecast_of(hours(1), {rate}).first_firings[0].at == noon + 3s);
  rate.next = noon + 24h + 3s;
  CHECK(forecast_of(hours(1), {rate}).first_firings[0].at == noon + 3s);
}

TEST_CASE("a forecast reports schedules that end and schedules that are invalid", "[unit][forecast]") {
  schedule_options ending;
  ending.end_at = noon + 90min;
  const auto report = forecast_of(hours(24), {job_of(1, "0 0 * * * ?", noon, ending), job_of(2, "nonsense")});
  REQUIRE(report.jobs.size() == 1);
  CHECK(report.jobs[0].ends);
  CHECK(report.jobs[0].firings == 2);
  REQUIRE(report.bad.size() == 1);
  CHECK(number(report.bad[0].job) == 2);
}

TEST_CASE("a forecast with a changed cron", "[unit][forecast]") {
  forecast walk{hours(24), zone{}};
  const auto stopped = job_of(1, "0 0 0 * * ?", std::nullopt);
  auto changed = walk.with_cron(stopped, "0 0/10 * * * ?");
  REQUIRE(changed);
  CHECK(changed->next == noon);
  walk.add(*changed);
  CHECK(std::move(walk).run().firings == 144);
  CHECK_FALSE(forecast(hours(24), zone{}).with_cron(stopped, "nonsense"));
}

TEST_CASE("a hundred thousand jobs cost no more steps than their number of schedules", "[unit][forecast]") {
  forecast walk{hours(24 * 7), zone{}};
  for (std::int32_t id = 1; id <= 100'000; ++id)
    walk.add(job_of(id, std::to_string(id % 60) + " * * * * ?"));
  const auto report = std::move(walk).run();
  CHECK(report.walked_until == noon + 24h * 7);
  CHECK(report.firings == 100'000ull * 60 * 24 * 7);
  CHECK(report.minutes[0].firings == 100'000);
  CHECK(report.jobs.size() == 100'000);
}

TEST_CASE("a walk that is too long ends early and reports its end", "[unit][forecast]") {
  auto options = hours(24);
  options.steps_max = 100;
  const auto report = forecast_of(options, {job_of(1, "* * * * * ?")});
  CHECK(report.firings == 100);
  CHECK(report.walked_until == noon + 100s);
}

TEST_CASE("a forecast equals the firings of a repeated planner", "[unit][forecast]") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  auto pick = [&random](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const char* crons[] = {"* * * * * ?", "0/7 * * * * ?", "0 * * * * ?", "30 0/2 * * * ?", "15 10,20 * * * ?"};
  std::vector<scheduled_job> jobs;
  for (std::int32_t id = 1; id <= 20; ++id) {
    schedule_options timing;
    if (pick(2) == 0)
      timing.jitter_ms = static_cast<std::int32_t>(1 + pick(90'000));
    if (pick(4) == 0)
      timing.end_at = noon + milliseconds{pick(3'600'000)};
    jobs.push_back(job_of(id, crons[pick(std::size(crons))], noon, timing));
  }
  std::map<std::int32_t, std::uint64_t> fired;
  schedule_rules rules{zone{}};
  for (const auto& each : jobs) {
    auto rule = *rules.of(*each.spec);
    for (auto next = rule->next(noon - 1ms, each.spec->id); next && *next < noon + 1h; next = rule->next(*next, each.spec->id))
      ++fired[number(each.spec->id)];
  }
  const auto report = forecast_of(hours(1), jobs);
  for (const auto& total : report.jobs)
    CHECK(total.firings == fired[number(total.job)]);
}
