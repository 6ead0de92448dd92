// `ringmaster repair schedules`: recalculates from now the times of jobs that a wrong clock moved far ahead.

#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/client/client_arguments.hpp"
#include "apps/commands/commands.hpp"
#include "apps/doctor/doctor.hpp"
#include "apps/server/open_store.hpp"
#include "apps/terminal/report.hpp"

namespace ringmaster::apps {

namespace {

struct repair_options {
  config_options config;
  bool dry_run = false;
  bool json = false;
};

/// The repair of one job.
struct repaired_job {
  far_ahead_job job;
  /// Its next time afterwards.
  core::result<std::optional<core::time_point>> next = std::nullopt;
};

nlohmann::json ms_or_null(std::optional<core::time_point> t) {
  return t ? nlohmann::json(core::to_ms(*t)) : nlohmann::json(nullptr);
}

void print_json_of(const std::vector<repaired_job>& jobs, bool dry_run) {
  auto items = nlohmann::json::array();
  for (const auto& job : jobs) {
    const auto& times = job.job.times;
    nlohmann::json item{{"id", core::number(times.job)},
                        {"elastic", job.job.elastic},
                        {"next_ms", ms_or_null(times.next)},
                        {"last_ms", core::to_ms(times.last)},
                        {"repaired", !dry_run && job.next.has_value()},
                        {"new_next_ms", ms_or_null(dry_run || !job.next ? times.expected : *job.next)}};
    if (!job.next)
      item["problem"] = job.next.error().context;
    items.push_back(std::move(item));
  }
  std::printf("%s\n", nlohmann::json{{"items", items}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_lines(const std::vector<repaired_job>& jobs, bool dry_run, const core::zone& where) {
  const auto text = [&where](std::optional<core::time_point> t) { return t ? where.format(*t) : std::string{"never"}; };
  for (const auto& job : jobs) {
    const auto& times = job.job.times;
    if (!job.next)
      continue;
    const auto next = dry_run ? times.expected : *job.next;
    std::printf("%s: %s; %s\n", job.job.name().c_str(),
                (times.next ? "next time " + text(times.next) : "last instant " + text(times.last)).c_str(),
                (!times.next ? std::string{dry_run ? "would be recalculated from now" : "recalculated from now"}
                             : (dry_run ? "would be " : "now ") + text(next) + ' ' + where.name())
                  .c_str());
  }
  if (jobs.empty())
    std::printf("no job has times further ahead than its schedule explains\n");
  else
    std::printf("%zu jobs%s\n", jobs.size(), dry_run ? "; nothing was changed" : "");
}

core::result<std::optional<core::time_point>> repair(storage::store& store, const far_ahead_job& job, core::time_point now) {
  const auto next = [](const auto& edit) { return edit.next; };
  if (job.elastic)
    return store.elastic()
      .count_again(core::elastic::elastic_job_id{core::number(job.times.job)}, now, core::local_operator())
      .map(next);
  return store.jobs().count_again(job.times.job, now).map(next);
}

int repair_schedules(const repair_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const auto& where = opened->what.schedule_zone;
  const auto now = system_now();
  auto found = find_far_ahead(*opened->store, where, opened->what.settings.cluster.clock_tolerance, now);
  if (!found)
    return complain(found.error());
  std::vector<repaired_job> jobs;
  for (const auto& each : *found) {
    repaired_job job{each};
    if (!options.dry_run)
      job.next = repair(*opened->store, each, now);
    jobs.push_back(std::move(job));
  }
  options.json ? print_json_of(jobs, options.dry_run) : print_lines(jobs, options.dry_run, where);
  int code = exit_done;
  for (const auto& job : jobs)
    if (!job.next) {
      auto why = job.next.error();
      why.context = job.job.name() + ": " + why.context;
      code = complain(why);
    }
  return code;
}

} // namespace

void add_repair_commands(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<repair_options>();
  auto* repair = add_family(app, "repair", "Repair data after an accident: schedules");
  auto* command = repair->add_subcommand(
    "schedules", "Recalculate from now the jobs whose next or last times are further ahead than their schedules explain");
  add_config_options(*command, options->config);
  command->add_flag("--dry-run", options->dry_run, "Only list these jobs");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &chosen] { chosen = [options] { return repair_schedules(*options); }; });
}

} // namespace ringmaster::apps
