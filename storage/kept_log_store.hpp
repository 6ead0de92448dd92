#pragma once

// Logs of finished runs of jobs with `keep_logs`, kept in the database so that they outlive their executors. A row of
// `rm_kept_log` is written with the run's result (`firing_store::record`), in state 0: to be fetched. Its text is in
// `rm_run_log`, in pieces, once its state is 1. Removing a run sets the row to state 2; the pieces and the row are deleted later,
// a bounded number at a time.

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

/// Maximum size of one row of `rm_run_log` in bytes.
inline constexpr std::size_t log_piece_bytes = 64 * 1024;

class kept_log_store {
public:
  virtual ~kept_log_store() = default;

  /// Returns runs above `after` whose logs are to be fetched, in id order.
  virtual core::result<std::vector<core::pending_log>> pending(core::log_id after, std::size_t limit) = 0;

  /// Stores all of `text`, valid UTF-8 without NUL; `cut`: the log was longer. Returns false, and stores nothing, when the run's
  /// log is not (or no longer) to be fetched, so repeating it is safe.
  virtual core::result<bool> keep(core::log_id run, std::string_view text, bool cut) = 0;

  /// Marks the logs of these runs as not to be fetched any more. A log that is already kept stays.
  virtual core::result<void> give_up(std::span<const core::log_id> runs) = 0;

  /// Returns the kept text, or its first pieces up to about `bytes_max`; nothing when the run has no complete text, or the run is
  /// not of this job (another admin reused the id). Does not check permissions.
  virtual core::result<std::optional<core::kept_log>> read(core::log_id run, core::job_id job,
                                                           std::size_t bytes_max = std::numeric_limits<std::size_t>::max()) = 0;

  /// Returns the size of all kept texts in bytes. Reads one index row per text.
  virtual core::result<std::int64_t> bytes() = 0;

  /// Drops the oldest kept texts until `bytes` are dropped, at most `limit` texts. Returns the number of bytes; `remove_dropped`
  /// frees the space later.
  virtual core::result<std::int64_t> drop_oldest(std::int64_t bytes, std::size_t limit) = 0;

  /// Removes at most `limit` pieces (or texts without pieces) of dropped logs and of logs whose runs are gone. Returns the
  /// number; less than `limit`: there are no more.
  virtual core::result<std::size_t> remove_dropped(std::size_t limit) = 0;
};

} // namespace ringmaster::storage
