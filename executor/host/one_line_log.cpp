#include "executor/host/one_line_log.hpp"

#include <string_view>
#include <utility>

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include "core/text/one_line.hpp"

namespace ringmaster::executor {

namespace {

// Without a lock: the other logger has its own.
class one_line_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  explicit one_line_sink(protocol::logger to) : to_{std::move(to)} {}

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (to_->should_log(message.level))
      to_->log(message.time, message.source, message.level,
               core::one_line(std::string_view{message.payload.data(), message.payload.size()}));
  }
  void flush_() override { to_->flush(); }

  protocol::logger to_;
};

} // namespace

protocol::logger one_line_log(protocol::logger to) {
  auto made = std::make_shared<spdlog::logger>(to->name(), std::make_shared<one_line_sink>(to));
  // The other logger decides: its level may change.
  made->set_level(spdlog::level::trace);
  return made;
}

} // namespace ringmaster::executor
