#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/alarms/alarm_deliveries.hpp"
#include "actors/alarms/log_tails.hpp"
#include "actors/alarms/message_history.hpp"
#include "actors/logger.hpp"
#include "actors/pulse_gate.hpp"
#include "config/settings.hpp"
#include "core/alarm/alarm.hpp"
#include "core/alarm/alarm_windows.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"
#include "protocol/alarm_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/notifier.hpp"
#include "protocol/wall_clock.hpp"

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

/// Actor that notifies users about failed runs. It takes alarms from the store under this node's incarnation, groups equal ones,
/// keeps to the limits of the channels and sends through the notifier. It ends each alarm in the store once every place was
/// notified (2) or given up (3). An alarm is durable until then: after a crash or a lost incarnation it is sent again with the
/// same message id. Invariants: an alarm ends once; no alarm is dropped without being counted in a message that is sent; a
/// channel that hangs delays neither another channel nor any retry.
class alarm_actor_state {
public:
  static inline const char* name = "ringmaster.alarm_actor";

  /// Maximum of alarms in memory; further alarms wait in the store.
  static constexpr std::size_t cases_max = 10'000;
  /// Limit of held alarms; beyond it, alarms that wait for a grouped message are only counted in it and end at once.
  static constexpr std::size_t held_max = 5'000;
  /// Messages that wait for one channel; further messages go into its summary.
  static constexpr std::size_t deliveries_per_channel_max = 1'000;
  static constexpr std::size_t take_limit = 100;
  /// Alarms that one transaction ends; kept small because heartbeats use the same connection.
  static constexpr std::size_t flush_limit = 200;
  static constexpr std::chrono::seconds period{1};

  /// `pool`: leads to executors, for the last log lines; null: messages quote no log.
  alarm_actor_state(protocol::alarm_actor::pointer self, protocol::storage_actor storage, protocol::trigger_pool pool,
                    std::shared_ptr<protocol::notifier> notifier, config::alarm_settings settings, core::language language,
                    protocol::wall_clock clock, logger log);
  protocol::alarm_actor::behavior_type make_behavior();

private:
  using steady = std::chrono::steady_clock::time_point;

  /// Alarm until its end.
  struct alarm_case {
    core::pending_alarm alarm;
    /// Recipients that are still to be notified.
    std::size_t open = 0;
    bool failed = false;
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void take_pulse(const protocol::pending_work_update& update);

  void take();
  void taken(core::result<std::vector<core::pending_alarm>>&& alarms, std::size_t limit);
  void admit(core::pending_alarm&& alarm);
  void hold(const core::alarm_windows::key& what, core::alarm_id alarm);
  void end_windows();
  /// `alarms`: the alarms that the message stands for, all of them in memory.
  void tell(const core::pending_alarm& alarm, std::uint64_t count, const std::vector<core::alarm_id>& alarms);
  /// `log`: the lines of the run's log that the message quotes.
  void tell_places(const core::pending_alarm& alarm, std::uint64_t count, const std::vector<core::alarm_id>& alarms,
                   std::string_view log);
  [[nodiscard]] core::alarm_message message_of(const core::pending_alarm& alarm, std::uint64_t count, core::time_point since,
                                               std::string_view log) const;
  void deliver(const std::string& channel, const std::string& recipient, const core::pending_alarm& alarm, std::uint64_t count,
               const std::shared_ptr<const core::alarm_message>& message, const std::vector<core::alarm_id>& alarms);
  void suppress(const std::string& lane, const std::string& channel, const std::string& recipient,
                const core::pending_alarm& alarm, std::uint64_t count, const std::vector<core::alarm_id>& alarms);
  void send_summaries();

  void send_waiting();
  void answered(const protocol::notice_done& done);
  void close(alarm_delivery&& delivery, bool failed);
  /// Remembers the outcome of an attempt for administrators. `why`: empty when it was delivered.
  void remember(const alarm_delivery& delivery, core::message_outcome outcome, std::string why = {});
  [[nodiscard]] caf::result<protocol::sent_messages> list(const protocol::sent_messages_query& asked) const;

  void end(core::alarm_id alarm, std::int32_t status, bool await_recovery = false);
  void flush();
  void arm();
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::alarm_actor::pointer self_;
  protocol::storage_actor storage_;
  std::shared_ptr<protocol::notifier> notifier_;
  config::alarm_settings settings_;
  core::language language_;
  protocol::wall_clock clock_;
  logger log_;
  alarm_metrics metrics_;

  std::optional<core::node_incarnation> incarnation_;
  /// Number of incarnation changes: answers to requests of an earlier one are ignored.
  std::uint64_t epoch_ = 0;
  bool taking_ = false;
  /// An answer was lost: this incarnation may have taken alarms that it does not know of.
  bool again_ = false;
  bool ending_ = false;
  pulse_gate gate_;
  steady next_tick_{};

  std::map<core::alarm_id, alarm_case> cases_;
  core::alarm_windows windows_;
  core::alarm_rate rate_;
  std::map<std::string, alarm_summary> summaries_;
  alarm_deliveries deliveries_;
  log_tails tails_;
  std::vector<core::alarm_end> ends_;
  /// Survives changes of the incarnation.
  message_history history_;
  /// Id of this node; empty before its first incarnation.
  std::string node_;
};

} // namespace ringmaster::actors
