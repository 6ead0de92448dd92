#pragma once

// The destination of log lines.

#include <cstdint>
#include <mutex>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

namespace ringmaster::apps {

/// Writes lines to standard error and never blocks on a slow reader. It drops lines that a full pipe does not accept and reports
/// their number once there is room. Uses colours on a terminal.
class log_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  log_sink();

private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
  /// Returns false when a part of the text was lost.
  bool write(std::string_view text);

  bool coloured_;
  std::uint64_t dropped_ = 0;
  /// The last line was cut.
  bool broken_ = false;
};

} // namespace ringmaster::apps
