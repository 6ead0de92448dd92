#pragma once

// The log files of an executor's runs on disk.

#include <cstdint>
#include <memory>
#include <optional>

#include "actors/executor/job_logs.hpp"
#include "executor/files/file.hpp"
#include "executor/files/line_counter.hpp"
#include "executor/files/log_marks.hpp"
#include "executor/files/log_place.hpp"
#include "executor/files/log_reading.hpp"
#include "executor/files/log_writer.hpp"

namespace ringmaster::executor {

/// One object per process. Folders are created for the first run of a day: `append` reports a failure.
class log_files final : public actors::job_logs {
public:
  /// Default for `scan_max`.
  static constexpr std::uint64_t scan_bytes_max = 64 * 1024 * 1024;

  /// `scan_max`: most bytes whose lines one call counts, except of a line that is longer.
  explicit log_files(log_options options, std::uint64_t scan_max = scan_bytes_max)
    : place_{std::make_shared<log_place>(std::move(options))}, scan_max_{scan_max} {}

  core::result<bool> has(const core::run_identity& which) override;
  /// Reads at most a megabyte. Holds back an unfinished last line until two seconds after the last write. With `bounds` the lines
  /// of the file are counted, a limited part in each call, afterwards only those that were added since. The last lines are there
  /// once all lines are counted.
  core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line,
                                     const std::optional<core::log_bounds>& bounds = {}) override;
  core::result<void> append(const core::run_identity& which, std::string_view text) override;

  /// Returns the writer for the run itself. It may outlive this object.
  [[nodiscard]] std::unique_ptr<log_writer> writer(const core::run_identity& which,
                                                   log_writer::opens when = log_writer::opens::throughout) const;

private:
  /// Finds the log of `which`, else the one under the time that an admin rounded up.
  [[nodiscard]] core::result<log_location> find(const core::run_identity& which) const;

  /// Reads a part, and the size of the whole file. Errors: the `errno` of a read.
  tl::expected<core::log_lines, int> read_bounded(const file& log, const log_identity& id, std::uint64_t bytes,
                                                  std::int32_t from_line, const core::log_bounds& bounds);
  /// Reads lines, and keeps marks on the way to them.
  tl::expected<log_part, int> read_lines(const file& log, const log_identity& id, log_mark from, std::int32_t first,
                                         std::size_t bytes_max = answer_bytes_max);
  /// Counts lines from the last known place on, and finds the last ones if it comes to the end.
  tl::expected<counted_lines, int> count(const file& log, const log_identity& id, std::uint64_t bytes,
                                         const wanted_tail& wanted);

  std::shared_ptr<log_place> place_;
  std::uint64_t scan_max_;
  log_marks marks_;
};

} // namespace ringmaster::executor
