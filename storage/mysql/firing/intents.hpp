#pragma once

// Durable requests to run: the rows of `rm_intent`.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/runs/log_requests.hpp"

namespace ringmaster::storage::mysql {

/// A finished run whose children are to be started, or whose log is to be kept. Without `spec` the store reads the job.
struct finished_parent {
  core::log_id run{};
  core::job_ptr spec;
  /// False: it failed, and only its log may be needed.
  bool succeeded = true;
  /// Message of its result, as far as it is stored. Valid as long as the batch.
  std::string_view message = {};
};

/// A parent whose result gets a text about its children.
struct told_parent {
  core::log_id run{};
  std::string message;
};

/// The consequences of results.
struct consequences {
  /// One intent per existing child, with the child's own number of retries.
  std::vector<core::intent> children;
  /// Requests for logs to keep.
  std::vector<log_request> logs;
  /// Results of parents with children.
  std::vector<told_parent> told;
};

/// Throws `driver_error`, as the next.
[[nodiscard]] consequences consequences_of(session& own, const std::vector<finished_parent>& parents);

/// Stores the results of parents with the text about their children. Their rows have already been written in this transaction.
void write_results(session& own, const std::vector<told_parent>& told);

/// Inserts the intents that do not exist yet, and returns these with their ids.
[[nodiscard]] std::vector<core::intent> insert_intents(session& own, std::vector<core::intent> requested, core::time_point now);

/// Deletes the intents that exist, in any order, and returns their number. Throws `driver_error`.
std::size_t delete_intents(connection& db, std::span<const core::intent_id> intents);

} // namespace ringmaster::storage::mysql
