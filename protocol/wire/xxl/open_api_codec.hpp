#pragma once

// Bodies of the job management that release 3.5 offers to executors (XXL admin §8.12). Errors of all: `invalid_argument` that
// begins with XXL's text for a body that cannot be read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// Body of `addJob`, and with an id of `updateJob`.
struct open_job {
  core::job_id id{};
  core::job_draft draft;
};

/// Reads a job; absent numbers are 0, absent texts empty.
[[nodiscard]] core::result<open_job> parse_open_job(std::string_view body);

/// Reads the body of `removeJob`, `startJob`, `stopJob`. A missing id is 0, which no job has.
[[nodiscard]] core::result<core::job_id> parse_open_job_id(std::string_view body);

struct open_trigger {
  core::job_id id{};
  /// Without a value: the job's own parameter.
  std::optional<std::string> param;
  std::vector<std::string> addresses;
};

[[nodiscard]] core::result<open_trigger> parse_open_trigger(std::string_view body);

} // namespace ringmaster::protocol::wire
