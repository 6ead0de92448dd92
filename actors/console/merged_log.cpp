#include "actors/console/merged_log.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::actors {

namespace {

std::string head_of(const core::log_row& run) {
  const auto& shard = run.executor_sharding_param;
  return "---- " + (shard.empty() ? std::string{} : "shard " + shard + ", ") + "run " + std::to_string(core::number(run.id)) +
         (run.executor_address.empty() ? "" : ", " + run.executor_address) + " ----\n";
}

bool was_refused(const core::log_row& run) noexcept { return run.trigger_code != 0 && run.trigger_code != 200; }

/// Returns true if the run will write no more log lines.
bool has_ended(const core::log_row& run) noexcept { return run.handle_code != 0 || was_refused(run); }

void append_line(std::string& to, std::string_view text) {
  to.append(text);
  if (!text.empty() && text.back() != '\n')
    to += '\n';
}

} // namespace

bool was_triggered(const core::log_row& run) noexcept {
  return run.trigger_code == 200 || (run.trigger_code == 0 && run.handle_code != 0);
}

void put(log_share& to, std::string&& content, std::size_t bytes_max) {
  const auto whole = content.size();
  content.resize(core::cut_bytes(content, bytes_max).size());
  content.shrink_to_fit();
  to.cut = whole - content.size();
  to.content = std::move(content);
}

merged_text merge_logs(const std::vector<log_share>& shares) {
  merged_text merged;
  for (const auto& [run, content, problem, cut, kept, kept_in_part] : shares) {
    merged.kept = merged.kept && kept;
    merged.content += head_of(run);
    append_line(merged.content, content);
    if (cut > 0)
      append_line(merged.content, "[" + std::to_string(cut) + " more bytes: read run " +
                                    std::to_string(core::number(run.id)) + " itself]");
    if (!problem.empty())
      append_line(merged.content, "[" + problem + "]");
    const bool was_read = problem.empty() || was_refused(run);
    const bool is_partial = !was_read || cut > 0 || kept_in_part;
    merged.partial = merged.partial || is_partial;
    merged.whole = merged.whole && has_ended(run) && !is_partial;
  }
  merged.lines = static_cast<std::int32_t>(std::count(merged.content.begin(), merged.content.end(), '\n'));
  return merged;
}

} // namespace ringmaster::actors
