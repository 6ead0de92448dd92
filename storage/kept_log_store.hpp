#pragma once

// Logs of finished runs of jobs with `keep_logs`, so that they outlive their executors. A row of `rm_kept_log` comes with the
// run's result (`firing_store::record`), in state 0: to be fetched. Its text is in `rm_run_log`, in pieces, once its state is 1.
// Whoever removes a run turns the row to state 2; then the pieces and the row go, some at a time.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/kept_log.hpp"

namespace ringmaster::storage {

/// Bytes of one row of `rm_run_log`, at most.
inline constexpr std::size_t log_piece_bytes = 64 * 1024;

class kept_log_store {
public:
  virtual ~kept_log_store() = default;

  /// Runs above `after` whose logs are to be fetched, in id order.
  virtual core::result<std::vector<core::pending_log>> pending(core::log_id after, std::size_t limit) = 0;

  /// Stores all of `text`, valid UTF-8 without NUL; `cut`: the log was longer. False, and nothing is stored, when the run's log
  /// is not to be fetched (any more): repeating it is safe.
  virtual core::result<bool> keep(core::log_id run, std::string_view text, bool cut) = 0;

  /// The logs of these runs are not to be fetched any more. One that is kept stays.
  virtual core::result<void> give_up(std::span<const core::log_id> runs) = 0;

  /// The kept text, or its first pieces up to about `bytes_max`; nothing when the run has none that is complete, or is not of
  /// this job: an id that another admin gave out anew. Asks nobody whether he may read it.
  virtual core::result<std::optional<core::kept_log>> read(core::log_id run, core::job_id job,
                                                           std::size_t bytes_max = std::numeric_limits<std::size_t>::max()) = 0;

  /// Of all kept texts. Reads a row of an index for each.
  virtual core::result<std::int64_t> bytes() = 0;

  /// Drops the oldest kept texts until it is `bytes`, at most `limit` of them. How many bytes; the room follows in
  /// `remove_dropped`.
  virtual core::result<std::int64_t> drop_oldest(std::int64_t bytes, std::size_t limit) = 0;

  /// Removes at most `limit` pieces, or texts without any, of what was dropped or whose runs are gone. How many; less than
  /// `limit`: there are no more.
  virtual core::result<std::size_t> remove_dropped(std::size_t limit) = 0;
};

} // namespace ringmaster::storage
