#pragma once

// Metrics of the gateway in CAF's metric registry: `ringmaster_http_*` and `ringmaster_callback_*` of `/metrics`.

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/auth/refused_executors.hpp"
#include "gateway/transport/transport.hpp"
#include "protocol/caf.hpp"

namespace ringmaster::gateway {

/// Counters of one actor system; cheap to copy, thread-safe.
class http_metrics {
public:
  explicit http_metrics(caf::actor_system& system);

  /// Counts one reply. `code` is XXL's code or the HTTP status, whichever the client decides by; `none` for a request without an
  /// answer.
  void count_reply(std::string_view route, const std::string& code, std::chrono::steady_clock::duration took) const;
  /// Counts reported results; `skipped` of them named no run.
  void count_callbacks(std::size_t taken, std::size_t skipped) const;
  void count_refused(refused_for why) const;
  /// Counts results without an answer: they are not known to be stored.
  void count_unanswered(std::size_t items) const;

private:
  caf::telemetry::metric_family_impl<caf::telemetry::int_counter>* requests_;
  caf::telemetry::metric_family_impl<caf::telemetry::dbl_counter>* reply_time_;
  caf::telemetry::int_counter* callback_items_;
  caf::telemetry::int_counter* callback_items_skipped_;
  caf::telemetry::int_counter* callback_items_unanswered_;
  std::array<caf::telemetry::int_counter*, refused_for_names.size()> refused_{};
};

/// Appends the counters of the transport in Prometheus's text format.
void append_transport_metrics(std::string& out, const transport_counters& counters);

/// Appends the `process_*` series of Prometheus's client libraries that Linux provides; leaves out the others.
void append_process_metrics(std::string& out);

} // namespace ringmaster::gateway
