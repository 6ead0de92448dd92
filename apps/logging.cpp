#include "apps/logging.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>

#include "apps/log_sink.hpp"

namespace ringmaster::apps {

namespace {

/// The message as a JSON string, with its quotes.
class json_text_flag : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    auto text = nlohmann::json(std::string{message.payload.data(), message.payload.size()})
                  .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<json_text_flag>(); }
};

/// The message on one line, whatever a peer wrote into it: control characters as they are written in C.
class plain_text_flag : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view text{message.payload.data(), message.payload.size()};
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      // The second set of control characters is two bytes long in UTF-8.
      const bool second_set = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
      if (byte == '\n')
        append(out, "\\n");
      else if (byte == '\t' || (byte >= 0x20 && byte != 0x7f && !second_set))
        out.push_back(text[i]);
      else
        append_hex(out, second_set ? static_cast<unsigned char>(text[++i]) : byte);
    }
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<plain_text_flag>(); }

private:
  static void append(spdlog::memory_buf_t& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }
  static void append_hex(spdlog::memory_buf_t& out, unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    append(out, "\\x");
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
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
    formatter->add_flag<json_text_flag>('*').set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
  else
    formatter->add_flag<plain_text_flag>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-8l%$ %*");
  log->set_formatter(std::move(formatter));
  return log;
}

} // namespace ringmaster::apps
