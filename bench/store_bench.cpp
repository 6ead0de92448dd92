// Measures firings per second of a store, from the claim (T1) to trigger and result (T3 and T4 in one write), without HTTP: one
// thread claims and, where the database benefits, another one records. One JSON line per backend.

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include <CLI/CLI.hpp>

#include "storage/open.hpp"
#include "tests/support/mariadb_server.hpp"

namespace {

using namespace ringmaster;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

struct workload {
  std::size_t jobs = 20'000;
  std::size_t batch = 200;
  double seconds = 10;
};

template <class T>
T must(core::result<T> result) {
  if (!result)
    throw std::runtime_error(result.error().context);
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// Claimed runs that wait for the recorder, at most eight batches.
class claimed_queue {
public:
  void push(core::claim_outcome outcome) {
    std::unique_lock lock{guard_};
    changed_.wait(lock, [this] { return waiting_.size() < 8; });
    waiting_.push_back(std::move(outcome));
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard lock{guard_};
    closed_ = true;
    changed_.notify_all();
  }

  std::optional<core::claim_outcome> pop() {
    std::unique_lock lock{guard_};
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty())
      return std::nullopt;
    auto out = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return out;
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<core::claim_outcome> waiting_;
  bool closed_ = false;
};

/// Jobs in random order, due at four instants of each minute, so that a claim has four groups of equal new times.
class planner {
public:
  planner(storage::store& store, core::node_incarnation owner, const workload& load)
    : store_{store}, owner_{std::move(owner)}, load_{load} {
    core::job_id after{};
    for (auto page = next_page(after); !page.empty(); page = next_page(after))
      for (auto& job : page) {
        after = job.spec->id;
        seen_revision_ = std::max(seen_revision_, job.revision);
        jobs_.push_back(std::move(job));
      }
    std::shuffle(jobs_.begin(), jobs_.end(), std::mt19937{1});
  }

  core::claim_outcome claim() {
    core::claim_batch batch;
    batch.owner = owner_;
    batch.sequence = ++sequence_;
    batch.seen_revision = seen_revision_;
    batch.node_host = "bench";
    for (std::size_t i = 0; i < load_.batch; ++i) {
      auto& job = jobs_[at_];
      const auto instant = *job.next;
      // The first round moves the jobs from their own next times to the common ones.
      job.next = origin_ + round_ * 60s + (at_ % 4) * 250ms;
      batch.moves.push_back({job.spec->id, instant, instant, job.next});
      auto& run = batch.runs.emplace_back();
      run.spec = job.spec;
      run.fire_at = instant;
      run.address = "http://127.0.0.1:9999/";
      if (++at_ == jobs_.size()) {
        at_ = 0;
        ++round_;
      }
    }
    auto outcome = must(store_.firings().claim(batch, origin_));
    if (outcome.runs.size() != load_.batch)
      throw std::runtime_error("a claim lost a race without a competitor");
    return outcome;
  }

private:
  std::vector<core::scheduled_job> next_page(core::job_id after) {
    return must(store_.firings().load_jobs(core::slot_set{}.set(), after, 5000));
  }

  storage::store& store_;
  core::node_incarnation owner_;
  const workload& load_;
  std::vector<core::scheduled_job> jobs_;
  std::int64_t seen_revision_ = 0;
  std::int64_t sequence_ = 0;
  std::size_t at_ = 0;
  int round_ = 1;
  core::time_point origin_ = core::from_ms(4'000'000'000'000);
};

void record(storage::store& store, const core::node_incarnation& owner, const core::claim_outcome& claimed) {
  core::record_batch batch;
  batch.owner = owner;
  batch.resolved_claims.push_back(claimed.sequence);
  for (const auto& run : claimed.runs) {
    batch.triggers.push_back({run.id, run.claim, run.plan.spec, 200, "", false});
    batch.callbacks.push_back({run.id, 200, "", run.plan.spec});
  }
  const auto outcome = must(store.firings().record(batch, core::from_ms(4'000'000'000'000)));
  if (outcome.callbacks_stored != claimed.runs.size())
    throw std::runtime_error("a result was not stored");
}

void declare_jobs(storage::store& store, std::size_t count) {
  core::declared_set declared;
  declared.source = "bench";
  declared.groups.push_back({"bench", "bench", std::vector<std::string>{"http://127.0.0.1:9999/"}});
  for (std::size_t i = 0; i < count; ++i) {
    core::declared_job job;
    job.group = "bench";
    job.key = "job-" + std::to_string(i);
    job.name = job.key;
    job.schedule = core::schedule_type::fixed_rate;
    job.schedule_conf = "60";
    job.handler = "demoJobHandler";
    declared.jobs.push_back(std::move(job));
  }
  must(store.deploys().apply(declared, false, false, core::from_ms(1'700'000'000'000)));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](timeval time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Seconds inside the store, and of this process's CPU time.
struct spent {
  double claiming = 0;
  double recording = 0;
  double cpu = 0;
  std::size_t cycles = 0;
};

template <class Body>
double timed(Body&& body) {
  const auto start = clock_type::now();
  body();
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

void run_on_one(storage::store& store, const core::node_incarnation& owner, planner& plan, clock_type::time_point end,
                spent& out) {
  while (clock_type::now() < end) {
    core::claim_outcome claimed;
    out.claiming += timed([&] { claimed = plan.claim(); });
    out.recording += timed([&] { record(store, owner, claimed); });
    out.cycles += claimed.runs.size();
  }
}

void run_on_two(storage::database& database, const core::node_incarnation& owner, planner& plan, clock_type::time_point end,
                spent& out) {
  auto records = must(database.open());
  claimed_queue queue;
  std::thread recorder{[&] {
    while (auto claimed = queue.pop()) {
      out.recording += timed([&] { record(*records, owner, *claimed); });
      out.cycles += claimed->runs.size();
    }
  }};
  while (clock_type::now() < end) {
    core::claim_outcome claimed;
    out.claiming += timed([&] { claimed = plan.claim(); });
    queue.push(std::move(claimed));
  }
  queue.close();
  recorder.join();
}

spent run(storage::database& database, const workload& load) {
  auto store = must(database.open());
  declare_jobs(*store, load.jobs);
  const auto owner = must(store->cluster().enter("bench", "127.0.0.1"));
  planner plan{*store, owner, load};
  spent out;
  const auto before = cpu_seconds();
  const auto time = std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(load.seconds));
  const auto end = clock_type::now() + time;
  if (database.writers() == 1)
    run_on_one(*store, owner, plan, end, out);
  else
    run_on_two(database, owner, plan, end, out);
  out.cpu = cpu_seconds() - before;
  return out;
}

void measure(const std::string& name, storage::database& database, const workload& load) {
  must(database.migrate());
  const auto out = run(database, load);
  const auto cycles = static_cast<double>(out.cycles);
  std::printf(
    "{\"bench\":\"store\",\"backend\":\"%s\",\"connections\":%d,\"jobs\":%zu,\"batch\":%zu,\"seconds\":%.1f,\"cycles\":%zu,"
    "\"cycles_per_s\":%.0f,\"us_per_cycle\":%.1f,\"claim_us\":%.1f,\"record_us\":%.1f,\"client_cpu_us\":%.1f}\n",
    name.c_str(), database.writers(), load.jobs, load.batch, load.seconds, out.cycles, cycles / load.seconds,
    load.seconds * 1e6 / cycles, out.claiming * 1e6 / cycles, out.recording * 1e6 / cycles, out.cpu * 1e6 / cycles);
  std::fflush(stdout);
}

void measure_sqlite(const workload& load) {
  const auto folder = std::filesystem::temp_directory_path() / ("ringmaster-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  {
    config::database_settings settings;
    settings.url = "sqlite:" + (folder / "ringmaster.db").string();
    measure("sqlite", *must(storage::make_sqlite_database(settings, {})), load);
  }
  std::filesystem::remove_all(folder);
}

void measure_mysql(const workload& load, std::string url) {
  std::optional<test::mariadb_server> server;
  config::database_settings settings;
  settings.url = std::move(url);
  if (settings.url.empty()) {
    if (const auto reason = test::mariadb_server::unavailable_reason()) {
      std::fprintf(stderr, "%s\n", reason->c_str());
      return;
    }
    server.emplace(
      test::mariadb_server::options{.buffer_pool_mb = 1024, .redo_log_mb = 1024, .file_per_table = true, .synced = true});
    settings.url = server->url("bench");
  }
  measure("mysql", *must(storage::make_mysql_database(settings, {})), load);
}

} // namespace

int main(int argc, char** argv) try {
  workload load;
  std::vector<std::string> backends{"sqlite", "mysql"};
  std::string url;
  CLI::App app{"Claims and records per second."};
  app.add_option("--jobs", load.jobs, "Jobs in the store");
  app.add_option("--batch", load.batch, "Firings per claim")->check(CLI::Range(1, 500));
  app.add_option("--seconds", load.seconds, "Duration");
  app.add_option("--mysql-url", url, "An empty database to use instead of a private server");
  app.add_option("backends", backends, "sqlite, mysql");
  CLI11_PARSE(app, argc, argv);
  for (const auto& backend : backends)
    backend == "mysql" ? measure_mysql(load, url) : measure_sqlite(load);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
