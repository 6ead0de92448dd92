#include "gateway/exchange/http_metrics.hpp"

#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/metric_registry.hpp>

namespace ringmaster::gateway {

http_metrics::http_metrics(caf::actor_system& system) {
  auto& registry = system.metrics();
  requests_ = registry.counter_family("ringmaster", "http-requests", {"route", "code"}, "Answered requests.", "1", true);
  reply_time_ = registry.counter_family<double>("ringmaster", "http-reply-time", {"route"},
                                                "Time from a request's arrival to its reply.", "seconds", true);
  callback_items_ = registry.counter_singleton("ringmaster", "callback-items", "Results that executors reported.", "1", true);
  callback_items_skipped_ =
    registry.counter_singleton("ringmaster", "callback-items-skipped", "Reported results that name no run.", "1", true);
  callback_items_unanswered_ = registry.counter_singleton(
    "ringmaster", "callback-items-unanswered", "Reported results that are not known to be stored.", "1", true);
  auto* refused =
    registry.counter_family("ringmaster", "executors-refused", {"reason"}, "Refused requests of executors.", "1", true);
  for (std::size_t why = 0; why < refused_for_names.size(); ++why) {
    const std::string name{refused_for_names[why]};
    refused_[why] = refused->get_or_add({{"reason", name}});
  }
}

void http_metrics::count_refused(refused_for why) const { refused_[static_cast<std::size_t>(why)]->inc(); }

void http_metrics::count_reply(std::string_view route, const std::string& code, std::chrono::steady_clock::duration took) const {
  const std::string label{route};
  requests_->get_or_add({{"route", label}, {"code", code}})->inc();
  reply_time_->get_or_add({{"route", label}})->inc(std::chrono::duration<double>(took).count());
}

void http_metrics::count_callbacks(std::size_t taken, std::size_t skipped) const {
  // CAF treats inc(0) as an error.
  if (taken != 0)
    callback_items_->inc(static_cast<std::int64_t>(taken));
  if (skipped != 0)
    callback_items_skipped_->inc(static_cast<std::int64_t>(skipped));
}

void http_metrics::count_unanswered(std::size_t items) const {
  if (items != 0)
    callback_items_unanswered_->inc(static_cast<std::int64_t>(items));
}

void append_transport_metrics(std::string& out, const transport_counters& counters) {
  auto append = [&out](std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ").append(type);
    out.append("\n").append(name).append(" ").append(std::to_string(value)).append("\n");
  };
  append("ringmaster_http_connections_open", "gauge", "Open connections of clients.", counters.connections_open);
  append("ringmaster_http_connections_refused_total", "counter", "Connections refused beyond server.connections_max.",
         counters.connections_refused);
  append("ringmaster_http_requests_received_total", "counter", "Requests that were received completely.", counters.requests);
  append("ringmaster_http_body_waits_total", "counter", "Waits for room below server.buffered_bytes_max.", counters.body_waits);
  append("ringmaster_http_tls_handshakes_failed_total", "counter", "Failed TLS handshakes of clients.",
         counters.handshakes_failed);
  append("ringmaster_executor_calls_total", "counter", "Calls to executors.", counters.calls);
  append("ringmaster_executor_calls_ended_total", "counter", "Calls to executors that ended, successfully or not.",
         counters.calls - counters.calls_in_flight);
}

} // namespace ringmaster::gateway
