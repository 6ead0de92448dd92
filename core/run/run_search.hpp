#pragma once

// Which runs a page has, what clears them, and the figures of days.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/run/log_row.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// XXL's `logStatus` (XXL admin §8.7).
enum class run_status : std::uint8_t {
  any,
  /// handle_code = 200
  succeeded,
  /// trigger_code not in (0, 200) or handle_code not in (0, 200)
  failed,
  /// trigger_code = 200 and handle_code = 0
  running,
  /// Of the failed ones: instants that the misfire policy dropped.
  missed
};

/// Newest id first.
struct run_search {
  std::optional<group_id> group = {};
  std::optional<job_id> job = {};
  /// Of who is no admin: only runs of these groups.
  std::optional<std::vector<group_id>> visible = {};
  run_status status = run_status::any;
  /// Trigger times, both inclusive.
  std::optional<time_point> from = {};
  std::optional<time_point> to = {};
  /// The whole name of the handler; empty: any.
  std::string handler = {};
  /// Only runs with a lower id: where the page before ended.
  std::optional<log_id> before = {};
  page_window window = {};
};

/// Which runs `clearLog` removes; one of the two bounds, or neither: all.
struct clear_search {
  std::optional<group_id> group = {};
  std::optional<job_id> job = {};
  /// Trigger times at or before this.
  std::optional<time_point> until = {};
  /// All but so many of the newest, by id.
  std::optional<std::size_t> keep_newest = {};
};

/// Where clearing stands. What is written after its first step is not its affair.
struct clear_place {
  /// Everything up to here was looked at.
  log_id after{};
  /// Nothing above this goes.
  log_id through{};
  /// Of the newest at or below `through` so many stay still; while there are any nothing goes, and `through` falls.
  std::size_t keep = 0;
};

/// One step of clearing.
struct clear_step {
  std::size_t removed = 0;
  /// Where the next one goes on; nothing: all is done.
  std::optional<clear_place> next = {};
};

} // namespace ringmaster::core
