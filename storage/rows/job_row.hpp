#pragma once

// Columns of a job, converted into core's types. Both backends select these columns and fill this struct; unknown names of a
// newer or foreign writer get the meaning that XXL gives them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/job/job.hpp"

namespace ringmaster::storage {

/// Text columns as stored; empty for NULL. Views are valid while the row is.
struct job_row {
  core::job_id id{};
  core::group_id group{};
  std::string_view schedule_type;
  std::string_view schedule_conf;
  std::string_view misfire;
  std::string_view route;
  std::string_view block;
  std::string_view on_unknown;
  std::string_view handler;
  std::string_view param;
  std::string_view child_jobs;
  std::string_view glue_type;
  std::string_view glue_source;
  /// Whether the statement did not select the source.
  bool source_left_out = false;
  core::time_point glue_updated{};
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  std::string_view time_zone;
  std::optional<std::int64_t> interval_ms;
  std::optional<std::int64_t> start_ms;
  std::optional<std::int64_t> end_ms;
  std::optional<std::int64_t> jitter_ms;
  bool keep_logs = false;
};

/// Returns the options as stored. An invalid number stays invalid, and planning reports it.
[[nodiscard]] core::schedule_options options_of(const job_row& row);

/// Returns the options from a row of either backend whose statement selects `time_zone`, `interval_ms`, `start_at`, `end_at` and
/// `jitter_ms`, in this order from `column` on.
template <class Row, class Column>
[[nodiscard]] core::schedule_options options_at(const Row& row, Column column) {
  job_row found;
  found.time_zone = row.text(column);
  found.interval_ms = row.optional_number(column + 1);
  found.start_ms = row.optional_number(column + 2);
  found.end_ms = row.optional_number(column + 3);
  found.jitter_ms = row.optional_number(column + 4);
  return options_of(found);
}

[[nodiscard]] core::job_ptr job_of(const job_row& row);

} // namespace ringmaster::storage
