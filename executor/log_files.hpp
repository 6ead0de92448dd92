#pragma once

// The log files of an executor's runs on disk.

#include <memory>

#include "actors/executor/job_logs.hpp"
#include "executor/log_marks.hpp"
#include "executor/log_place.hpp"
#include "executor/log_writer.hpp"

namespace ringmaster::executor {

/// One for a process. Folders are made when the first run of a day is: `append` says when one
/// cannot be made.
class log_files final : public actors::job_logs {
public:
  explicit log_files(log_options options) : place_{std::make_shared<log_place>(std::move(options))} {}

  core::result<bool> has(core::log_id run, core::time_point log_time) override;
  /// A megabyte at most. A last line without an end is kept back until nothing was written for two seconds.
  core::result<core::log_lines> read(core::log_id run, core::time_point log_time, std::int32_t from_line) override;
  core::result<void> append(core::log_id run, core::time_point log_time, std::string_view text) override;

  /// For the run itself, while it runs. May outlive this.
  [[nodiscard]] std::unique_ptr<log_writer> writer(core::log_id run, core::time_point log_time,
                                                   log_writer::opens when = log_writer::opens::throughout) const;

private:
  [[nodiscard]] file open_log(core::log_id run, core::time_point log_time) const;

  std::shared_ptr<log_place> place_;
  log_marks marks_;
};

} // namespace ringmaster::executor
