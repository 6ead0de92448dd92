// Loads of elastic_bench at a rate, and without fires.

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

#include "bench/elastic_loads.hpp"

namespace ringmaster::bench {

namespace {

constexpr std::int64_t finished_state = 2, settle_ms = 5'000;

struct stored_item_run {
  std::int64_t job = 0, item = 0, fire_ms = 0, state = 0;
};

/// Returns the runs of scheduled fires by run id.
std::unordered_map<std::int64_t, stored_item_run> stored_item_runs(const std::filesystem::path& file) {
  sqlite3* opened = nullptr;
  const auto code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db{opened, &sqlite3_close};
  sqlite3_stmt* prepared = nullptr;
  const auto* query = "SELECT id, job, item, fire_ms, state FROM ej_run WHERE fire_source = 0 AND job IN"
                      " (SELECT id FROM ej_job WHERE name LIKE 'load-%')";
  if (code != SQLITE_OK || sqlite3_prepare_v2(opened, query, -1, &prepared, nullptr) != SQLITE_OK)
    throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> rows{prepared, &sqlite3_finalize};
  std::unordered_map<std::int64_t, stored_item_run> out;
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW)
    out[sqlite3_column_int64(prepared, 0)] = {sqlite3_column_int64(prepared, 1), sqlite3_column_int64(prepared, 2),
                                              sqlite3_column_int64(prepared, 3), sqlite3_column_int64(prepared, 4)};
  if (step != SQLITE_DONE)
    throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
  return out;
}

double workers_cpu(elastic_world& world) {
  double all = 0;
  for (std::size_t i = 0; i < world.workers(); ++i)
    all += cpu_seconds(world.worker(i).process().process());
  return all;
}

/// Compares the bodies of the window with the store, after the end of all processes.
void count(elastic_rate& report, elastic_world& world, const load_window& window) {
  const auto stored = stored_item_runs(world.database());
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> bodies;
  std::map<std::int64_t, double> last;
  std::vector<double> late;
  for (std::size_t i = 0; i < world.workers(); ++i)
    for (const auto& note : world.worker(i).notes()) {
      const auto found = note.event == "begin" ? stored.find(note.run) : stored.end();
      if (found == stored.end() || !window.holds(found->second.fire_ms))
        continue;
      const auto& run = found->second;
      report.unstored += run.state != finished_state ? 1 : 0;
      if (bodies[{run.job, run.item, run.fire_ms}]++ > 0) {
        ++report.doubled;
        continue;
      }
      late.push_back(static_cast<double>(note.wall_us) / 1000 - static_cast<double>(run.fire_ms));
      auto& latest = last[run.fire_ms];
      latest = std::max(latest, late.back());
    }
  report.lost = report.expected - std::min(report.expected, bodies.size());
  std::vector<double> lasts;
  for (const auto& [fire, ms] : last)
    lasts.push_back(ms);
  report.late = spread_of(late);
  report.last = spread_of(lasts);
}

std::vector<elastic_declaration> load_jobs(std::size_t jobs, std::size_t items, const std::string& cron) {
  std::vector<elastic_declaration> out;
  for (std::size_t i = 0; i < jobs; ++i)
    out.push_back({"load-" + std::to_string(i), "quick", items, cron});
  return out;
}

} // namespace

elastic_rate run_elastic_rate(const elastic_load& load, std::size_t jobs, std::size_t items, std::chrono::seconds warmup,
                              std::chrono::seconds seconds) {
  elastic_world world{load, load_jobs(jobs, items, "* * * * * ?")};
  const auto begin = (now_ms() / 1000 + 1 + warmup.count()) * 1000;
  const load_window window{begin, begin + seconds.count() * 1000};
  elastic_rate report;
  report.jobs = jobs;
  report.items = items;
  report.seconds = static_cast<double>(seconds.count());
  report.expected = jobs * items * static_cast<std::size_t>(seconds.count());
  wait_until(window.begin_ms);
  const auto server_before = cpu_seconds(world.server().process()), workers_before = workers_cpu(world);
  const auto stolen_before = stolen_seconds();
  wait_until(window.end_ms);
  report.server_cpu_s = cpu_seconds(world.server().process()) - server_before;
  report.workers_cpu_s = workers_cpu(world) - workers_before;
  report.stolen_s = stolen_seconds() - stolen_before;
  report.server_mb = resident_memory(world.server().process()).peak;
  wait_until(window.end_ms + settle_ms);
  report.exit_status = world.stop();
  count(report, world, window);
  if (!report.clean())
    std::fprintf(stderr, "end of the server's log:\n%s\n", world.server().end_of_log().c_str());
  return report;
}

elastic_idle run_elastic_idle(const elastic_load& load, std::size_t jobs, std::chrono::seconds seconds) {
  constexpr std::size_t items = 10;
  elastic_world world{load, load_jobs(jobs, items, "0 0 0 1 1 ?")};
  elastic_idle report;
  report.jobs = jobs;
  report.ready_ms = world.ready_ms();
  wait_until(now_ms() + settle_ms);
  const auto began = now_ms();
  const auto before = cpu_seconds(world.server().process());
  wait_until(began + seconds.count() * 1000);
  report.cpu_s = cpu_seconds(world.server().process()) - before;
  report.seconds = static_cast<double>(now_ms() - began) / 1000;
  report.rss_mb = resident_memory(world.server().process()).now;
  report.exit_status = world.stop();
  return report;
}

} // namespace ringmaster::bench
