#include "apps/process/log_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

#include <poll.h>
#include <unistd.h>

namespace ringmaster::apps {

namespace {

std::string_view colour_of(spdlog::level::level_enum level) {
  switch (level) {
  case spdlog::level::warn: return "\033[33m";
  case spdlog::level::err: return "\033[31m";
  case spdlog::level::critical: return "\033[1;31m";
  default: return "\033[32m";
  }
}

/// Returns whether standard error accepts PIPE_BUF bytes without blocking.
bool has_room() {
  pollfd target{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&target, 1, 0) == 1 && (target.revents & POLLOUT) != 0;
}

} // namespace

log_sink::log_sink() : coloured_{::isatty(STDERR_FILENO) == 1} {}

void log_sink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t formatted;
  formatter_->format(message, formatted);
  std::string line{formatted.data(), formatted.size()};
  if (coloured_ && message.color_range_end > message.color_range_start) {
    line.insert(message.color_range_end, "\033[0m");
    line.insert(message.color_range_start, colour_of(message.level));
  }
  if (dropped_ > 0 || broken_) {
    const auto lost = (broken_ ? "\n" : "") + std::to_string(dropped_) + " log lines were dropped: standard error was not read\n";
    if (!write(lost)) {
      ++dropped_;
      return;
    }
    dropped_ = 0;
    broken_ = false;
  }
  if (!write(line))
    ++dropped_;
}

bool log_sink::write(std::string_view text) {
  const auto whole = text.size();
  while (!text.empty()) {
    const auto written = has_room() ? ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF)) : 0;
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      broken_ = broken_ || text.size() < whole;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace ringmaster::apps
