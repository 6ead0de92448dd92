// Measures the time of pages for users and scripts: one request after another, to a server that fires no jobs meanwhile.

#include <array>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <stdexcept>

#include "bench/api_client.hpp"
#include "bench/firing_load.hpp"
#include "bench/http_text.hpp"
#include "bench/load_place.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

namespace {

constexpr std::int64_t day_s = 24 * 3600, week_s = 7 * day_s;
constexpr std::size_t warm_ups = 3;

/// Source of random parameters for the requests.
class questions {
public:
  questions(const load_options& options, unsigned seed) : jobs_{options.jobs}, runs_{options.prefill}, chance_{seed} {}

  std::string job() { return std::to_string(1 + pick(jobs_)); }
  std::string run() { return std::to_string(1 + pick(runs_)); }
  /// Returns one of the jobs that fail now and then.
  std::string failing_job() { return std::to_string(1 + pick(std::max<std::size_t>(1, jobs_ / 100)) * 100); }
  std::string position_in_jobs() { return std::to_string(pick(jobs_)); }
  /// Returns a `filterTime` of this length, at a random time of the week.
  std::string time_of(std::int64_t seconds) {
    const auto begin = now_ms() / 1000 - seconds - static_cast<std::int64_t>(pick(static_cast<std::size_t>(week_s - seconds)));
    return text_of(begin) + "+-+" + text_of(begin + seconds);
  }
  static std::string text_of(std::int64_t second) {
    const std::time_t at = second;
    std::tm utc{};
    ::gmtime_r(&at, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d+%H:%M:%S", &utc);
    return text.data();
  }

private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>{0, below - 1}(chance_); }

  std::size_t jobs_, runs_;
  std::mt19937_64 chance_;
};

struct page_question {
  const char* name;
  const char* target;
  /// The form; with `GET` the text after the target.
  std::function<std::string(questions&)> rest;
  bool by_get = false;
};

std::string runs_where(const std::string& job, int status, const std::string& time, const std::string& start = "0") {
  return "jobGroup=1&jobId=" + job + "&logStatus=" + std::to_string(status) + "&filterTime=" + time + "&start=" + start +
         "&length=10";
}

std::string jobs_where(const std::string& filter, const std::string& start = "0") {
  return "jobGroup=1&" + filter + "&start=" + start + "&length=10";
}

const std::vector<page_question>& page_questions() {
  static constexpr const char *runs = "/joblog/pageList", *jobs = "/jobinfo/pageList";
  static const std::vector<page_question> all{
    {"runs: newest", runs, [](questions&) { return runs_where("0", -1, ""); }},
    {"runs: position 5000", runs, [](questions&) { return runs_where("0", -1, "", "5000"); }},
    {"runs: failed", runs, [](questions&) { return runs_where("0", 2, ""); }},
    {"runs: running", runs, [](questions&) { return runs_where("0", 3, ""); }},
    {"runs: an hour", runs, [](questions& some) { return runs_where("0", -1, some.time_of(3600)); }},
    {"runs: succeeded in a day", runs, [](questions& some) { return runs_where("0", 1, some.time_of(day_s)); }},
    {"runs: failed in an hour", runs, [](questions& some) { return runs_where("0", 2, some.time_of(3600)); }},
    {"runs: of a job", runs, [](questions& some) { return runs_where(some.job(), -1, ""); }},
    {"runs: failed of a job", runs, [](questions& some) { return runs_where(some.failing_job(), 2, ""); }},
    {"runs: failed of a job that never fails", runs, [](questions& some) { return runs_where(some.job(), 2, ""); }},
    {"runs: of a job in a day", runs, [](questions& some) { return runs_where(some.job(), -1, some.time_of(day_s)); }},
    {"chart: a week", "/chartInfo",
     [](questions&) {
       const auto now = now_ms() / 1000;
       return "startDate=" + questions::text_of(now - week_s) + "&endDate=" + questions::text_of(now);
     }},
    {"jobs: first page", jobs, [](questions&) { return jobs_where("triggerStatus=-1"); }},
    {"jobs: anywhere", jobs, [](questions& some) { return jobs_where("triggerStatus=-1", some.position_in_jobs()); }},
    {"jobs: running", jobs, [](questions&) { return jobs_where("triggerStatus=1"); }},
    {"jobs: by name", jobs, [](questions& some) { return jobs_where("triggerStatus=-1&jobDesc=job-" + some.job()); }},
    {"jobs: by handler", jobs, [](questions&) { return jobs_where("triggerStatus=-1&executorHandler=noop"); }},
    {"jobs: by a handler that is nowhere", jobs, [](questions&) { return jobs_where("triggerStatus=-1&executorHandler=none"); }},
    {"v1 jobs", "/api/v1/jobs?limit=50", [](questions&) { return std::string{}; }, true},
    {"v1 job", "/api/v1/jobs/", [](questions& some) { return some.job(); }, true},
    {"v1 runs", "/api/v1/runs?limit=50", [](questions&) { return std::string{}; }, true},
    {"v1 runs: failed of a job", "/api/v1/runs?limit=50&status=failed&job=", [](questions& some) { return some.job(); }, true},
    {"v1 runs: before a run", "/api/v1/runs?limit=50&cursor=p", [](questions& some) { return some.run(); }, true},
    {"v1 run", "/api/v1/runs/", [](questions& some) { return some.run(); }, true},
  };
  return all;
}

api_reply ask(api_client& caller, const page_question& page, questions& some) {
  const auto rest = page.rest(some);
  auto reply = page.by_get ? caller.get(page.target + rest) : caller.post(page.target, rest);
  const bool refused = page.by_get ? false : reply.body.find("\"code\":5") != std::string::npos;
  if (reply.status != 200 || refused)
    throw std::runtime_error(std::string{page.name} + " (" + rest + ") was answered " + std::to_string(reply.status) + ": " +
                             reply.body.substr(0, 300));
  return reply;
}

page_times times_of(api_client& caller, const page_question& page, std::size_t times, questions& some) {
  page_times out;
  out.name = page.name;
  std::vector<double> took;
  for (std::size_t i = 0; i < times + warm_ups; ++i) {
    const auto reply = ask(caller, page, some);
    if (i >= warm_ups)
      took.push_back(reply.took.count());
    out.total = std::max(out.total, number_after(reply.body, page.by_get ? "\"total\":" : "\"recordsTotal\":"));
    wait_until(0); // ends the bench after SIGINT or SIGTERM
  }
  out.ms = spread_of(took);
  return out;
}

} // namespace

page_report run_pages(const load_options& options) {
  const temporary_folder folder{options.data_dir, options.keep};
  load_store store{options.store, folder.path()};
  const auto port = free_port();
  const auto job_file = folder.path() / "jobs.toml", config_file = folder.path() / "ringmaster.toml";
  write_jobs(job_file, {load_shape::yearly, options.jobs}, {"http://127.0.0.1:" + std::to_string(free_port()) + "/"});
  write_config(config_file, {store.url(), port, access_token, job_file.string()});
  {
    server_process first{serve_words(options.ringmaster, config_file, options.settings), folder.path() / "server.log"};
    first.wait_until_ready(port, ready_limit);
    if (first.stop(stop_limit) != 0)
      throw std::runtime_error("the first start failed:\n" + first.end_of_log());
  }
  if (options.prefill > 0)
    store.prefill(options.prefill, options.jobs);
  write_config(config_file, {store.url(), port, access_token, ""});
  server_process server{serve_words(options.ringmaster, config_file, options.settings), folder.path() / "server.log"};
  server.wait_until_ready(port, ready_limit);
  wait_until(now_ms() + options.warmup.count() * 1000);

  page_report report;
  report.store = name_of(options.store);
  report.jobs = options.jobs;
  report.runs = options.prefill;
  report.requests = options.pages;
  api_client caller{port};
  caller.sign_in(folder.path());
  constexpr unsigned seed = 1;
  questions some{options, seed};
  for (const auto& page : page_questions()) {
    report.pages.push_back(times_of(caller, page, options.pages, some));
    const auto& told = report.pages.back();
    std::fprintf(stderr, "%-40s p50 %8.2f  p99 %8.2f  max %8.2f ms  total %lld\n", told.name.c_str(), told.ms.p50, told.ms.p99,
                 told.ms.max, static_cast<long long>(told.total));
  }
  report.exit_status = server.stop(stop_limit);
  return report;
}

} // namespace ringmaster::bench
