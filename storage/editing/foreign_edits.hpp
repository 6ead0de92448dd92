#pragma once

// Whether somebody changed a job behind our back, and what follows from it. Pure; the backends read and write.

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/job/schedule_options.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// The columns of `xxl_job_info` that are compared; texts as stored, empty for NULL.
struct watched_columns {
  std::int64_t status = 0;
  std::string schedule_type;
  std::string schedule_conf;
  std::string update_time;
  friend bool operator==(const watched_columns&, const watched_columns&) = default;
};

struct watched_job {
  core::job_id id{};
  watched_columns row;
  /// Not compared: only our own edits write them.
  core::schedule_options timing;
  /// The mirror.
  std::int64_t row_next_ms = 0;
  std::int64_t row_last_ms = 0;
  /// `rm_schedule`; nothing: it has no row of the job.
  struct schedule {
    std::int64_t next_ms = 0;
    std::int64_t last_ms = 0;
    std::int64_t revision = 0;
  };
  std::optional<schedule> planned;
  /// What was there at the last look, and the revision then. Nothing: the first look.
  struct memory {
    watched_columns row;
    std::int64_t revision = 0;
  };
  std::optional<memory> seen;

  /// The mirror of a running job is behind. One that never fires is stopped by its last claim.
  [[nodiscard]] bool mirror_is_behind() const noexcept {
    return row.status == 1 && planned && planned->next_ms != 0
           && (row_next_ms != planned->next_ms || row_last_ms != planned->last_ms);
  }
};

struct edit_decision {
  /// The row is to be remembered as it is now.
  bool remember = false;
  /// The planners are to read the job anew.
  bool raise = false;
  std::optional<std::int64_t> next_ms;
  /// It can never fire: `trigger_status` becomes 0.
  bool stop = false;
  /// Empty: nothing to tell.
  std::string what = {};

  /// Nothing follows but that the row is remembered: a first look. Needs no lock: an edit in between is seen at the next one.
  [[nodiscard]] bool only_remembers() const noexcept { return remember && !raise && says_nothing(); }

  /// An edit of ours came since the last look: the planners read the job once more, and nothing else follows.
  [[nodiscard]] bool only_raises() const noexcept { return remember && raise && says_nothing(); }

private:
  [[nodiscard]] bool says_nothing() const noexcept { return !next_ms && !stop && what.empty(); }
};

[[nodiscard]] edit_decision decide(const watched_job& job, core::time_point now, core::schedule_rules& rules);

} // namespace ringmaster::storage
