#pragma once

#include <memory>

#include "core/trigger_request.hpp"
#include "executor/job_log.hpp"
#include "executor/log_files.hpp"
#include "executor/script_log.hpp"

namespace ringmaster::executor {

/// The log file of one run, for handlers and for programs.
class run_log final : public job_log, public script_log {
public:
  run_log(const log_files& files, const core::trigger_request& request);

  void line(std::string_view text, const std::source_location& where) override;
  void raw(std::string_view bytes) override { writer_->raw(bytes); }
  void line(std::string_view text) override;
  void bytes(std::string_view output) override { writer_->raw(output); }

private:
  std::unique_ptr<log_writer> writer_;
  /// `job-7`: each job has its thread while it runs.
  const std::string thread_;
};

} // namespace ringmaster::executor
