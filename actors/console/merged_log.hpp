#pragma once

// The logs of all shards of a broadcast as one text. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/log_row.hpp"

namespace ringmaster::actors {

/// An executor took it. A result may come before the answer to the trigger is recorded.
[[nodiscard]] bool was_triggered(const core::log_row& run) noexcept;

/// What came of one shard.
struct log_share {
  core::log_row run;
  /// What it wrote; empty when `problem` says why not.
  std::string content = {};
  std::string problem = {};
  /// Bytes that were cut off the end of `content`.
  std::size_t cut = 0;
  /// `content` was kept here: there is nobody to ask.
  bool kept = false;
  /// What is kept is not all that the run wrote.
  bool kept_in_part = false;
};

/// At most `bytes_max` of it, to the end of a character.
void put(log_share& to, std::string&& content, std::size_t bytes_max);

struct merged_text {
  std::string content;
  std::int32_t lines = 0;
  /// All runs have their result or were never triggered, all were read, and nothing was cut.
  bool whole = true;
  /// All of them were kept here.
  bool kept = true;
};

/// Each share under a line with its shard, run and address; what is in the way stands in brackets.
[[nodiscard]] merged_text merge_logs(const std::vector<log_share>& shares);

} // namespace ringmaster::actors
