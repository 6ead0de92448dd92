#pragma once

#include <memory>

#include "core/run/trigger_request.hpp"
#include "executor/files/log_files.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

/// The log file of one run, for handlers and programs. Its first lines were written before.
class run_log final : public job_log {
public:
  run_log(const log_files& files, const core::trigger_request& request,
          log_writer::opens when = log_writer::opens::when_written);

  void line(std::string_view text, const code_place& where) override;
  void raw(std::string_view bytes) override { writer_->raw(bytes); }

private:
  std::unique_ptr<log_writer> writer_;
  /// `job-7`: each job has its own thread while it runs.
  const std::string thread_;
};

} // namespace ringmaster::executor
