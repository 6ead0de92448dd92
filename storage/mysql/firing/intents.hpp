#pragma once

// Durable requests to run: the rows of `rm_intent`.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/runs/kept_logs.hpp"

namespace ringmaster::storage::mysql {

/// A finished run whose children are to start, or whose log is to be kept. Without `spec` the store looks the job up.
struct finished_parent {
  core::log_id run{};
  core::job_ptr spec;
  /// Else it failed, and only its log may be of interest.
  bool succeeded = true;
  /// Of its result, as far as it is stored. Valid as long as the batch.
  std::string_view message = {};
};

/// A result with what is said of the children.
struct told_parent {
  core::log_id run{};
  std::string message;
};

/// What follows results.
struct consequences {
  /// One request a child that exists, with the child's own number of retries.
  std::vector<core::intent> children;
  /// Of runs whose logs are to be kept.
  std::vector<log_request> logs;
  /// Of parents with children.
  std::vector<told_parent> told;
};

/// Throws `driver_error`, as the next.
[[nodiscard]] consequences consequences_of(session& own, const std::vector<finished_parent>& parents);

/// Stores the results of parents with what is said of their children. Their rows are written in this transaction already.
void write_results(session& own, const std::vector<told_parent>& told);

/// Inserts those that are not there yet and gives them their ids; returns these.
[[nodiscard]] std::vector<core::intent> insert_intents(session& own, std::vector<core::intent> requested, core::time_point now);

/// Deletes those that are there, in any order, and says how many there were. Throws `driver_error`.
std::size_t delete_intents(connection& db, std::span<const core::intent_id> intents);

} // namespace ringmaster::storage::mysql
