#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/run/log_row.hpp"

namespace ringmaster::actors {

/// Returns the error for an executor that did not answer. The address is its subject: users may see it.
[[nodiscard]] inline core::error no_answer_of(const core::log_row& run, const std::string& why,
                                              core::errc code = core::errc::unavailable) {
  return {code, "the executor " + run.executor_address + " did not answer" + (why.empty() ? "" : ": " + why),
          core::refusal::none, run.executor_address};
}

/// Returns true if an executor says that it does not have the log. `Answer` has `to_line` and `content`.
template <class Answer>
[[nodiscard]] bool is_message(const Answer& answer, std::int32_t from_line) noexcept {
  return answer.to_line <= 0 && (from_line == 1 || !answer.content.empty());
}

} // namespace ringmaster::actors
