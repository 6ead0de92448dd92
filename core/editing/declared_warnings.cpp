#include "core/editing/declared_warnings.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/elastic/part_names.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Period of the check, long enough for weekly and monthly schedules.
constexpr std::chrono::hours looked_at{30 * 24};

constexpr const char* no_mail = "alarm_email is set, but the server has no [mail]: it cannot send alarm mail";

bool fires_rarely(const declared_job& job, schedule_rules& rules, time_point now) {
  if (!job.enabled || job.schedule == schedule_type::none)
    return false;
  const auto rule = rules.of(job.schedule, job.schedule_conf, job.timing);
  return rule && (*rule)->count(now, now + looked_at) < static_cast<std::size_t>(looked_at.count());
}

void add_elastic_warnings(std::vector<declared_warning>& out, const declared_elastic_job& job, bool has_mail) {
  const auto warn = [&](const std::string& what, bool only_of_changes) {
    const auto object = "elastic_job " + full_name(job.what);
    out.push_back({object, (job.where.empty() ? "" : job.where + ": ") + object + ": " + what, only_of_changes});
  };
  const auto warn_unless_built_in = [&](const char* what, std::string_view name, std::span<const std::string_view> built_in) {
    if (!name.empty() && std::find(built_in.begin(), built_in.end(), name) == built_in.end())
      warn(std::string{what} + " \"" + std::string{name} + "\" is not built in: only executors whose program has it run the job",
           true);
  };
  const auto& options = job.what.options;
  if (!has_mail && !is_blank(options.alarm_email))
    warn(no_mail, false);
  warn_unless_built_in("pool", options.pool, elastic::pool_names);
  warn_unless_built_in("error_handler", options.error_handler, elastic::error_handler_names);
}

} // namespace

std::vector<declared_warning> warnings_of(const declared_set& declared, bool has_mail, schedule_rules& rules, time_point now) {
  std::vector<declared_warning> out;
  const auto warn = [&out](const declared_job& job, const std::string& what, bool only_of_changes) {
    const auto object = "job " + job.group + '/' + job.key;
    out.push_back({object, (job.where.empty() ? "" : job.where + ": ") + object + ": " + what, only_of_changes});
  };
  for (const auto& job : declared.jobs) {
    if (!job.names_misfire && fires_rarely(job, rules, now))
      warn(job, "fires less than once an hour and does not set misfire: an instant that is due while no server runs is skipped; "
                "set misfire = \"fire_once_now\" to run it late, or \"do_nothing\" to keep skipping it", true);
    if (!has_mail && !is_blank(job.alarm_email))
      warn(job, no_mail, false);
  }
  for (const auto& job : declared.elastic_jobs)
    add_elastic_warnings(out, job, has_mail);
  return out;
}

void add_warnings(deploy_report& report, std::vector<declared_warning>&& warnings) {
  std::unordered_set<std::string_view> unchanged;
  for (const auto& change : report.changes)
    if (change.kind == change_kind::unchanged)
      unchanged.insert(change.object);
  for (auto& each : warnings)
    if (!each.only_of_changes || !unchanged.contains(each.object))
      report.warnings.push_back(std::move(each.text));
}

} // namespace ringmaster::core
