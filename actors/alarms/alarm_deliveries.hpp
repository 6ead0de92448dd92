#pragma once

// Messages on their way to people, by channel: the pure state of alarm_actor.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/alarm/alarm_windows.hpp"
#include "core/alarm/alarm_text.hpp"

namespace ringmaster::actors {

/// One message to one place, and the alarms that it tells of.
struct alarm_delivery {
  std::string channel;
  /// For mail.
  std::string recipient;
  std::shared_ptr<const core::alarm_message> message;
  std::string message_id;
  std::vector<core::intent_id> alarms;
  std::chrono::steady_clock::time_point since{};
  std::chrono::steady_clock::time_point next_try{};
  unsigned failures = 0;
  bool sending = false;
};

/// Every channel for itself: one that hangs has its own few places and holds up no other.
class alarm_deliveries {
public:
  using clock = std::chrono::steady_clock::time_point;

  /// Of one channel at once.
  static constexpr std::size_t on_their_way_max = 4;

  std::uint64_t add(alarm_delivery delivery);

  /// Marks as sending what may go now, channel by channel, oldest first.
  [[nodiscard]] std::vector<std::uint64_t> start(clock now);

  /// Null: nothing of that number (a former life's).
  [[nodiscard]] alarm_delivery* find(std::uint64_t number);

  /// It was refused for now. False: it was tried long enough, and is over.
  [[nodiscard]] bool again(alarm_delivery& delivery, clock now, std::chrono::hours patience);

  /// It is over.
  [[nodiscard]] alarm_delivery take(std::uint64_t number);

  /// Of one channel, sending or not.
  [[nodiscard]] std::size_t waiting(const std::string& channel) const;
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  void clear();

private:
  void free_place(alarm_delivery& delivery);

  struct load {
    std::size_t sending = 0;
    std::size_t all = 0;
  };
  std::map<std::uint64_t, alarm_delivery> all_;
  std::map<std::string, load> channels_;
  std::uint64_t last_ = 0;
};

/// What a channel's limit kept back, for one lane.
struct alarm_summary {
  std::string channel;
  std::string recipient;
  /// Those whose end waits for the summary.
  std::vector<core::intent_id> alarms;
  std::map<core::job_id, core::suppressed_job> jobs;
  std::uint64_t count = 0;
  core::log_id first{};
};

} // namespace ringmaster::actors
