// Puts a load of jobs on a real `ringmaster serve`, with executors that answer at once and report results as Java executors do.
// Accounts for every instant in one line of JSON on stdout. It uses only loopback, ends by itself and cleans up.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/firing_load.hpp"
#include "bench/load_place.hpp"

namespace {

using namespace ringmaster::bench;

/// Shortest load with viewers: two halves with some rounds of all viewers.
constexpr std::chrono::seconds viewed_seconds_min{20};

struct arguments {
  load_options load;
  std::string store = "sqlite", callbacks = "batch", mode = "native";
  std::size_t rate = 0, even = 0, spread = 0, burst = 0;
  long seconds = 60, warmup = 5, idle = 0, outage = 0, answer_us = 0;
  bool kill = false;
};

void declare_trouble(CLI::App& app, arguments& given, CLI::Option* rate) {
  auto* kill = app.add_flag("--kill", given.kill, "kill -9 the server in the middle of --rate, and start it again at once");
  auto* outage = app.add_option("--outage", given.outage, "The database is unavailable for SECONDS in the middle of --rate");
  kill->needs(rate)->excludes(outage);
  outage->needs(rate)->check(CLI::Range(1, 600));
  app.add_option("--trouble-after", given.load.trouble.after_s, "Seconds from the first measured one to --kill or --outage")
    ->check(CLI::Range(1, 3600))
    ->capture_default_str();
}

void declare(CLI::App& app, arguments& given) {
  app.add_option("--ringmaster", given.load.ringmaster, "The server's binary")->required()->check(CLI::ExistingFile);
  app.add_option("--store", given.store, "sqlite, or mariadb: a private server, started here")
      ->check(CLI::IsMember({"sqlite", "mariadb"}))
      ->capture_default_str();
  app.add_option("--mode", given.mode, "native, or shared: on the tables of XXL-JOB 3.4, as alongside its admins; with mariadb")
      ->check(CLI::IsMember({"native", "shared"}))
      ->capture_default_str();
  auto* load = app.add_option_group("load", "Schedules of the jobs");
  auto* rate = load->add_option("--rate", given.rate, "N jobs that fire every second");
  auto* even =
    load->add_option("--even", given.even, "N jobs that fire every second, evenly spread over its milliseconds");
  auto* spread =
    load->add_option("--spread", given.spread, "N jobs that fire once a minute, evenly spread over its seconds");
  auto* burst = load->add_option("--burst", given.burst, "N jobs, all due at one instant 15 s from the start");
  rate->check(CLI::Range(1, 1'000'000));
  even->check(CLI::Range(1, 1'000'000));
  spread->check(CLI::Range(1, 10'000'000));
  burst->check(CLI::Range(1, 10'000'000));
  auto* idle = load->add_option(
    "--idle", given.idle, "SECONDS without a firing, with --jobs in the store: time to ready of the second start, memory, CPU");
  idle->check(CLI::Range(1, 3600));
  auto* ingest = load->add_option(
    "--ingest", given.load.ingest, "N connections that report the results of --jobs runs, one in each request");
  ingest->check(CLI::Range(1, 4096));
  load
    ->add_option("--pages", given.load.pages,
                 "N requests of each kind of page, one after another, with --jobs and --prefill; no firing")
    ->check(CLI::Range(1, 100'000));
  load->require_option(1);
  app.add_option("--jobs", given.load.jobs, "Jobs in the store of --idle and --pages; runs of --ingest, default 50000")
    ->excludes(rate, even, spread, burst)
    ->check(CLI::Range(0, 10'000'000));
  app.add_option("--prefill", given.load.prefill, "Finished runs in the log table at the start; not with --idle, --ingest")
    ->excludes(idle, ingest)
    ->check(CLI::Range(1, 1'000'000'000));
  auto* applied = app.add_option("--apply", given.load.applied,
                                 "N running jobs of another group, whose schedules an apply changes in the middle of --rate");
  applied->needs(rate)->check(CLI::Range(1, 1'000'000));
  app.add_option("--reads", given.load.reads, "Reads of /api/v1 per second during --rate, --even and --spread")
    ->excludes(burst, idle, ingest)
    ->check(CLI::Range(1, 100'000));
  auto* viewers = app.add_option("--viewers", given.load.viewers,
                 "Viewers of /api/v1/now in the second half of --rate, --even and --spread; more than 400 need a higher"
                 " gateway.requests_per_second")
    ->excludes(burst, idle, ingest, applied)
    ->check(CLI::Range(1, 10'000));
  declare_trouble(app, given, rate);
  viewers->excludes(app.get_option("--kill"), app.get_option("--outage"));
  app.add_option("--seconds", given.seconds, "Measured seconds of --rate, --even and --spread")
    ->check(CLI::Range(1, 86400))
    ->capture_default_str();
  app.add_option("--warmup", given.warmup, "Seconds from ready to the first measured one")
      ->check(CLI::Range(0, 600))
      ->capture_default_str();
  app.add_option("--executors", given.load.executors, "Executor addresses, all served by one process")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  app.add_option("--callbacks", given.callbacks, "batch: up to 50 results per request; single: one")
      ->check(CLI::IsMember({"batch", "single"}))
      ->capture_default_str();
  app.add_option("--result-connections", given.load.result_connections, "Connections on which the executors report results")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--answer-us", given.answer_us, "Microseconds of work per call, in the one thread of all executors")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  app.add_option("--set", given.load.settings, "key=value for the server, as its own --set; may be repeated");
  app.add_option("--data-dir", given.load.data_dir, "Parent of the temporary folders; default: the system's")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--keep", given.load.keep, "Keep the folder with the configuration, the server's log and the SQLite file");
  app.footer("Exit status: 0 no run lost, doubled or unstored; 1 otherwise; 2 wrong usage.");
}

void settle(arguments& given) {
  auto& load = given.load;
  load.store = given.store == "sqlite" ? store_kind::sqlite : store_kind::mariadb;
  load.shared = given.mode == "shared";
  // A job starts 5 s later in shared mode.
  if (load.shared)
    given.warmup = std::max(given.warmup, 10L);
  load.answer_work = std::chrono::microseconds{given.answer_us};
  load.batched_callbacks = given.callbacks == "batch";
  load.seconds = std::chrono::seconds{given.idle > 0 ? given.idle : given.seconds};
  load.warmup = std::chrono::seconds{given.warmup};
  if (load.viewers > 0)
    load.seconds = std::max<std::chrono::seconds>(load.seconds, viewed_seconds_min);
  load.ringmaster = std::filesystem::absolute(load.ringmaster);
  load.trouble.kind = given.kill ? trouble_kind::kill : given.outage > 0 ? trouble_kind::outage : trouble_kind::none;
  load.trouble.lasts_s = given.outage;
  if (load.ingest > 0 && load.jobs == 0)
    load.jobs = 50'000;
  if (load.pages > 0)
    load.jobs = std::max<std::size_t>(1, load.jobs);
  if (given.idle > 0 || load.ingest > 0 || load.pages > 0)
    return;
  load.jobs = given.rate + given.even + given.spread + given.burst;
  load.shape = given.rate > 0     ? load_shape::every_second
               : given.even > 0   ? load_shape::evenly
               : given.spread > 0 ? load_shape::over_a_minute
                                  : load_shape::at_once;
}

int run(const arguments& given) {
  if (given.idle > 0) {
    const auto report = run_idle(given.load);
    std::puts(to_json(report).c_str());
    return report.exit_status == 0 ? 0 : 1;
  }
  if (given.load.ingest > 0) {
    const auto report = run_ingest(given.load);
    std::puts(to_json(report).c_str());
    return report.clean() ? 0 : 1;
  }
  if (given.load.pages > 0) {
    const auto report = run_pages(given.load);
    std::puts(to_json(report).c_str());
    return report.exit_status == 0 ? 0 : 1;
  }
  const auto report = run_load(given.load);
  std::puts(to_json(report).c_str());
  return report.clean() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  arguments given;
  CLI::App app{"Load bench of `ringmaster serve`: cycles per second, lateness, CPU time and memory."};
  declare(app, given);
  try {
    app.parse(argc, argv);
    if (given.mode == "shared" && given.store != "mariadb")
      throw CLI::ValidationError("--mode shared", "needs --store mariadb: an SQLite file cannot be shared");
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  settle(given);
  return run_bench("firing_bench", [&given] {
    // A MariaDB server creates its folder in the system's temporary folder.
    if (!given.load.data_dir.empty())
      ::setenv("TMPDIR", std::filesystem::absolute(given.load.data_dir).c_str(), 1);
    given.load.data_dir = std::filesystem::temp_directory_path();
    return run(given);
  });
}
