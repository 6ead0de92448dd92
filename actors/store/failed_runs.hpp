#pragma once

// Log lines about runs whose executors reported a failure.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "actors/logger.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/run.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

/// Writer of at most `a_second_max` lines a second, for any number of failed runs; a line says how many runs were omitted before
/// it. A run that was not sent, or that its executor refused, is logged where it was sent. Used by one actor.
class failed_run_lines {
public:
  static constexpr std::uint32_t a_second_max = 5;
  static constexpr std::size_t reason_chars_max = 200;

  /// Writes a line for each failed run of `batch`; `outcome`: the store's result for it.
  void write(const logger& log, const core::record_batch& batch, const core::record_outcome& outcome,
             core::log_rate_limiter::steady now) {
    for (const auto& run : outcome.ended)
      if (run.how == core::run_end::failed)
        if (const auto line_end = limit_.admit(now))
          write(log, batch, run, *line_end);
  }

private:
  static void write(const logger& log, const core::record_batch& batch, const core::ended_run& run,
                    const std::string& line_end) {
    const auto result = std::find_if(batch.callbacks.begin(), batch.callbacks.end(),
                                     [&run](const auto& each) { return each.id == run.id; });
    if (result == batch.callbacks.end())
      return log->info("job={} run={} failed{}", core::number(run.job), core::number(run.id), line_end);
    const auto text = core::trimmed(result->message);
    const auto reason = core::cut_characters(text.substr(0, text.find('\n')), reason_chars_max);
    log->info("job={} run={} failed: code {}{}{}{}", core::number(run.job), core::number(run.id),
              core::stored_handle_code(result->code), reason.empty() ? "" : ": ", reason, line_end);
  }

  core::log_rate_limiter limit_{a_second_max};
};

} // namespace ringmaster::actors
