// Runs elastic jobs under a real `ringmaster serve` on SQLite with real workers, each in a separate process, and prints one line
// of JSON on stdout. It uses only loopback, ends by itself and cleans up.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/elastic_loads.hpp"
#include "bench/load_place.hpp"

namespace {

using namespace ringmaster::bench;

struct arguments {
  elastic_load load;
  std::string takeover;
  bool reshare = false, compensate = false;
  std::size_t items = 0, rate = 0, idle = 0, rounds = 30;
  long seconds = 10, warmup = 3;
};

/// Items of each job of `--rate`.
constexpr std::size_t items_of_rate = 100;

void declare(CLI::App& app, arguments& given) {
  app.add_option("--ringmaster", given.load.ringmaster, "The server's binary")->required()->check(CLI::ExistingFile);
  app.add_option("--worker", given.load.worker, "The worker's binary; default: elastic_worker of this build")
    ->check(CLI::ExistingFile);
  auto* load = app.add_option_group("load", "Measurement");
  load->add_option("--takeover", given.takeover, "From kill -9 or SIGSTOP of a worker to the begin of its item on another one")
    ->check(CLI::IsMember({"kill", "stop"}));
  load->add_flag("--reshare", given.reshare, "From the start of a worker to its first item, and lateness of the others' items");
  load->add_flag("--compensate", given.compensate, "From the end of an item that missed fires to its next begin");
  load->add_option("--items", given.items, "One job with N items that fires every second")->check(CLI::Range(1, 100'000));
  load->add_option("--rate", given.rate, "N item runs per second, of jobs with 100 items")->check(CLI::Range(100, 1'000'000));
  load->add_option("--idle", given.idle, "N jobs that do not fire: memory and CPU time of the server")
    ->check(CLI::Range(1, 1'000'000));
  load->require_option(1);
  app.add_option("--rounds", given.rounds, "Rounds of --takeover, --reshare and --compensate")
    ->check(CLI::Range(1, 10'000))
    ->capture_default_str();
  app.add_option("--seconds", given.seconds, "Measured seconds of --items, --rate and --idle")
    ->check(CLI::Range(1, 3600))
    ->capture_default_str();
  app.add_option("--warmup", given.warmup, "Seconds before the first measured one")
    ->check(CLI::Range(0, 600))
    ->capture_default_str();
  app.add_option("--workers", given.load.workers, "Number of workers")->check(CLI::Range(1, 100))->capture_default_str();
  app.add_option("--capacity", given.load.capacity, "Maximum number of item runs of a worker at the same time")
    ->check(CLI::Range(1, 5000))
    ->capture_default_str();
  app.add_option("--set", given.load.settings, "key=value for the server, as its own --set; may be repeated");
  app.add_option("--data-dir", given.load.data_dir, "Parent of the temporary folders; default: the system's")
    ->check(CLI::ExistingDirectory);
  app.add_option("--worker-dir", given.load.worker_dir, "Parent of the workers' folders, which hold the logs of their runs")
    ->check(CLI::ExistingDirectory);
  app.add_flag("--keep", given.load.keep, "Keep the folders with the store, all logs and the notes of the bodies");
  app.footer("Exit status: 0 measured, and no run lost, doubled or unstored; 1 otherwise; 2 wrong usage.");
}

void settle(arguments& given) {
  namespace fs = std::filesystem;
  auto& load = given.load;
  load.ringmaster = fs::absolute(load.ringmaster);
  load.worker = load.worker.empty()
                  ? fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "tests/elastic/elastic_worker"
                  : fs::absolute(load.worker);
  load.data_dir = load.data_dir.empty() ? fs::temp_directory_path() : fs::absolute(load.data_dir);
  load.worker_dir = load.worker_dir.empty() ? load.data_dir : fs::absolute(load.worker_dir);
  // Items are taken over by another worker.
  if (!given.takeover.empty())
    load.workers = std::max<std::size_t>(load.workers, 2);
}

int report(const std::string& line, bool is_clean = true) { return std::puts(line.c_str()) >= 0 && is_clean ? 0 : 1; }

int run(const arguments& given) {
  const std::chrono::seconds warmup{given.warmup}, seconds{given.seconds};
  if (!given.takeover.empty())
    return report(to_json(run_elastic_takeovers(given.load, given.takeover == "kill" ? SIGKILL : SIGSTOP, given.rounds)));
  if (given.reshare)
    return report(to_json(run_elastic_reshares(given.load, given.rounds)));
  if (given.compensate)
    return report(to_json(run_elastic_compensations(given.load, given.rounds)));
  if (given.idle > 0)
    return report(to_json(run_elastic_idle(given.load, given.idle, seconds)));
  const bool is_one_job = given.items > 0;
  const auto jobs = is_one_job ? 1 : (given.rate + items_of_rate - 1) / items_of_rate;
  const auto rate = run_elastic_rate(given.load, jobs, is_one_job ? given.items : items_of_rate, warmup, seconds);
  return report(to_json(rate), rate.clean());
}

} // namespace

int main(int argc, char** argv) {
  arguments given;
  CLI::App app{"Bench of elastic jobs: takeovers, workers that come, compensations, item runs per second."};
  declare(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  return run_bench("elastic_bench", [&given] {
    settle(given);
    return run(given);
  });
}
