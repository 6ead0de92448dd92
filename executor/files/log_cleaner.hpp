#pragma once

// Old logs of runs go by whole days (XXL wire §5.8).

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

/// Fewer days keep everything.
inline constexpr std::int32_t retention_days_min = 3;

/// Exactly `yyyy-MM-dd`, and a date that there is.
[[nodiscard]] std::optional<std::chrono::year_month_day> parse_date(std::string_view name) noexcept;

/// Those of `names` that are dates and, on `today`, more than `days` days old, in their order. Below `retention_days_min`: none.
[[nodiscard]] std::vector<std::string> outdated_folders(const std::vector<std::string>& names, std::chrono::year_month_day today,
                                                        std::int32_t days);

/// What one look removed.
struct cleaned_logs {
  std::size_t folders = 0;
  /// The first folder that could not be removed, and why.
  std::string problem;
};

/// Removes the outdated folders below `options.folder`; links to folders elsewhere are none of them. Ends early, after a whole
/// file, when it is asked to stop. Blocks. Errors: `unavailable` when the folder cannot be read; one that is not there
/// holds nothing.
[[nodiscard]] core::result<cleaned_logs> clean_logs(const log_options& options, std::int32_t days, const std::stop_token& stop);

/// Cleans at once and then whenever the local date has changed, in a thread of its own, until it is destroyed.
class log_cleaner {
public:
  /// `said` hears of each look that removed something or could not; called from the cleaner's thread.
  log_cleaner(log_options options, std::int32_t days, std::function<void(const core::result<cleaned_logs>&)> said,
              core::milliseconds look_every = std::chrono::minutes{10});
  ~log_cleaner();

private:
  void live(const std::stop_token& stop);

  log_options options_;
  std::int32_t days_;
  std::function<void(const core::result<cleaned_logs>&)> said_;
  /// How often the date is looked at.
  core::milliseconds look_every_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  /// Last: it uses all the others.
  std::jthread thread_;
};

} // namespace ringmaster::executor
