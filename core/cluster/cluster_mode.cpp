#include "core/cluster/cluster_mode.hpp"

#include <algorithm>

namespace ringmaster::core {

namespace {

constexpr const char* refusal_text =
  "not available in shared mode, because the Java admins on this database do not know options that change when a job fires";

} // namespace

std::string_view stored_name(cluster_mode mode) noexcept { return mode == cluster_mode::shared ? "shared" : "native"; }

std::optional<cluster_mode> find_cluster_mode(std::string_view name) noexcept {
  for (const auto mode : {cluster_mode::native, cluster_mode::shared})
    if (stored_name(mode) == name)
      return mode;
  return std::nullopt;
}

result<void> check_shared(const schedule_options& options) {
  if (options.empty())
    return {};
  std::string names;
  const auto add = [&names](bool has, const char* name) {
    if (has)
      names += (names.empty() ? "" : ", ") + std::string{name};
  };
  add(!options.time_zone.empty(), "time_zone");
  add(options.interval_ms.has_value(), "interval_ms");
  add(options.start_at.has_value(), "start_at");
  add(options.end_at.has_value(), "end_at");
  add(options.jitter_ms.has_value(), "jitter_ms");
  return fail(errc::invalid_argument, names + ": " + refusal_text);
}

std::string options_refused(std::span<const job_id> jobs) {
  constexpr std::size_t named = 10;
  std::string out = jobs.size() == 1 ? "job" : "jobs";
  for (std::size_t i = 0; i < std::min(jobs.size(), named); ++i)
    out += (i == 0 ? " " : ", ") + std::to_string(number(jobs[i]));
  if (jobs.size() > named)
    out += " and " + std::to_string(jobs.size() - named) + " more";
  return out + (jobs.size() == 1 ? " has" : " have") + " options of the schedule: " + refusal_text;
}

} // namespace ringmaster::core
