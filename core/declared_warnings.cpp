#include "core/declared_warnings.hpp"

#include <chrono>

#include "core/text.hpp"

namespace ringmaster::core {

namespace {

/// Long enough for weekly and monthly schedules to show how rare they are.
constexpr std::chrono::hours looked_at{30 * 24};

bool fires_rarely(const declared_job& job, schedule_rules& rules, time_point now) {
  if (!job.enabled || job.schedule == schedule_type::none)
    return false;
  const auto rule = rules.of(job.schedule, job.schedule_conf, job.timing);
  return rule && (*rule)->count(now, now + looked_at) < static_cast<std::size_t>(looked_at.count());
}

} // namespace

std::vector<std::string> warnings_of(const declared_set& declared, bool has_mail, schedule_rules& rules, time_point now) {
  std::vector<std::string> out;
  const auto warn = [&out](const declared_job& job, const std::string& what) {
    out.push_back((job.where.empty() ? "" : job.where + ": ") + "job " + job.group + '/' + job.key + ": " + what);
  };
  for (const auto& job : declared.jobs) {
    if (!job.names_misfire && fires_rarely(job, rules, now))
      warn(job, "fires less than once an hour and does not set misfire: an instant that is due while no server runs is skipped; "
                "set misfire = \"fire_once_now\" to run it late, or \"do_nothing\" to keep it so");
    if (!has_mail && !is_blank(job.alarm_email))
      warn(job, "alarm_email is set, but the server has no [mail]: nobody is notified");
  }
  return out;
}

} // namespace ringmaster::core
