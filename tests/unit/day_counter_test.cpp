#include "core/maintenance/day_counter.hpp"

#include <map>
#include <random>

#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

constexpr auto stretch = day_counter::stretch_ids;

/// Runs in memory, counted as a store would count them.
struct log_of_runs {
  struct run {
    std::size_t day = 0;
    bool running = false;
    bool succeeded = false;
  };
  std::map<std::int64_t, run> runs;

  [[nodiscard]] day_counts count(const log_range& range) const {
    day_counts counts{};
    for (auto at = runs.upper_bound(number(range.after)); at != runs.end() && at->first <= number(range.through); ++at)
      counts[at->second.day] += {1, at->second.running ? 1 : 0, at->second.succeeded ? 1 : 0};
    return counts;
  }
  [[nodiscard]] day_counts all() const { return count({log_id{0}, log_id{INT64_MAX}}); }
};

/// Runs one pass and returns the number of stretches that it read.
std::size_t pass(day_counter& counter, const log_of_runs& log, std::int64_t newest, std::int64_t settled) {
  counter.begin_pass(log_id{newest}, log_id{settled});
  std::size_t read = 0;
  for (auto range = counter.next(); range; range = counter.next(), ++read)
    counter.counted(log.count(*range));
  return read;
}

zone find(const char* name) { return *zone::find(name); }

} // namespace

TEST_CASE("an empty log is counted without a read", "[unit]") {
  day_counter counter{log_id{0}};
  CHECK(pass(counter, {}, 0, 0) == 0);
  CHECK(counter.totals() == day_counts{});
}

TEST_CASE("decided runs are read once", "[unit]") {
  log_of_runs log;
  for (std::int64_t id = 1; id <= 10 * stretch; id += 100)
    log.runs[id] = {static_cast<std::size_t>(id * 3 / (10 * stretch + 1)), false, id % 300 == 1};
  day_counter counter{log_id{0}};
  CHECK(pass(counter, log, 10 * stretch, 0) == 10);
  CHECK(counter.totals() == log.all());
  // A minute later all is settled: the recount closes the stretch, and no work remains.
  CHECK(pass(counter, log, 10 * stretch, 10 * stretch) == 10);
  CHECK(pass(counter, log, 10 * stretch, 10 * stretch) == 0);
  log.runs[10 * stretch + 1] = {2, true, false};
  CHECK(pass(counter, log, 10 * stretch + 1, 10 * stretch) == 1);
  CHECK(counter.totals() == log.all());
}

TEST_CASE("a long run keeps only its own stretch open", "[unit]") {
  log_of_runs log;
  for (std::int64_t id = 1; id <= 5 * stretch; id += 1000)
    log.runs[id] = {1, false, true};
  auto& slow = log.runs[stretch + 1];
  slow = {1, true, false};
  day_counter counter{log_id{0}};
  pass(counter, log, 5 * stretch, 5 * stretch);
  CHECK(pass(counter, log, 5 * stretch, 5 * stretch) == 1);
  slow = {1, false, true};
  CHECK(pass(counter, log, 5 * stretch, 5 * stretch) == 1);
  CHECK(counter.totals() == log.all());
  CHECK(pass(counter, log, 5 * stretch, 5 * stretch) == 0);
}

TEST_CASE("a pass rereads a bounded number of open stretches in rotation", "[unit]") {
  constexpr std::int64_t stretches = 200;
  log_of_runs log;
  for (std::int64_t i = 0; i < stretches; ++i)
    log.runs[i * stretch + 1] = {0, true, false};
  day_counter counter{log_id{0}};
  CHECK(pass(counter, log, stretches * stretch, stretches * stretch) == stretches);
  for (auto& [id, run] : log.runs)
    run = {0, false, true};
  std::size_t read = 0;
  for (int i = 0; i < 4; ++i) {
    auto one = pass(counter, log, stretches * stretch, stretches * stretch);
    CHECK(one <= day_counter::recounts_max + 2);
    read += one;
  }
  CHECK(read == stretches);
  CHECK(counter.totals() == log.all());
}

TEST_CASE("a pass over all open stretches finds every change in the log", "[unit]") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  log_of_runs log;
  day_counter counter{log_id{500}};
  std::int64_t newest = 500;
  std::int64_t settled = 500;
  for (int minute = 0; minute < 40; ++minute) {
    for (int i = 0; i < 30; ++i)
      log.runs[newest += static_cast<std::int64_t>(random() % 2000) + 1] = {random() % 3, random() % 2 == 0, false};
    // Rows that are not settled may still appear.
    for (int i = 0; i < 3 && newest > settled + 1; ++i)
      log.runs.try_emplace(settled + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(newest - settled)),
                           log_of_runs::run{1, true, false});
    for (auto& [id, run] : log.runs)
      if (run.running && random() % 3 == 0)
        run = {run.day, false, random() % 2 == 0};
    pass(counter, log, newest, settled);
    CHECK(counter.totals() == log.all());
    settled = newest;
  }
}

TEST_CASE("days follow the zone, whatever their length", "[unit]") {
  const auto berlin = find("Europe/Berlin");
  // 2026-03-29 has 23 hours, 2026-10-25 has 25.
  auto spring = days_around(*berlin.parse("2026-03-30 00:00:00"), berlin);
  CHECK(berlin.format(spring[0]) == "2026-03-28 00:00:00");
  CHECK(spring[2] - spring[1] == 23h);
  CHECK(berlin.format(spring[3]) == "2026-03-31 00:00:00");
  auto autumn = days_around(*berlin.parse("2026-10-25 23:59:59"), berlin);
  CHECK(berlin.format(autumn[2]) == "2026-10-25 00:00:00");
  CHECK(autumn[3] - autumn[2] == 25h);
  CHECK(autumn[1] - autumn[0] == 24h);
}

TEST_CASE("a day whose midnight is skipped begins at the end of the gap", "[unit]") {
  const auto cairo = find("Africa/Cairo");
  // On 2026-04-24 clocks go from 00:00 to 01:00.
  auto days = days_around(*cairo.parse("2026-04-24 12:00:00"), cairo);
  CHECK(cairo.format(days[2]) == "2026-04-24 01:00:00");
  CHECK(days[2] - days[1] == 24h);
  CHECK(days[3] - days[2] == 23h);
}
