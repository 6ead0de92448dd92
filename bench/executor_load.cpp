#include "bench/executor_load.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "bench/load_place.hpp"
#include "bench/stored_results.hpp"

namespace ringmaster::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t missing_limit_ms = 15'000, look_every_ms = 500, due_after_ms = 10'000, settle_ms = 1'000;

fs::path made(fs::path folder) {
  fs::create_directory(folder);
  return folder;
}

std::vector<std::string> executor_words(const executor_load& options, const fs::path& folder, std::uint16_t port,
                                        std::uint16_t admin_port, const std::vector<std::string>& more) {
  const std::string admin = "http://127.0.0.1:" + std::to_string(admin_port) + "/xxl-job-admin";
  std::vector<std::string> words{options.executor.string(), "admin=" + admin,
                                 "port=" + std::to_string(port), "token=" + std::string{access_token},
                                 "data_dir=" + folder.string(), "tally=" + (folder / "tally").string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string address_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port) + "/"; }

struct cpu_pair {
  double ringmaster = 0, executor = 0;
};

cpu_pair cpu_of(executor_and_server& all) {
  return {cpu_seconds(all.server->process()), cpu_seconds(all.executor->process().process())};
}

void count(executor_rate& report, const std::vector<stored_run>& runs, const load_window& window, const run_tally& tally) {
  const auto begin = window.begin_ms / 1000, end = window.end_ms / 1000;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> instants;
  for (const auto& run : runs) {
    const bool success = run.handle_code == 200;
    if (success && run.handle_second >= begin && run.handle_second < end)
      ++report.stored_meanwhile;
    const auto times = tally.times_of(run.log_id);
    report.doubled += times > 1 ? 1 : 0;
    if (run.trigger_second < begin || run.trigger_second >= end)
      continue;
    report.doubled += instants[{run.job, run.trigger_second}]++ > 0 ? 1 : 0;
    report.stored += success ? 1 : 0;
    report.unstored += times > 0 && !success ? 1 : 0;
  }
  report.lost = report.expected - std::min(report.expected, instants.size());
}

/// Waits until each stored run of the window has its result.
std::vector<stored_run> wait_for_results(const fs::path& database, const load_window& window) {
  const auto give_up = window.end_ms + missing_limit_ms;
  for (;;) {
    wait_until(now_ms() + look_every_ms);
    auto runs = runs_in_sqlite(database);
    const bool open = std::any_of(runs.begin(), runs.end(), [&](const stored_run& run) {
      return window.holds(run.trigger_second * 1000) && run.handle_code == 0;
    });
    if (!open || now_ms() > give_up)
      return runs;
  }
}

std::size_t times_expected(const load_plan& plan, const load_window& window) {
  std::size_t all = 0;
  for (const auto count : plan.expected(window))
    all += count;
  return all;
}

} // namespace

executor_process::executor_process(const executor_load& options, const fs::path& folder, std::uint16_t port,
                                   std::uint16_t admin_port, const std::vector<std::string>& more)
  : port_{port},
    tally_{folder / "tally", shared_tally::side::makes},
    process_{executor_words(options, folder, port, admin_port, more), folder / "executor.log"} {}

executor_and_server::executor_and_server(const executor_load& options, const fs::path& folder, const load_plan& plan)
  : port{free_port()}, executor_folder{options.executor_dir, options.keep} {
  auto settings = options.settings;
  std::vector<std::string> words;
  if (options.way == "native") {
    link.emplace();
    const auto of_link = link->settings();
    settings.insert(settings.end(), of_link.begin(), of_link.end());
    words = link->executor_words();
  }
  const auto executor_port = free_port();
  const auto job_file = folder / "jobs.toml", config_file = folder / "ringmaster.toml";
  write_jobs(job_file, plan, {address_of(executor_port)});
  write_config(config_file, {"sqlite:" + (folder / "ringmaster.db").string(), port, access_token, job_file.string()});
  server.emplace(serve_words(options.ringmaster, config_file, settings), folder / "server.log");
  server->wait_until_ready(port, ready_limit);
  executor.emplace(options, executor_folder.path(), executor_port, port, words);
  executor->process().wait_until_ready(executor_port, ready_limit);
}

executor_rate run_executor_rate(const executor_load& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  const load_plan plan{options.shape, options.jobs, (now_ms() / 1000) * 1000};
  executor_and_server all{options, folder.path(), plan};
  const auto begin = (now_ms() / 1000 + 1) * 1000 + options.warmup.count() * 1000;
  const load_window window{begin, begin + options.seconds.count() * 1000};
  wait_until(window.begin_ms);
  const auto before = cpu_of(all);
  const auto stolen_before = stolen_seconds();
  wait_until(window.end_ms);
  const auto after = cpu_of(all);

  executor_rate report;
  report.way = options.way;
  report.shape = options.shape == load_shape::evenly ? "even" : "rate";
  report.jobs = options.jobs;
  report.seconds = static_cast<double>(options.seconds.count());
  report.stolen_s = stolen_seconds() - stolen_before;
  report.expected = times_expected(plan, window);
  const auto runs = wait_for_results(folder.path() / "ringmaster.db", window);
  report.ringmaster_mb = resident_memory(all.server->process()).peak;
  report.executor_mb = resident_memory(all.executor->process().process()).peak;
  count(report, runs, window, all.executor->tally());
  report.ringmaster_exit = all.server->stop(stop_limit);
  report.executor_exit = all.executor->process().stop(stop_limit);
  const auto per_run = 1e6 / static_cast<double>(std::max<std::size_t>(1, report.stored_meanwhile));
  report.cpu = {(after.ringmaster - before.ringmaster) * per_run, (after.executor - before.executor) * per_run};
  if (!report.clean())
    std::fprintf(stderr, "end of the server's log:\n%s\nend of the executor's:\n%s\n", all.server->end_of_log().c_str(),
                 all.executor->process().end_of_log().c_str());
  return report;
}

executor_memory run_executor_memory(const executor_load& options, bool held) {
  const temporary_folder folder{options.data_dir, options.keep};
  load_plan plan{load_shape::at_once, options.jobs, (now_ms() + due_after_ms) / 1000 * 1000};
  plan.handler = held ? "wait" : "noop";
  executor_and_server all{options, folder.path(), plan};
  const auto executor = all.executor->process().process();
  executor_memory report;
  report.jobs = options.jobs;
  report.held = held;
  report.before_mb = resident_memory(executor).now;
  const auto& tally = all.executor->tally();
  while (tally.runs < options.jobs && now_ms() < plan.instant_ms + missing_limit_ms)
    wait_until(now_ms() + look_every_ms);
  wait_until(now_ms() + settle_ms);
  report.after_mb = resident_memory(executor).now;
  report.ran = tally.runs;
  all.server->stop(stop_limit);
  report.executor_exit = all.executor->process().stop(stop_limit);
  return report;
}

executor_starts run_executor_starts(const executor_load& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  std::vector<double> took;
  const auto nobody = free_port();
  for (std::size_t i = 0; i < options.times; ++i) {
    executor_process one{options, made(folder.path() / std::to_string(i)), free_port(), nobody, {}};
    took.push_back(one.process().wait_until_ready(one.port(), ready_limit).count());
    wait_until(now_ms());
  }
  return {options.times, spread_of(took)};
}

} // namespace ringmaster::bench
