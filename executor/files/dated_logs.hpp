#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/files/log_files.hpp"

namespace ringmaster::executor {

/// The logs as the actors write them: adds the time and the run before their lines. So the first line tells whether a log belongs
/// to another run with the same id.
class dated_logs final : public actors::job_logs {
public:
  explicit dated_logs(std::shared_ptr<log_files> files, log_options options)
    : files_{std::move(files)}, options_{std::move(options)} {}

  core::result<bool> has(const core::run_identity& which) override { return files_->has(which); }
  core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line,
                                     const std::optional<core::log_bounds>& bounds = {}) override {
    return files_->read(which, from_line, bounds);
  }
  core::result<void> append(const core::run_identity& which, std::string_view text) override {
    // A file created without a text also names its run.
    const auto had = text.empty() ? files_->has(which) : false;
    if (had && *had)
      return files_->append(which, text);
    return files_->append(which, head_of(options_, which) + std::string{text});
  }

private:
  std::shared_ptr<log_files> files_;
  log_options options_;
};

} // namespace ringmaster::executor
