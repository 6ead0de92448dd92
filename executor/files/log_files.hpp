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
#include "executor/files/log_writer.hpp"

namespace ringmaster::executor {

/// One object per process. Folders are created for the first run of a day: `append` reports a failure.
class log_files final : public actors::job_logs {
public:
  explicit log_files(log_options options) : place_{std::make_shared<log_place>(std::move(options))} {}

  core::result<bool> has(const core::run_identity& which) override;
  /// Reads at most a megabyte. Holds back an unfinished last line until two seconds after the last write. With `bounds` the lines
  /// of the whole file are counted, after the first time only those that were added since.
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
  /// Counts all lines, and finds the last ones.
  tl::expected<counted_lines, int> count(const file& log, const log_identity& id, std::uint64_t bytes,
                                         const wanted_tail& wanted);

  std::shared_ptr<log_place> place_;
  log_marks marks_;
};

} // namespace ringmaster::executor
