#pragma once

// Merges the logs of all shards of a broadcast into one text. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/log_row.hpp"

namespace ringmaster::actors {

/// Returns true if an executor accepted the run. A result may be recorded before the answer to the trigger.
[[nodiscard]] bool was_triggered(const core::log_row& run) noexcept;

/// Log of one shard, or the reason why it is missing.
struct log_share {
  core::log_row run;
  /// Text of the log; empty if `problem` explains its absence.
  std::string content = {};
  std::string problem = {};
  /// Bytes that were cut off the end of `content`.
  std::size_t cut = 0;
  /// `content` is the copy in the database; no executor has to be asked.
  bool kept = false;
  /// The kept copy is not the whole log.
  bool kept_in_part = false;
};

/// Stores at most `bytes_max` bytes of `content`, up to a character boundary.
void put(log_share& to, std::string&& content, std::size_t bytes_max);

struct merged_text {
  std::string content;
  std::int32_t lines = 0;
  /// All runs have a result or were never triggered, all logs were read completely, and none was cut.
  bool whole = true;
  /// A part of a log is missing, or the log of a run that was not refused.
  bool partial = false;
  /// All logs came from copies in the database.
  bool kept = true;
};

/// Merges the logs, each under a line with its shard, run and address. Problems stand in brackets.
[[nodiscard]] merged_text merge_logs(const std::vector<log_share>& shares);

} // namespace ringmaster::actors
