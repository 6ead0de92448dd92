#pragma once

// The log of a run as an spdlog sink, for code that logs with spdlog.

#include <memory>
#include <mutex>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include "executor/job_context.hpp"

namespace ringmaster::executor {

/// Writes messages as lines of a run's log: level and text; the time is the log's own. The place is that of the message
/// (SPDLOG_LOGGER_WARN(log, …)), else the logger's name. Must not be used after the handler has returned.
class run_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit run_sink(job_log& log) : log_{log} {}

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto level = spdlog::level::to_string_view(message.level);
    log_.line(std::string{level.data(), level.size()} + ' ' + std::string{message.payload.data(), message.payload.size()},
              place_of(message));
  }
  void flush_() override {}

  static code_place place_of(const spdlog::details::log_msg& message) {
    const auto& source = message.source;
    if (source.empty() || !source.filename)
      return std::string_view{message.logger_name.data(), message.logger_name.size()};
    return {source.filename, source.funcname ? source.funcname : "", static_cast<unsigned>(source.line)};
  }

  job_log& log_;
};

/// Returns a logger for one run: `auto log = logger_of(context); log->info("{} rows", n);`
[[nodiscard]] inline std::shared_ptr<spdlog::logger> logger_of(job_context& context) {
  return std::make_shared<spdlog::logger>("run", std::make_shared<run_sink>(context.log()));
}

} // namespace ringmaster::executor
