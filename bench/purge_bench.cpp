// Measures the cost of the purge for the firing path: claims and records at a steady rate, first alone, then during a purge of
// the oldest runs. One JSON line per backend.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "core/maintenance/log_purge.hpp"
#include "storage/open.hpp"
#include "tests/support/mariadb_server.hpp"

namespace {

using namespace ringmaster;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr core::time_point long_ago = core::from_ms(1'600'000'000'000);
constexpr core::time_point now = core::from_ms(1'700'000'000'000);
constexpr std::size_t batch_size = 100;

struct workload {
  std::size_t old_runs = 200'000;
  std::size_t rate = 5'000;
  double seconds = 10;
};

template <class T>
T must(core::result<T> result) {
  if (!result)
    throw std::runtime_error(result.error().context);
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// Claims one batch of runs and records their results.
class firing {
public:
  explicit firing(storage::store& store) : store_{store}, owner_{must(store.cluster().enter("bench", "127.0.0.1"))} {
    core::declared_set declared;
    declared.source = "bench";
    declared.groups.push_back({"bench", "bench", std::vector<std::string>{"http://127.0.0.1:9999/"}});
    for (std::size_t i = 0; i < batch_size; ++i) {
      core::declared_job job;
      job.group = "bench";
      job.key = job.name = "job-" + std::to_string(i);
      job.schedule = core::schedule_type::fixed_rate;
      job.schedule_conf = "1";
      job.handler = "demoJobHandler";
      declared.jobs.push_back(std::move(job));
    }
    must(store.deploys().apply(declared, false, false, long_ago));
    jobs_ = must(store.firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, batch_size));
  }

  void fire(core::time_point at) {
    core::claim_batch batch{.owner = owner_, .sequence = ++sequence_, .seen_revision = 1'000'000, .moves = {}, .runs = {},
                            .node_host = "bench"};
    for (auto& job : jobs_) {
      batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
      job.next = *job.next + 1s;
      auto& run = batch.runs.emplace_back();
      run.spec = job.spec;
      run.fire_at = at;
      run.address = "http://127.0.0.1:9999/";
    }
    core::record_batch results{.owner = owner_, .triggers = {}, .callbacks = {}, .resolved_claims = {sequence_}};
    for (const auto& run : must(store_.firings().claim(batch, now)).runs) {
      results.triggers.push_back({run.id, run.claim, run.plan.spec, 200, "", false});
      results.callbacks.push_back({run.id, 200, "", run.plan.spec});
    }
    must(store_.firings().record(results, now));
  }

private:
  storage::store& store_;
  core::node_incarnation owner_;
  std::vector<core::scheduled_job> jobs_;
  std::int64_t sequence_ = 0;
};

/// The purge as the server runs it: a step, and a pause of its length.
class purging {
public:
  purging(storage::store& store) : store_{store} {
    const auto span = must(store.maintenance().span());
    const auto last = must(store.maintenance().last_before(now));
    purge_.begin({core::log_id{core::number(span.first) - 1}, last}, now - 24h, last);
  }
  [[nodiscard]] bool over() const { return !purge_.next(); }
  [[nodiscard]] bool due() const { return !over() && clock_type::now() >= next_; }
  [[nodiscard]] clock_type::time_point next() const { return next_; }
  void step() {
    const auto done = must(store_.maintenance().purge(*purge_.next()));
    longest_ = std::max(longest_, done.took);
    next_ = clock_type::now() + purge_.stepped(done);
  }
  [[nodiscard]] std::size_t removed() const { return purge_.removed(); }
  [[nodiscard]] double longest_ms() const { return static_cast<double>(longest_.count()) / 1000; }

private:
  storage::store& store_;
  core::log_purge purge_;
  clock_type::time_point next_{};
  std::chrono::microseconds longest_{0};
};

struct latencies {
  std::vector<double> ms;
  [[nodiscard]] double at(double share) {
    std::sort(ms.begin(), ms.end());
    return ms.empty() ? 0 : ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  }
};

/// Runs one batch at each due time; `idle` has the time in between. The measurement is the lateness of each batch.
template <class Idle>
latencies steady_load(firing& fire, const workload& load, Idle idle) {
  latencies out;
  const auto period = std::chrono::duration_cast<clock_type::duration>(
    std::chrono::duration<double>(static_cast<double>(batch_size) / static_cast<double>(load.rate)));
  const auto start = clock_type::now();
  const auto end = start + std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(load.seconds));
  for (auto due = start; due < end; due += period) {
    while (clock_type::now() < due)
      if (!idle())
        std::this_thread::sleep_for(std::min<clock_type::duration>(1ms, due - clock_type::now()));
    fire.fire(now);
    out.ms.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - due).count());
  }
  return out;
}

void measure(const std::string& name, storage::database& database, const workload& load) {
  must(database.migrate());
  auto store = must(database.open());
  firing fire{*store};
  for (std::size_t made = 0; made < load.old_runs; made += batch_size)
    fire.fire(long_ago);
  auto alone = steady_load(fire, load, [] { return false; });
  auto aside = must(database.open());
  purging purge{database.writers() > 1 ? *aside : *store};
  latencies beside;
  if (database.writers() > 1) {
    std::atomic<bool> stop{false};
    std::thread purger{[&] {
      while (!stop && !purge.over()) {
        std::this_thread::sleep_until(purge.next());
        purge.step();
      }
    }};
    beside = steady_load(fire, load, [] { return false; });
    stop = true;
    purger.join();
  } else {
    beside = steady_load(fire, load, [&] { return purge.due() ? (purge.step(), true) : false; });
  }
  std::printf("{\"bench\":\"purge\",\"backend\":\"%s\",\"rate\":%zu,\"seconds\":%.1f,\"removed\":%zu,\"removed_per_s\":%.0f,"
              "\"longest_step_ms\":%.1f,\"alone_p50_ms\":%.2f,\"alone_p99_ms\":%.2f,\"alone_max_ms\":%.1f,"
              "\"purging_p50_ms\":%.2f,\"purging_p99_ms\":%.2f,\"purging_max_ms\":%.1f}\n",
              name.c_str(), load.rate, load.seconds, purge.removed(), static_cast<double>(purge.removed()) / load.seconds,
              purge.longest_ms(), alone.at(0.5), alone.at(0.99), alone.at(1), beside.at(0.5), beside.at(0.99), beside.at(1));
  std::fflush(stdout);
}

void measure_sqlite(const workload& load) {
  const auto folder = std::filesystem::temp_directory_path() / ("ringmaster-purge-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  {
    config::database_settings settings;
    settings.url = "sqlite:" + (folder / "ringmaster.db").string();
    measure("sqlite", *must(storage::make_sqlite_database(settings, {})), load);
  }
  std::filesystem::remove_all(folder);
}

void measure_mysql(const workload& load) {
  if (const auto reason = test::mariadb_server::unavailable_reason()) {
    std::fprintf(stderr, "%s\n", reason->c_str());
    return;
  }
  test::mariadb_server server{{.buffer_pool_mb = 512, .redo_log_mb = 512, .file_per_table = true, .synced = true}};
  config::database_settings settings;
  settings.url = server.url("bench");
  measure("mysql", *must(storage::make_mysql_database(settings, {})), load);
}

} // namespace

int main(int argc, char** argv) try {
  workload load;
  std::vector<std::string> backends{"sqlite", "mysql"};
  CLI::App app{"Firing while old runs are removed."};
  app.add_option("--old", load.old_runs, "Old runs at the start; above a million MySQL drops whole partitions");
  app.add_option("--rate", load.rate, "Firings per second");
  app.add_option("--seconds", load.seconds, "Duration of each part");
  app.add_option("backends", backends, "sqlite, mysql");
  CLI11_PARSE(app, argc, argv);
  for (const auto& backend : backends)
    backend == "mysql" ? measure_mysql(load) : measure_sqlite(load);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
