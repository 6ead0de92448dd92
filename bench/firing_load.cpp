#include "bench/firing_load.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "bench/api_readers.hpp"
#include "bench/executors.hpp"
#include "bench/load_place.hpp"
#include "bench/server_process.hpp"
#include "bench/watched_half.hpp"

namespace ringmaster::bench {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr seconds missing_limit{15}, burst_after{15};
/// Time after which an edit is seen (half a second) and its jobs are read page by page.
constexpr std::int64_t apply_settled_ms = 2000;

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

/// Returns the runs that an executor received and whose success is not in the store.
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
  // An unexpected run counts like a repeated instant.
  const auto unexpected = report.seen.sent - std::min(report.expected, report.seen.sent);
  report.doubled = report.seen.repeated + report.seen.same_id + unexpected;
  report.unstored = missing_from(stored, report.seen.log_ids);
  report.cycles = report.seen.log_ids.size() - report.unstored;
}

std::string name_of(load_shape shape) {
  switch (shape) {
  case load_shape::every_second: return "rate";
  case load_shape::evenly: return "even";
  case load_shape::over_a_minute: return "spread";
  case load_shape::at_once: return "burst";
  case load_shape::yearly: break;
  }
  return "idle";
}

/// Starts the server once to create the log table, then fills it.
void prefill(load_store& store, const load_options& options, const fs::path& folder) {
  const auto port = free_port();
  const auto config_file = folder / "schema.toml";
  write_config(config_file, {store.url(), port, access_token, ""});
  server_process server{serve_words(options.ringmaster, config_file, options.settings), folder / "server.log"};
  server.wait_until_ready(port, ready_limit);
  if (server.stop(stop_limit) != 0)
    throw std::runtime_error("the first start failed:\n" + server.end_of_log());
  store.prefill(options.prefill, options.jobs);
}

/// The jobs of another group, and their change, applied with the command directly to the database.
class changed_crowd {
public:
  changed_crowd(const load_options& options, const fs::path& folder, const fs::path& config)
    : options_{options}, folder_{folder}, config_{config} {}

  /// Applies all of them once and returns the begin and end.
  load_window apply(int second) const {
    const auto file = folder_ / "crowd.toml";
    load_plan plan{load_shape::yearly, options_.applied};
    plan.group = "crowd";
    plan.second = second;
    write_jobs(file, plan, {"http://127.0.0.1:9/"});
    const auto begin = now_ms();
    server_process command{
      {options_.ringmaster.string(), "apply", "--config", config_.string(), "--source", "crowd", file.string()},
      folder_ / "apply.log"};
    while (command.runs())
      wait_until(now_ms() + 2);
    const auto end = now_ms();
    if (command.stop(stop_limit) != 0)
      throw std::runtime_error("apply failed:\n" + command.end_of_log());
    return {begin, end};
  }

private:
  const load_options& options_;
  const fs::path& folder_;
  const fs::path& config_;
};

/// Kills the server or makes the database unavailable as planned; returns when it is back.
trouble_account make_trouble(const load_options& options, const load_window& window, load_store& store,
                             std::unique_ptr<server_process>& server,
                             const std::function<std::unique_ptr<server_process>()>& start) {
  wait_until(window.begin_ms + options.trouble.after_s * 1000);
  trouble_account account;
  account.began_ms = now_ms();
  if (options.trouble.kind == trouble_kind::kill) {
    server->kill_now();
    server = start();
  } else {
    store.go_away(seconds{options.trouble.lasts_s});
  }
  account.back_ms = now_ms();
  return account;
}

} // namespace

cpu_shares cpu_now(pid_t server, pid_t store, pid_t executors) {
  return {cpu_seconds(server), cpu_seconds(store), cpu_seconds(executors)};
}

load_report run_load(const load_options& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  const auto port = free_port();
  const std::size_t batch_max = options.batched_callbacks ? 50 : 1;
  executors emulated{
    options.executors, {port, access_token, batch_max, options.result_connections}, options.answer_work, folder.path() / "book"};
  load_store store{options.store, folder.path(), options.shared};
  if (options.prefill > 0)
    prefill(store, options, folder.path());
  const auto plan = plan_of(options);
  const auto job_file = folder.path() / "jobs.toml", config_file = folder.path() / "ringmaster.toml";
  write_jobs(job_file, plan, emulated.addresses());
  write_config(config_file, {store.url(), port, access_token, job_file.string()});

  load_report report;
  report.prefilled = options.prefill;
  double ready = 0;
  const auto start = [&] {
    auto made = std::make_unique<server_process>(serve_words(options.ringmaster, config_file, options.settings),
                                                 folder.path() / "server.log");
    ready = made->wait_until_ready(port, ready_limit).count();
    return made;
  };
  auto server = start();
  report.ready_ms = ready;
  const changed_crowd crowd{options, folder.path(), config_file};
  if (options.applied > 0)
    (void) crowd.apply(0);
  const auto window = window_of(options, plan);
  std::fprintf(stderr, "ready after %.0f ms, process %d; counting from %lld\n", report.ready_ms, server->process(),
               static_cast<long long>(window.begin_ms));
  if (now_ms() >= window.begin_ms)
    throw std::runtime_error("the server was not ready before the instant of the burst");
  const auto expected = plan.expected(window);
  wait_until(window.begin_ms);
  const auto before = cpu_now(server->process(), store.process(), emulated.process());
  const auto stolen_before = stolen_seconds();
  std::optional<api_readers> readers;
  if (options.reads > 0)
    readers.emplace(port, folder.path(), options.reads, options.jobs);
  std::optional<watched_half> watched;
  if (options.viewers > 0)
    watched.emplace(window, server->process()).begin(port, folder.path(), options.viewers);
  load_window applying;
  if (options.applied > 0) {
    wait_until(window.begin_ms + options.trouble.after_s * 1000);
    applying = crowd.apply(30);
    report.applied = apply_account{options.applied, static_cast<double>(applying.end_ms - applying.begin_ms) / 1000, {}};
  }
  if (options.trouble.kind != trouble_kind::none)
    report.trouble = make_trouble(options, window, store, server, start);
  wait_until(window.end_ms);
  if (watched)
    watched->end();
  if (readers)
    report.reads = readers->finish();
  report.stolen_s = stolen_seconds() - stolen_before;
  if (!report.trouble) // otherwise the processes are different ones
    report.cpu = cpu_now(server->process(), store.process(), emulated.process()) - before;
  wait_for_missing(emulated.progress(), window, expected);
  report.memory = {resident_memory(server->process()).peak, resident_memory(store.process()).peak};
  if (!server->runs())
    std::fprintf(stderr, "the server ended under load:\n%s\n", server->end_of_log().c_str());
  report.exit_status = server->stop(stop_limit);

  report.store = name_of(options.store);
  report.shape = name_of(plan.shape);
  report.jobs = plan.jobs;
  report.seconds = static_cast<double>(window.end_ms - window.begin_ms) / 1000;
  report.callbacks = options.batched_callbacks ? "batch" : "single";
  report.refused = emulated.progress().refused;
  report.expected = std::accumulate(expected.begin(), expected.end(), std::size_t{0});
  report.rate = static_cast<double>(report.expected) / report.seconds;
  const auto book = emulated.finish();
  count(report, book, window, store.successes());
  if (watched)
    report.viewers = watched->account(book);
  if (report.applied)
    report.applied->late = account_of(book, {applying.begin_ms, applying.end_ms + apply_settled_ms}).late;
  if (report.trouble) {
    account_for(*report.trouble, book, window, options.jobs);
    report.lost = report.trouble->lost;
  }
  if (!report.clean())
    std::fprintf(stderr, "end of the server's log:\n%s\n", server->end_of_log().c_str());
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
  write_config(config_file, {store.url(), port, access_token, job_file.string()});
  {
    server_process first{serve_words(options.ringmaster, config_file, options.settings), folder.path() / "server.log"};
    report.apply_ms = first.wait_until_ready(port, ready_limit).count();
    if (first.stop(stop_limit) != 0)
      throw std::runtime_error("the first start failed:\n" + first.end_of_log());
  }
  write_config(config_file, {store.url(), port, access_token, ""});
  server_process server{serve_words(options.ringmaster, config_file, options.settings), folder.path() / "server.log"};
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

} // namespace ringmaster::bench
