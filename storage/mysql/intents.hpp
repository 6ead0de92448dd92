#pragma once

// Durable wishes to run: the rows of `rm_intent`.

#include <cstddef>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "storage/mysql/kept_logs.hpp"
#include "storage/mysql/session.hpp"

namespace ringmaster::storage::mysql {

/// A finished run whose children are to start, or whose log is to be kept. Without `spec` the store looks the job up.
struct finished_parent {
  core::log_id run{};
  core::job_ptr spec;
  /// Else it failed, and only its log may be of interest.
  bool succeeded = true;
};

/// What follows results.
struct consequences {
  /// One wish a child that exists, with the child's own number of retries.
  std::vector<core::intent> children;
  /// Of runs whose logs are to be kept.
  std::vector<log_wish> logs;
};

/// Throws `driver_error`, as the next.
[[nodiscard]] consequences consequences_of(session& own, const std::vector<finished_parent>& parents);

/// Inserts those that are not there yet and gives them their ids; returns these.
[[nodiscard]] std::vector<core::intent> insert_intents(session& own, std::vector<core::intent> wishes, core::time_point now);

/// Deletes those that are there, in any order, and says how many there were. Throws `driver_error`.
std::size_t delete_intents(connection& db, std::span<const core::intent_id> intents);

} // namespace ringmaster::storage::mysql
