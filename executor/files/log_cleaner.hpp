#pragma once

// Removal of old run logs, a whole day at a time (XXL wire §5.8).

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "executor/files/log_place.hpp"

namespace ringmaster::executor {

/// Fewer days keep all logs.
inline constexpr std::int32_t retention_days_min = 3;

/// Parses exactly `yyyy-MM-dd` with a valid date.
[[nodiscard]] std::optional<std::chrono::year_month_day> parse_date(std::string_view name) noexcept;

/// Returns those of `names` that are dates more than `days` days before `today`, in their order. Below `retention_days_min`:
/// none.
[[nodiscard]] std::vector<std::string> outdated_folders(const std::vector<std::string>& names, std::chrono::year_month_day today,
                                                        std::int32_t days);

/// The result of one cleaning.
struct cleaned_logs {
  std::size_t folders = 0;
  /// The first folder that could not be removed, and the reason.
  std::string problem;
};

/// Removes the outdated folders below `options.folder`, but no links. Ends early, after a whole file, when a stop is requested.
/// Blocks. Errors: `unavailable` when the folder cannot be read; a missing folder counts as empty.
[[nodiscard]] core::result<cleaned_logs> clean_logs(const log_options& options, std::int32_t days, const std::stop_token& stop);

/// Cleans at once and then whenever the local date has changed, on its own thread, until it is destroyed.
class log_cleaner {
public:
  /// Calls `said` on the cleaner's thread after each cleaning that removed something or failed.
  log_cleaner(log_options options, std::int32_t days, std::function<void(const core::result<cleaned_logs>&)> said,
              core::milliseconds look_every = std::chrono::minutes{10});
  ~log_cleaner();

private:
  void live(const std::stop_token& stop);

  log_options options_;
  std::int32_t days_;
  std::function<void(const core::result<cleaned_logs>&)> said_;
  /// Interval of the date checks.
  core::milliseconds look_every_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  /// Last member: it uses all others.
  std::jthread thread_;
};

} // namespace ringmaster::executor
