#pragma once

// The log files of an executor's runs on disk.

#include <memory>

#include "actors/executor/job_logs.hpp"
#include "executor/files/log_marks.hpp"
#include "executor/files/log_place.hpp"
#include "executor/files/log_writer.hpp"

namespace ringmaster::executor {

/// One for a process. Folders are made when the first run of a day is: `append` says when one
/// cannot be made.
class log_files final : public actors::job_logs {
public:
  explicit log_files(log_options options) : place_{std::make_shared<log_place>(std::move(options))} {}

  core::result<bool> has(const core::run_identity& which) override;
  /// A megabyte at most. A last line without an end is kept back until nothing was written for two seconds.
  core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line) override;
  core::result<void> append(const core::run_identity& which, std::string_view text) override;

  /// For the run itself, while it runs. May outlive this.
  [[nodiscard]] std::unique_ptr<log_writer> writer(const core::run_identity& which,
                                                   log_writer::opens when = log_writer::opens::throughout) const;

private:
  /// That of `which`, else that of an admin that rounded its time up.
  [[nodiscard]] core::result<log_location> find(const core::run_identity& which) const;

  std::shared_ptr<log_place> place_;
  log_marks marks_;
};

} // namespace ringmaster::executor
