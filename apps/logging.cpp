#include "apps/logging.hpp"

#include <memory>

#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

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

} // namespace

actors::logger make_logger(const config::log_settings& settings) {
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>();
  auto log = std::make_shared<spdlog::logger>("ringmaster", std::move(sink));
  log->set_level(spdlog::level::from_str(settings.level));
  log->flush_on(spdlog::level::trace);
  if (settings.format == "json") {
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<json_text_flag>('*').set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
    log->set_formatter(std::move(formatter));
  } else {
    log->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-8l%$ %v");
  }
  return log;
}

} // namespace ringmaster::apps
