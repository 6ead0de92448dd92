// Measures the rate of incoming results: runs are sent first, their results held back, then reported over a given number of
// connections.

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <stdexcept>

#include "bench/executors.hpp"
#include "bench/firing_load.hpp"
#include "bench/load_place.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

namespace {

constexpr std::int64_t due_after_ms = 15'000, receive_limit_ms = 60'000, report_limit_ms = 120'000;
constexpr std::int64_t settle_ms = 3'000, look_every_ms = 2;

} // namespace

ingest_report run_ingest(const load_options& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  const auto port = free_port();
  executors emulated{options.executors, {port, access_token, 1, options.ingest}, {}, folder.path() / "book"};
  emulated.hold_results(true);
  const load_store store{options.store, folder.path()};
  const auto instant = (now_ms() + due_after_ms) / 1000 * 1000;
  const auto job_file = folder.path() / "jobs.toml", config_file = folder.path() / "ringmaster.toml";
  write_jobs(job_file, {load_shape::at_once, options.jobs, instant}, emulated.addresses());
  write_config(config_file, {store.url(), port, access_token, job_file.string()});
  server_process server{serve_words(options.ringmaster, config_file, options.settings), folder.path() / "server.log"};
  const auto ready = server.wait_until_ready(port, ready_limit);
  std::fprintf(stderr, "ready after %.0f ms, process %d; counting from %lld\n", ready.count(), server.process(),
               static_cast<long long>(instant));
  const auto& progress = emulated.progress();
  while (progress.received_in_all() < options.jobs && now_ms() < instant + receive_limit_ms)
    wait_until(now_ms() + 50);
  wait_until(now_ms() + settle_ms); // all trigger results are in the store

  ingest_report report;
  report.store = name_of(options.store);
  report.connections = options.ingest;
  report.results = options.jobs;
  const auto before = cpu_now(server.process(), store.process(), emulated.process());
  const auto began = now_ms();
  emulated.hold_results(false);
  while (progress.acknowledged_in_all() < options.jobs && now_ms() < began + report_limit_ms)
    wait_until(now_ms() + look_every_ms);
  const auto ended = now_ms();
  const auto after = cpu_now(server.process(), store.process(), emulated.process());
  report.cpu = {after.ringmaster - before.ringmaster, after.store - before.store, after.executors - before.executors};
  report.seconds = static_cast<double>(std::max<std::int64_t>(1, ended - began)) / 1000;
  report.acknowledged = progress.acknowledged_in_all();
  report.refused = progress.refused;
  report.exit_status = server.stop(stop_limit);

  const auto stored = store.successes();
  std::vector<std::int64_t> sent, missing;
  for (const auto& run : emulated.finish().acknowledged)
    sent.push_back(run.log_id);
  std::sort(sent.begin(), sent.end());
  std::set_difference(sent.begin(), sent.end(), stored.begin(), stored.end(), std::back_inserter(missing));
  report.unstored = missing.size();
  return report;
}

} // namespace ringmaster::bench
