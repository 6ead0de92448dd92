#include "bench/firing_load.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include "bench/executors.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* token = "token-of-the-bench";
constexpr seconds ready_limit{120}, stop_limit{60}, missing_limit{15}, burst_after{15};

volatile std::sig_atomic_t interrupted = 0;

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void check_interrupt() {
  if (interrupted != 0)
    throw std::runtime_error("interrupted");
}

void wait_until(std::int64_t at_ms) {
  for (auto left = at_ms - now_ms(); left > 0; left = at_ms - now_ms()) {
    check_interrupt();
    std::this_thread::sleep_for(milliseconds{std::min<std::int64_t>(left, 200)});
  }
}

class temporary_folder {
public:
  temporary_folder(const fs::path& parent, bool keep) : keep_{keep} {
    auto name = (parent / "ringmaster-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + parent.string());
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    if (keep_)
      std::fprintf(stderr, "kept: %s\n", path_.c_str());
    else
      fs::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

private:
  fs::path path_;
  bool keep_;
};

std::string name_of(store_kind store) { return store == store_kind::sqlite ? "sqlite" : "mariadb"; }

std::vector<std::string> serve_words(const load_options& options, const fs::path& config) {
  std::vector<std::string> words{options.ringmaster.string(), "serve", "--config", config.string()};
  for (const auto& setting : options.settings)
    words.insert(words.end(), {"--set", setting});
  return words;
}

cpu_shares cpu_now(pid_t server, pid_t store, pid_t executors) {
  return {cpu_seconds(server), cpu_seconds(store), cpu_seconds(executors)};
}

cpu_shares operator-(const cpu_shares& a, const cpu_shares& b) {
  return {a.ringmaster - b.ringmaster, a.store - b.store, a.executors - b.executors};
}

load_window window_of(const load_options& options, const load_plan& plan) {
  if (plan.shape == load_shape::at_once)
    return {plan.instant_ms, plan.instant_ms + 1000};
  const auto begin = (now_ms() / 1000 + 1) * 1000 + options.warmup.count() * 1000;
  return {begin, begin + options.seconds.count() * 1000};
}

load_plan plan_of(const load_options& options) {
  const auto instant = (now_ms() / 1000 + burst_after.count()) * 1000;
  return {options.shape, options.jobs, options.shape == load_shape::at_once ? instant : 0};
}

/// Runs that an executor received, but whose success is not in the store.
std::size_t missing_from(const std::vector<std::int64_t>& stored, const std::vector<std::int64_t>& received) {
  std::vector<std::int64_t> missing;
  std::set_difference(received.begin(), received.end(), stored.begin(), stored.end(), std::back_inserter(missing));
  return missing.size();
}

void wait_for_missing(const load_progress& progress, const load_window& window, const std::vector<std::uint32_t>& expected) {
  const auto give_up = window.end_ms + missing_limit.count() * 1000;
  while (!progress.has_all(window, expected) && now_ms() < give_up)
    wait_until(now_ms() + 50);
}

void count(load_report& report, const run_book& book, const load_window& window, const std::vector<std::int64_t>& stored) {
  report.seen = account_of(book, window);
  report.lost = report.expected - std::min(report.expected, report.seen.sent);
  // What nobody asked for counts like an instant that came twice.
  const auto unexpected = report.seen.sent - std::min(report.expected, report.seen.sent);
  report.doubled = report.seen.repeated + report.seen.same_id + unexpected;
  report.unstored = missing_from(stored, report.seen.log_ids);
  report.cycles = report.seen.log_ids.size() - report.unstored;
}

} // namespace

load_report run_load(const load_options& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  const auto port = free_port();
  const std::size_t batch_max = options.batched_callbacks ? 50 : 1;
  executors emulated{options.executors, {port, token, batch_max, 16}, folder.path() / "book"};
  const load_store store{options.store, folder.path()};
  const auto plan = plan_of(options);
  const auto job_file = folder.path() / "jobs.toml", config_file = folder.path() / "ringmaster.toml";
  write_jobs(job_file, plan, emulated.addresses());
  write_config(config_file, {store.url(), port, token, job_file.string()});

  load_report report;
  server_process server{serve_words(options, config_file), folder.path() / "server.log"};
  report.ready_ms = server.wait_until_ready(port, ready_limit).count();
  const auto window = window_of(options, plan);
  std::fprintf(stderr, "ready after %.0f ms, process %d; counting from %lld\n", report.ready_ms, server.process(),
               static_cast<long long>(window.begin_ms));
  if (now_ms() >= window.begin_ms)
    throw std::runtime_error("the server was not ready before the instant of the burst");
  const auto expected = plan.expected(window);
  wait_until(window.begin_ms);
  const auto before = cpu_now(server.process(), store.process(), emulated.process());
  const auto stolen_before = stolen_seconds();
  wait_until(window.end_ms);
  report.stolen_s = stolen_seconds() - stolen_before;
  report.cpu = cpu_now(server.process(), store.process(), emulated.process()) - before;
  wait_for_missing(emulated.progress(), window, expected);
  report.memory = {resident_memory(server.process()).peak, resident_memory(store.process()).peak};
  if (!server.runs())
    std::fprintf(stderr, "the server ended under load:\n%s\n", server.end_of_log().c_str());
  report.exit_status = server.stop(stop_limit);

  report.store = name_of(options.store);
  report.shape = plan.shape == load_shape::at_once ? "burst" : plan.shape == load_shape::every_second ? "rate" : "spread";
  report.jobs = plan.jobs;
  report.seconds = static_cast<double>(window.end_ms - window.begin_ms) / 1000;
  report.callbacks = options.batched_callbacks ? "batch" : "single";
  report.refused = emulated.progress().refused;
  report.expected = std::accumulate(expected.begin(), expected.end(), std::size_t{0});
  report.rate = static_cast<double>(report.expected) / report.seconds;
  count(report, emulated.finish(), window, store.successes());
  if (!report.clean())
    std::fprintf(stderr, "end of the server's log:\n%s\n", server.end_of_log().c_str());
  return report;
}

idle_report run_idle(const load_options& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  const load_store store{options.store, folder.path()};
  const auto port = free_port();
  const auto job_file = folder.path() / "jobs.toml", config_file = folder.path() / "ringmaster.toml";
  write_jobs(job_file, {load_shape::yearly, options.jobs}, {"http://127.0.0.1:" + std::to_string(free_port()) + "/"});

  idle_report report;
  report.store = name_of(options.store);
  report.jobs = options.jobs;
  write_config(config_file, {store.url(), port, token, job_file.string()});
  {
    server_process first{serve_words(options, config_file), folder.path() / "server.log"};
    report.apply_ms = first.wait_until_ready(port, ready_limit).count();
    if (first.stop(stop_limit) != 0)
      throw std::runtime_error("the first start did not end well:\n" + first.end_of_log());
  }
  write_config(config_file, {store.url(), port, token, ""});
  server_process server{serve_words(options, config_file), folder.path() / "server.log"};
  report.ready_ms = server.wait_until_ready(port, ready_limit).count();
  wait_until(now_ms() + options.warmup.count() * 1000);
  const auto began = now_ms();
  const auto before = cpu_now(server.process(), store.process(), 0);
  wait_until(began + options.seconds.count() * 1000);
  report.cpu = cpu_now(server.process(), store.process(), 0) - before;
  report.seconds = static_cast<double>(now_ms() - began) / 1000;
  report.rss_mb = resident_memory(server.process()).now;
  report.memory = {resident_memory(server.process()).peak, resident_memory(store.process()).peak};
  report.exit_status = server.stop(stop_limit);
  return report;
}

void end_on_signals() {
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { interrupted = 1; });
}

} // namespace ringmaster::bench
