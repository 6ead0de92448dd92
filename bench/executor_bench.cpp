// Runs a real executor of the SDK under a real `ringmaster serve` on SQLite, each in a separate process, and prints one line of
// JSON on stdout. It uses only loopback, ends by itself and cleans up.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/executor_load.hpp"
#include "bench/load_place.hpp"

namespace {

using namespace ringmaster::bench;

struct arguments {
  executor_load load;
  std::size_t rate = 0, even = 0, jobs = 0, held = 0, starts = 0, kills = 0;
  long seconds = 10, warmup = 3;
};

void declare(CLI::App& app, arguments& given) {
  app.add_option("--ringmaster", given.load.ringmaster, "The server's binary")->required()->check(CLI::ExistingFile);
  app.add_option("--executor", given.load.executor, "The executor's binary; default: noop_executor next to this program")
    ->check(CLI::ExistingFile);
  app.add_option("--way", given.load.way, "Transport of triggers and results")
    ->check(CLI::IsMember({"http", "native"}))
    ->capture_default_str();
  auto* load = app.add_option_group("load", "Measurement");
  load->add_option("--rate", given.rate, "N jobs that fire every second: runs per second and CPU time per run")
    ->check(CLI::Range(1, 1'000'000));
  load->add_option("--even", given.even, "As --rate, evenly spread over the milliseconds")->check(CLI::Range(1, 1'000'000));
  load->add_option("--jobs", given.jobs, "One run of each of N jobs: memory of the executor")->check(CLI::Range(1, 100'000));
  load->add_option("--held", given.held, "As --jobs, with handlers that all wait concurrently")->check(CLI::Range(1, 10'000));
  load->add_option("--starts", given.starts, "N starts of the executor: time to the first answer")->check(CLI::Range(1, 1000));
  load->add_option("--kills", given.kills, "N kills of a handler and of a script: time to the effect")
    ->check(CLI::Range(1, 1000));
  load->require_option(1);
  app.add_option("--seconds", given.seconds, "Measured seconds of --rate and --even")
    ->check(CLI::Range(1, 3600))
    ->capture_default_str();
  app.add_option("--warmup", given.warmup, "Seconds before the first measured one")
    ->check(CLI::Range(0, 600))
    ->capture_default_str();
  app.add_option("--set", given.load.settings, "key=value for the server, as its own --set; may be repeated");
  app.add_option("--data-dir", given.load.data_dir, "Parent of the temporary folders; default: the system's")
    ->check(CLI::ExistingDirectory);
  app.add_option("--executor-dir", given.load.executor_dir, "Parent of the executor's folder, which holds the logs of its runs")
    ->check(CLI::ExistingDirectory);
  app.add_flag("--keep", given.load.keep, "Keep the folder with the store, both logs and the logs of the runs");
  app.footer("Exit status: 0 no run lost, doubled or unstored; 1 otherwise; 2 wrong usage.");
}

void settle(arguments& given) {
  auto& load = given.load;
  load.ringmaster = std::filesystem::absolute(load.ringmaster);
  load.executor = load.executor.empty() ? std::filesystem::read_symlink("/proc/self/exe").parent_path() / "noop_executor"
                                        : std::filesystem::absolute(load.executor);
  load.data_dir = load.data_dir.empty() ? std::filesystem::temp_directory_path() : std::filesystem::absolute(load.data_dir);
  load.executor_dir = load.executor_dir.empty() ? load.data_dir : std::filesystem::absolute(load.executor_dir);
  load.shape = given.even > 0 ? load_shape::evenly : load_shape::every_second;
  load.jobs = given.rate + given.even + given.jobs + given.held;
  load.seconds = std::chrono::seconds{given.seconds};
  load.warmup = std::chrono::seconds{given.warmup};
  load.times = given.starts + given.kills;
}

int run(const arguments& given) {
  if (given.starts > 0)
    return std::puts(to_json(run_executor_starts(given.load)).c_str()) < 0;
  if (given.kills > 0)
    return std::puts(to_json(run_executor_kills(given.load)).c_str()) < 0;
  if (given.jobs + given.held > 0) {
    const auto report = run_executor_memory(given.load, given.held > 0);
    std::puts(to_json(report).c_str());
    return report.ran == given.load.jobs ? 0 : 1;
  }
  const auto report = run_executor_rate(given.load);
  std::puts(to_json(report).c_str());
  return report.clean() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  arguments given;
  CLI::App app{"Bench of a C++ executor: runs per second, CPU time and memory, time to start and to kill."};
  declare(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  return run_bench("executor_bench", [&given] {
    settle(given);
    return run(given);
  });
}
