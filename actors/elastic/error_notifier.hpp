#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "actors/logger.hpp"
#include "core/alarm/error_message.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/notifier.hpp"

namespace ringmaster::actors {

/// Actor that sends the messages of error handlers of elastic jobs: EMAIL, WECHAT, DINGTALK, WEBHOOK. A job has one message in a
/// minute; further failures are counted in the next one. A message is tried once, and what becomes of it is logged: alarms are
/// the durable way to users. The properties of a job are in no log line.
class error_notifier_state {
public:
  static inline const char* name = "ringmaster.error_notifier";

  static constexpr std::chrono::seconds period{1};

  /// `notifier`: null: nothing is sent.
  error_notifier_state(protocol::error_notifier::pointer self, std::shared_ptr<protocol::notifier> notifier, logger log);
  protocol::error_notifier::behavior_type make_behavior();

private:
  using windows = core::elastic::failure_windows<protocol::item_error>;

  void take(protocol::item_error&& failed);
  void tick();
  void arm();
  void send(const windows::report& report);
  void send_one(const std::string& shown, protocol::notice&& what);
  void answered(const protocol::notice_done& done);

  protocol::error_notifier::pointer self_;
  std::shared_ptr<protocol::notifier> notifier_;
  logger log_;
  windows windows_;
  bool armed_ = false;
  /// Messages on their way, as log lines name them, by number.
  std::map<std::uint64_t, std::string> under_way_;
  std::uint64_t last_number_ = 0;
  /// By result: sent, failed, suppressed.
  caf::telemetry::int_counter* sent_;
  caf::telemetry::int_counter* failed_;
  caf::telemetry::int_counter* suppressed_;
};

} // namespace ringmaster::actors
