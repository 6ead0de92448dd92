#pragma once

// Detection of edits by other programs, and the resulting decisions. Pure; the backends read and write.

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/job/schedule_options.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// The columns of `xxl_job_info` that are compared; texts as stored, empty for NULL.
struct watched_columns {
  std::int64_t status = 0;
  std::string schedule_type;
  std::string schedule_conf;
  std::string update_time;
  friend bool operator==(const watched_columns&, const watched_columns&) = default;
};

struct watched_job {
  job_id id{};
  watched_columns row;
  /// Not compared: only Ringmaster's own edits write them.
  schedule_options timing;
  /// Next and last time in `xxl_job_info`.
  std::int64_t row_next_ms = 0;
  std::int64_t row_last_ms = 0;
  /// The job's row of `rm_schedule`; empty: there is none.
  struct schedule {
    std::int64_t next_ms = 0;
    std::int64_t last_ms = 0;
    std::int64_t revision = 0;
  };
  std::optional<schedule> planned;
  /// Columns and revision at the last check. Empty: this is the first check.
  struct memory {
    watched_columns row;
    std::int64_t revision = 0;
  };
  std::optional<memory> seen;

  /// Returns whether the mirror of a running job is outdated. A job that never fires again is stopped by its last claim.
  [[nodiscard]] bool mirror_is_behind() const noexcept {
    return row.status == 1 && planned && planned->next_ms != 0 &&
           (row_next_ms != planned->next_ms || row_last_ms != planned->last_ms);
  }
};

struct edit_decision {
  /// Whether to remember the row as it is now.
  bool remember = false;
  /// Whether planners have to read the job again.
  bool raise = false;
  std::optional<std::int64_t> next_ms;
  /// Whether it can never fire: `trigger_status` becomes 0.
  bool stop = false;
  /// Text to report; empty: none.
  std::string what = {};

  /// Returns whether the row is only remembered, as at a first check. Needs no lock: the next check sees an edit in between.
  [[nodiscard]] bool only_remembers() const noexcept { return remember && !raise && says_nothing(); }

  /// Returns whether only one of our own edits came since the last check: the planners read the job again, and nothing else
  /// follows.
  [[nodiscard]] bool only_raises() const noexcept { return remember && raise && says_nothing(); }

private:
  [[nodiscard]] bool says_nothing() const noexcept { return !next_ms && !stop && what.empty(); }
};

[[nodiscard]] edit_decision decide_edit(const watched_job& job, time_point now, schedule_rules& rules);

} // namespace ringmaster::core
