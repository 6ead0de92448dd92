#include "apps/process/logging.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include "core/text/one_line.hpp"

namespace ringmaster::apps {

namespace {

/// Returns the length of the leading fields of a message: `job=7 run=123 …`, lowercase names, values without spaces.
std::size_t end_of_fields(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    auto at = end;
    while (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || text[at] == '_'))
      ++at;
    const auto value = at + 1;
    if (at == end || at >= text.size() || text[at] != '=')
      return end;
    const auto blank = std::min(text.find(' ', value), text.size());
    if (blank == value)
      return end;
    end = std::min(blank + 1, text.size());
  }
  return end;
}

/// Formats the leading fields and the rest of a message as JSON members: `,"job":7,"run":123,"message":"…"`.
class json_text_flag : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    std::string_view text{message.payload.data(), message.payload.size()};
    auto fields = text.substr(0, end_of_fields(text));
    text.remove_prefix(fields.size());
    while (!fields.empty()) {
      const auto equals = fields.find('=');
      const auto end = std::min(fields.find(' '), fields.size());
      append(out, ",\"");
      append(out, fields.substr(0, equals));
      append(out, "\":");
      append_value(out, fields.substr(equals + 1, end - equals - 1));
      fields.remove_prefix(std::min(end + 1, fields.size()));
    }
    append(out, ",\"message\":");
    append_text(out, text);
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<json_text_flag>(); }

private:
  static void append(spdlog::memory_buf_t& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }
  static void append_text(spdlog::memory_buf_t& out, std::string_view text) {
    append(out, nlohmann::json(std::string{text}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  /// Writes ids as numbers, so that log tools can compare them.
  static void append_value(spdlog::memory_buf_t& out, std::string_view value) {
    const auto digits = value.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits && value.size() < 19 && (value.size() == 1 || value.front() != '0'))
      append(out, value);
    else
      append_text(out, value);
  }
};

/// Formats the message on one line: untrusted control characters become C escapes.
class plain_text_flag : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const auto line = core::one_line({message.payload.data(), message.payload.size()});
    out.append(line.data(), line.data() + line.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<plain_text_flag>(); }
};

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

/// Writes lines to standard error and never blocks on a slow reader. It drops lines that a full pipe does not accept and reports
/// their number once there is room. Uses colours on a terminal.
class log_sink final : public spdlog::sinks::base_sink<std::mutex> {
private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    std::string line{formatted.data(), formatted.size()};
    if (coloured_ && message.color_range_end > message.color_range_start) {
      line.insert(message.color_range_end, "\033[0m");
      line.insert(message.color_range_start, colour_of(message.level));
    }
    if (dropped_ > 0 || broken_) {
      const auto lost =
        (broken_ ? "\n" : "") + std::to_string(dropped_) + " log lines were dropped: standard error was not read\n";
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
  void flush_() override {}

  /// Returns false when a part of the text was lost.
  bool write(std::string_view text) {
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

  bool coloured_ = ::isatty(STDERR_FILENO) == 1;
  std::uint64_t dropped_ = 0;
  /// The last line was cut.
  bool broken_ = false;
};

} // namespace

actors::logger make_logger(const config::log_settings& settings) {
  auto sink = std::make_shared<log_sink>();
  auto log = std::make_shared<spdlog::logger>("ringmaster", std::move(sink));
  log->set_level(spdlog::level::from_str(settings.level));
  const auto json = settings.format == "json";
  auto formatter =
    std::make_unique<spdlog::pattern_formatter>(json ? spdlog::pattern_time_type::utc : spdlog::pattern_time_type::local);
  if (json)
    formatter->add_flag<json_text_flag>('*').set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l"%*})");
  else
    formatter->add_flag<plain_text_flag>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-8l%$ %*");
  log->set_formatter(std::move(formatter));
  return log;
}

} // namespace ringmaster::apps
