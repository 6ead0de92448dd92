#pragma once

#include <string_view>

#include <caf/all.hpp>

namespace ringmaster::actors {

/// Counters `ringmaster_alarms_total{channel, result}`: messages that were sent (`sent`), finally failed (`failed`) or are
/// retried (`repeated`); alarms that were included in the message of another one (`suppressed`).
class alarm_metrics {
public:
  explicit alarm_metrics(caf::actor_system& system)
    : alarms_{system.metrics().counter_family("ringmaster", "alarms", {"channel", "result"},
                                              "Messages about failed runs, and alarms grouped into others.", "1", true)} {}

  /// Creates the counters of a channel with the value 0.
  void know(std::string_view channel) {
    const caf::string_view channel_text{channel.data(), channel.size()};
    for (const auto* result : {"sent", "repeated", "failed", "suppressed"})
      alarms_->get_or_add({{"channel", channel_text}, {"result", result}});
  }

  void count(std::string_view channel, std::string_view result, std::uint64_t number = 1) {
    const caf::string_view channel_text{channel.data(), channel.size()};
    const caf::string_view result_text{result.data(), result.size()};
    alarms_->get_or_add({{"channel", channel_text}, {"result", result_text}})->inc(static_cast<std::int64_t>(number));
  }

private:
  caf::telemetry::int_counter_family* alarms_;
};

} // namespace ringmaster::actors
