#pragma once

// Search for runs, clearing of runs, and daily figures.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/run/log_row.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// XXL's `logStatus` (XXL admin §8.7), and finer ones.
enum class run_status : std::uint8_t {
  any,
  /// handle_code = 200
  succeeded,
  /// trigger_code not in (0, 200) or handle_code not in (0, 200)
  failed,
  /// trigger_code = 200 and handle_code = 0
  running,
  /// Among the failed ones: instants that the misfire policy dropped.
  missed,
  /// trigger_code = 0 and handle_code = 0
  pending,
  /// Among the failed ones: the executor reported that the time limit was exceeded.
  timed_out,
  /// Among the failed ones: no executor accepted the run.
  not_sent,
  /// Among the failed ones: the server recorded that no result came.
  lost,
  /// Among the failed ones: ended by a user, by a later run, by an edit of the job or with its executor.
  killed,
  /// Among the failed ones: it is unknown whether an executor accepted the run.
  unknown
};

/// Search for a page of runs; newest id first.
struct run_search {
  std::optional<group_id> group = {};
  std::optional<job_id> job = {};
  /// For a user who is not an administrator: only runs of these groups.
  std::optional<std::vector<group_id>> visible = {};
  run_status status = run_status::any;
  /// Several statuses: runs with at least one of them. `status` is `any` then.
  std::vector<run_status> one_of = {};
  /// Trigger times, both inclusive.
  std::optional<time_point> from = {};
  std::optional<time_point> to = {};
  /// The whole name of the handler; empty: any.
  std::string handler = {};
  /// One of these kinds, as `origin_of` tells them; empty: any.
  std::vector<trigger_kind> kinds = {};
  /// The whole address of the executor; a slash at the end makes no difference. Empty: any.
  std::string address = {};
  /// Runs that took this long from the trigger to the result, and open runs that are this old at `as_of`.
  std::optional<milliseconds> min_duration = {};
  /// Unset: no open run is old enough for `min_duration`.
  std::optional<time_point> as_of = {};
  /// Part of the words about the sending, or of the result; empty: any.
  std::string words = {};
  /// Only runs with a lower id: the end of the page before.
  std::optional<log_id> before = {};
  /// Only runs with a higher id.
  std::optional<log_id> after = {};
  /// Only runs that repeat or follow this one, as our own trigger messages tell.
  std::optional<log_id> origin = {};
  /// Only these runs; other conditions do not count then.
  std::vector<log_id> ids = {};
  page_window window = {};
  /// The reader continues below `run_list::rest` and leaves out rows of the page there: they are not searched, nor counted in a
  /// capped total.
  bool only_complete = false;
};

/// A page of runs from a search of a limited part of the log.
struct run_list : page<log_row> {
  /// Rows up to this id were not searched, or not all of them; unset: all were. Rows of the page at or below it are not complete:
  /// a reader who continues from here leaves them out.
  std::optional<log_id> rest = {};
  /// Trigger time next to `rest`: runs after it were searched. Unset: unknown.
  std::optional<time_point> searched_to = {};
};

/// Runs to be counted by hours or days that begin from `from` to before `to`.
struct report_search {
  time_point from{};
  time_point to{};
  std::optional<group_id> group = {};
  std::optional<job_id> job = {};
  bool by_hour = false;
};

/// Runs that `clearLog` removes, with one of the two bounds, or neither: all.
struct clear_search {
  std::optional<group_id> group = {};
  std::optional<job_id> job = {};
  /// Only trigger times at or before this.
  std::optional<time_point> until = {};
  /// Keeps this many of the newest runs, by id.
  std::optional<std::size_t> keep_newest = {};
};

/// Position of a clearing. Rows that are written after its first step are not affected.
struct clear_place {
  /// Every row up to here was examined.
  log_id after{};
  /// No row above this is removed.
  log_id through{};
  /// This many of the newest rows at or below `through` must still be kept; until they are found no row is removed, and `through`
  /// decreases.
  std::size_t keep = 0;
};

/// One step of clearing.
struct clear_step {
  std::size_t removed = 0;
  /// Position of the next step; unset if the clearing has ended.
  std::optional<clear_place> next = {};
};

} // namespace ringmaster::core
