#pragma once

// A schedule as a sentence in the reader's language. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "core/job/job.hpp"
#include "core/job/schedule_options.hpp"
#include "core/text/language.hpp"

namespace ringmaster::core {

struct worded_schedule {
  schedule_type type = schedule_type::none;
  std::string_view conf;
  const schedule_options& options;
  /// Absent: the sentence does not mention missed instants.
  std::optional<misfire_policy> misfire = {};
};

/// Returns e.g. `At 03:00, on Monday–Friday`, from the values that the schedule fires at and not from its text. Start and end
/// are not part of it. Empty for a job without a schedule and for a text that is not valid.
[[nodiscard]] std::string words_of(const worded_schedule& schedule, language reader);

} // namespace ringmaster::core
