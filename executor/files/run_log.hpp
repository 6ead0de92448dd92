#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/run/trigger_request.hpp"
#include "executor/files/log_files.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

/// The log file of one run, for handlers and programs. The caller has written its first lines, or writes them with `note`.
class run_log final : public job_log {
public:
  run_log(const log_files& files, const core::trigger_request& request,
          log_writer::opens when = log_writer::opens::when_written);
  run_log(const log_files& files, const core::run_identity& which, log_writer::opens when);

  void line(std::string_view text, const code_place& where) override;
  void raw(std::string_view bytes) override { writer_->raw(bytes); }
  /// Writes lines of the process about the run, unchanged.
  void note(std::string_view text) { writer_->note(text); }

private:
  std::unique_ptr<log_writer> writer_;
  /// `job-7`: each job has its own thread while it runs.
  const std::string thread_;
};

} // namespace ringmaster::executor
