#include "gateway/http_metrics.hpp"

#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/metric_registry.hpp>

namespace ringmaster::gateway {

http_metrics::http_metrics(caf::actor_system& system) {
  auto& registry = system.metrics();
  requests_ =
    registry.counter_family("ringmaster", "http-requests", {"route", "code"}, "Requests that were answered.", "1", true);
  reply_time_ = registry.counter_family<double>("ringmaster", "http-reply-time", {"route"},
                                                "Time from a request's arrival to its reply.", "seconds", true);
  callback_items_ = registry.counter_singleton("ringmaster", "callback-items", "Results that executors reported.", "1", true);
  callback_items_skipped_ =
    registry.counter_singleton("ringmaster", "callback-items-skipped", "Reported results that name no run.", "1", true);
}

void http_metrics::count_reply(std::string_view route, const std::string& code, std::chrono::steady_clock::duration took) const {
  const std::string label{route};
  requests_->get_or_add({{"route", label}, {"code", code}})->inc();
  reply_time_->get_or_add({{"route", label}})->inc(std::chrono::duration<double>(took).count());
}

void http_metrics::count_callbacks(std::size_t taken, std::size_t skipped) const {
  // inc(0) is an error to CAF.
  if (taken != 0)
    callback_items_->inc(static_cast<std::int64_t>(taken));
  if (skipped != 0)
    callback_items_skipped_->inc(static_cast<std::int64_t>(skipped));
}

} // namespace ringmaster::gateway
