// `ringmaster forecast`: shows future firings. Reads the store, changes nothing.

#include <algorithm>
#include <cstdio>
#include <unordered_set>

#include "apps/client/client_arguments.hpp"
#include "apps/client/job_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/open_store.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "apps/terminal/time_text.hpp"
#include "core/forecast/forecast.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::size_t page_size = 2000;

struct forecast_arguments {
  config_options config;
  std::string from;
  std::string span = "7d";
  std::vector<std::string> jobs;
  std::optional<std::string> cron;
  std::size_t limit = 20;
  bool json = false;
};

struct question {
  core::forecast_options options;
  /// Empty: all jobs.
  std::unordered_set<std::int32_t> jobs;
  std::optional<std::string> cron;
};

struct outlook {
  core::forecast_report as_it_is;
  /// The forecast with `--cron` in place of the job's schedule.
  std::optional<core::forecast_report> changed;
};

core::result<question> read_question(const forecast_arguments& given, opened_store& opened) {
  question asked;
  const auto now = system_now();
  asked.options.from = now;
  if (!given.from.empty()) {
    auto from = parse_time(given.from, opened.what.schedule_zone);
    if (!from)
      return core::fail(from.error().code, "--from: " + from.error().context);
    asked.options.from = *from;
    asked.options.from_now = false;
  }
  auto span = parse_span(given.span);
  if (!span)
    return core::fail(span.error().code, "--for: " + span.error().context);
  if (*span > core::forecast_hours_max)
    return core::fail(core::errc::invalid_argument, "--for: at most 366d");
  asked.options.until = asked.options.from + *span;
  asked.options.listed_max = given.limit;
  asked.options.misfire_after = opened.what.settings.schedule.misfire_after;
  asked.cron = given.cron;
  if (asked.cron && given.jobs.size() != 1)
    return core::fail(core::errc::invalid_argument, "--cron: needs one --job");
  for (const auto& text : given.jobs) {
    auto name = core::parse_job_name(text);
    if (!name)
      return core::fail(name.error().code, "--job: " + name.error().context);
    const auto job = opened.store->jobs().find(*name);
    if (!job)
      return tl::unexpected<core::error>{job.error()};
    asked.jobs.insert(core::number(job->spec->id));
  }
  return asked;
}

/// Computes the forecast. With `--cron` it includes all jobs, to show collisions with them; otherwise only the requested jobs.
core::result<outlook> walk(const question& asked, opened_store& opened) {
  core::forecast as_it_is{asked.options, opened.what.schedule_zone}, changed{asked.options, opened.what.schedule_zone};
  core::job_id after{};
  for (;;) {
    auto page = opened.store->firings().load_jobs(core::slot_set{}.set(), after, page_size);
    if (!page)
      return tl::unexpected<core::error>{page.error()};
    const auto complete = page->size() < page_size;
    if (!page->empty())
      after = page->back().spec->id;
    for (auto& job : *page) {
      const bool named = asked.jobs.contains(core::number(job.spec->id));
      if (!asked.cron && !asked.jobs.empty() && !named)
        continue;
      if (asked.cron) {
        auto other = named ? changed.with_cron(job, *asked.cron) : core::result<core::scheduled_job>{job};
        if (!other)
          return core::fail(core::errc::invalid_argument, "--cron: " + other.error().context);
        changed.add(std::move(*other));
      }
      as_it_is.add(std::move(job));
    }
    if (complete)
      break;
  }
  outlook found{std::move(as_it_is).run(), std::nullopt};
  if (asked.cron)
    found.changed = std::move(changed).run();
  return found;
}

nlohmann::json peaks_json(const std::vector<core::forecast_report::peak>& peaks) {
  auto list = nlohmann::json::array();
  for (const auto& peak : peaks)
    list.push_back({{"at_ms", core::to_ms(peak.at)}, {"firings", peak.firings}});
  return list;
}

nlohmann::json report_json(const core::forecast_report& report, const core::forecast_options& options) {
  nlohmann::json out{{"from_ms", core::to_ms(options.from)},
                     {"until_ms", core::to_ms(options.until)},
                     {"walked_until_ms", core::to_ms(report.walked_until)},
                     {"firings", report.firings},
                     {"dropped_by_misfire", report.dropped},
                     {"not_scheduled", report.not_scheduled},
                     {"seconds", peaks_json(report.seconds)},
                     {"minutes", peaks_json(report.minutes)},
                     {"hours", report.hours}};
  auto histogram = nlohmann::json::array();
  for (std::size_t k = 0; k < report.seconds_by_firings.size(); ++k)
    histogram.push_back({{"from", 1ull << k}, {"to", (2ull << k) - 1}, {"seconds", report.seconds_by_firings[k]}});
  out["collisions"] = std::move(histogram);
  auto jobs = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(report.jobs.size(), options.listed_max); ++i) {
    const auto& total = report.jobs[i];
    jobs.push_back({{"job", core::number(total.job)},
                    {"firings", total.firings},
                    {"first_ms", total.first ? nlohmann::json(core::to_ms(*total.first)) : nlohmann::json()},
                    {"ends", total.ends}});
  }
  out["jobs"] = std::move(jobs);
  out["jobs_scheduled"] = report.jobs.size();
  auto first = nlohmann::json::array();
  for (const auto& firing : report.first_firings)
    first.push_back({{"at_ms", core::to_ms(firing.at)}, {"job", core::number(firing.job)}});
  out["first_firings"] = std::move(first);
  auto bad = nlohmann::json::array();
  for (const auto& each : report.bad)
    bad.push_back({{"job", core::number(each.job)}, {"reason", each.reason}});
  out["cannot_be_planned"] = std::move(bad);
  return out;
}

void print_cut(std::size_t shown, std::size_t all, const char* what) {
  if (shown < all)
    std::printf("… %zu more %s; raise --limit to show them\n", all - shown, what);
}

void print_peaks(const char* title, const std::vector<core::forecast_report::peak>& peaks, const core::zone& where) {
  std::vector<std::vector<std::string>> rows{{title, "FIRINGS"}};
  for (const auto& peak : peaks)
    rows.push_back({local_text(peak.at, where), std::to_string(peak.firings)});
  std::fputs(("\n" + table_text(rows)).c_str(), stdout);
}

void print_histogram(const core::forecast_report& report) {
  std::vector<std::vector<std::string>> rows{{"FIRINGS IN ONE SECOND", "SECONDS"}};
  for (std::size_t k = 0; k < report.seconds_by_firings.size(); ++k) {
    const auto low = 1ull << k, high = (2ull << k) - 1;
    rows.push_back({std::to_string(low) + (high > low ? "-" + std::to_string(high) : ""),
                    std::to_string(report.seconds_by_firings[k])});
  }
  std::fputs(("\n" + table_text(rows)).c_str(), stdout);
}

void print_hours(const core::forecast_report& report, const core::forecast_options& options, const core::zone& where) {
  std::vector<std::vector<std::string>> rows{{"HOUR FROM", "FIRINGS"}};
  const auto first = std::chrono::floor<std::chrono::hours>(options.from);
  const auto shown = std::min(report.hours.size(), options.listed_max);
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back(
      {local_text(first + std::chrono::hours{static_cast<std::int64_t>(i)}, where), std::to_string(report.hours[i])});
  std::fputs(("\n" + table_text(rows)).c_str(), stdout);
  print_cut(shown, report.hours.size(), "hours");
}

void print_lists(const core::forecast_report& report, const core::forecast_options& options, const core::zone& where) {
  std::vector<std::vector<std::string>> jobs{{"JOB", "FIRINGS", "FIRST", ""}};
  const auto shown = std::min(report.jobs.size(), options.listed_max);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& total = report.jobs[i];
    jobs.push_back({std::to_string(core::number(total.job)), std::to_string(total.firings),
                    total.first ? local_text(*total.first, where) : "-", total.ends ? "ends" : ""});
  }
  std::fputs(("\n" + table_text(jobs)).c_str(), stdout);
  print_cut(shown, report.jobs.size(), "jobs");
  std::vector<std::vector<std::string>> first{{"FIRST FIRINGS", "JOB"}};
  for (const auto& firing : report.first_firings)
    first.push_back({local_text(firing.at, where), std::to_string(core::number(firing.job))});
  std::fputs(("\n" + table_text(first)).c_str(), stdout);
  if (report.firings > report.first_firings.size())
    print_cut(report.first_firings.size(), report.firings, "firings");
}

void print(const core::forecast_report& report, const core::forecast_options& options, const core::zone& where) {
  std::printf("%s to %s %s: %llu firings of %zu jobs\n", local_text(options.from, where).c_str(),
              local_text(options.until, where).c_str(), where.name().c_str(), static_cast<unsigned long long>(report.firings),
              report.jobs.size());
  if (report.not_scheduled > 0)
    std::printf("%zu jobs are not scheduled\n", report.not_scheduled);
  if (report.dropped > 0)
    std::printf("about %llu missed instants are dropped by DO_NOTHING\n", static_cast<unsigned long long>(report.dropped));
  for (const auto& bad : report.bad)
    std::printf("job %d cannot be planned: %s\n", core::number(bad.job), one_line(bad.reason).c_str());
  if (report.walked_until < options.until)
    std::printf("stopped at %s: too many firings; use a shorter --for or fewer jobs\n",
                local_text(report.walked_until, where).c_str());
  if (report.firings == 0)
    return;
  print_peaks("BUSIEST SECONDS", report.seconds, where);
  print_peaks("BUSIEST MINUTES", report.minutes, where);
  print_histogram(report);
  print_hours(report, options, where);
  print_lists(report, options, where);
}

const core::forecast_report::job_total* total_of(const core::forecast_report& report, std::int32_t job) {
  for (const auto& total : report.jobs)
    if (core::number(total.job) == job)
      return &total;
  return nullptr;
}

void print_change(const outlook& found, const question& asked, const core::zone& where) {
  const auto job = *asked.jobs.begin();
  std::vector<std::vector<std::string>> rows{{"JOB " + std::to_string(job), "FIRINGS", "FIRST", "BUSIEST SECOND OF ALL JOBS"}};
  auto add = [&](const char* name, const core::forecast_report& report) {
    const auto* total = total_of(report, job);
    const auto* peak = report.seconds.empty() ? nullptr : &report.seconds.front();
    rows.push_back({name, total ? std::to_string(total->firings) : "0",
                    total && total->first ? local_text(*total->first, where) : "-",
                    peak ? std::to_string(peak->firings) + " at " + local_text(peak->at, where) : "-"});
  };
  add("current", found.as_it_is);
  add("changed", *found.changed);
  std::fputs((table_text(rows) + "\nwith the changed cron, ").c_str(), stdout);
}

int forecast(const forecast_arguments& given) {
  auto opened = open_store(given.config);
  if (!opened)
    return complain(opened.error());
  auto asked = read_question(given, *opened);
  if (!asked)
    return complain(asked.error());
  auto found = walk(*asked, *opened);
  if (!found)
    return complain(found.error());
  const auto& where = opened->what.schedule_zone;
  if (given.json) {
    auto document = report_json(found->as_it_is, asked->options);
    if (found->changed)
      document["changed"] = report_json(*found->changed, asked->options);
    std::fputs(dumped(document).c_str(), stdout);
    return exit_done;
  }
  if (found->changed)
    print_change(*found, *asked, where);
  print(found->changed ? *found->changed : found->as_it_is, asked->options, where);
  return exit_done;
}

} // namespace

void add_forecast_command(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<forecast_arguments>();
  auto* command = app.add_subcommand("forecast", "Forecast firings and the busiest times");
  add_config_options(*command, options->config);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--from", options->from, "Start, ISO 8601 or epoch milliseconds; default now")->type_name("T");
  command->add_option("--for", options->span, "Length of the forecast, e.g. 90m, 12h, 7d; at most 366d")
    ->type_name("SPAN")
    ->capture_default_str();
  command->add_option("--job", options->jobs, "Only these jobs, by id or group/key; may be repeated")
    ->type_name("JOB")
    ->allow_extra_args(false);
  command->add_option("--cron", options->cron, "Compare with this cron in place of the schedule of the one --job")
    ->type_name("EXPR");
  command->add_option("--limit", options->limit, "Maximum number of firings, jobs and hours listed")
    ->check(CLI::Range(0, 100000))
    ->capture_default_str();
  command->callback([options, &chosen] { chosen = [options] { return forecast(*options); }; });
}

} // namespace ringmaster::apps
