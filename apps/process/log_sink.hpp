#pragma once

// Where log lines go.

#include <cstdint>
#include <mutex>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

namespace ringmaster::apps {

/// Lines to standard error that never wait for whoever reads it: what a full pipe does not take is dropped, and how many were is
/// said once there is room again. Colours for a terminal.
class log_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  log_sink();

private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
  /// False when a part of the text is lost.
  bool write(std::string_view text);

  bool coloured_;
  std::uint64_t dropped_ = 0;
  /// The last line lost its end.
  bool broken_ = false;
};

} // namespace ringmaster::apps
