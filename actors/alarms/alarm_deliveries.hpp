#pragma once

// Messages on their way to users, by channel: the pure state of alarm_actor.

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
#include "core/alarm/open_alarm.hpp"

namespace ringmaster::actors {

/// One message to one recipient, and the alarms that it reports.
struct alarm_delivery {
  std::string channel;
  /// Address for mail; empty for other channels.
  std::string recipient;
  std::shared_ptr<const core::alarm_message> message;
  std::string message_id;
  core::message_subject about = {};
  std::vector<core::alarm_id> alarms;
  std::chrono::steady_clock::time_point since{};
  std::chrono::steady_clock::time_point next_try{};
  unsigned failures = 0;
  /// Number of attempts to send it, the present one included.
  unsigned attempts = 0;
  bool sending = false;
};

/// Deliveries by channel: a channel that hangs occupies only its own places and delays no other channel.
class alarm_deliveries {
public:
  using clock = std::chrono::steady_clock::time_point;

  /// Maximum of messages of one channel that are being sent at once.
  static constexpr std::size_t on_their_way_max = 4;

  std::uint64_t add(alarm_delivery delivery);

  /// Returns the deliveries that may be sent now, by age and within the limit of each channel, and marks them as sending.
  [[nodiscard]] std::vector<std::uint64_t> start(clock now);

  /// Returns the delivery; null for an unknown number, e.g. of an earlier incarnation.
  [[nodiscard]] alarm_delivery* find(std::uint64_t number);

  /// Schedules a retry of a refused delivery. Returns false if `patience` is over.
  [[nodiscard]] bool again(alarm_delivery& delivery, clock now, std::chrono::hours patience);

  /// Removes and returns a delivery that has ended.
  [[nodiscard]] alarm_delivery take(std::uint64_t number);

  /// Returns the number of deliveries of one channel, sending or not.
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

/// Messages of one lane that a channel's limit held back.
struct alarm_summary {
  std::string channel;
  std::string recipient;
  /// Alarms whose end waits for the summary.
  std::vector<core::alarm_id> alarms;
  std::map<core::alarm_job, core::suppressed_job> jobs;
  std::uint64_t count = 0;
  /// Names the first of them.
  std::string first;
};

} // namespace ringmaster::actors
