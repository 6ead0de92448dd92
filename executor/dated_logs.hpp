#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/log_files.hpp"

namespace ringmaster::executor {

/// The logs as the actors write them: what they say of a run has its time before it, as every line of a handler has.
class dated_logs final : public actors::job_logs {
public:
  explicit dated_logs(std::shared_ptr<log_files> files, core::zone zone) : files_{std::move(files)}, zone_{std::move(zone)} {}

  core::result<bool> has(core::log_id run, core::time_point log_time) override { return files_->has(run, log_time); }
  core::result<core::log_lines> read(core::log_id run, core::time_point log_time, std::int32_t from_line) override {
    return files_->read(run, log_time, from_line);
  }
  core::result<void> append(core::log_id run, core::time_point log_time, std::string_view text) override {
    if (text.empty())
      return files_->append(run, log_time, text);
    return files_->append(run, log_time, zone_.format(system_now()) + " [executor] " + std::string{text});
  }

private:
  std::shared_ptr<log_files> files_;
  core::zone zone_;
};

} // namespace ringmaster::executor
