#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/alarm/open_alarm.hpp"

namespace ringmaster::actors {

/// The latest messages to users that this node sent, or failed to send, since it started. A message to one recipient is one
/// entry, with its latest outcome, so that retries to a channel that is down do not displace other messages. In memory only; used
/// by one actor.
class message_history {
public:
  static constexpr std::size_t messages_max = 100;
  /// Limit of the reason why a message was not delivered, because it may quote an answer.
  static constexpr std::size_t detail_bytes_max = 500;

  /// Adds a message, in place of its earlier entry. Cuts its detail; the oldest entry is dropped when there are too many.
  void add(core::sent_message message);

  /// Returns the messages, newest first.
  [[nodiscard]] std::vector<core::sent_message> newest_first() const { return {all_.begin(), all_.end()}; }

private:
  std::deque<core::sent_message> all_;
};

} // namespace ringmaster::actors
