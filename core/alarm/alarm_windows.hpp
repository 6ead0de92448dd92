#pragma once

// What keeps a broken job from filling a mailbox: equal failures in a window are one message with a count, and a channel gets so
// many messages a minute. Pure: time is an argument, and only differences of it count.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/alarm/alarm.hpp"

namespace ringmaster::core {

/// What makes two failures of a job the same: the codes and the message without its numbers (addresses, ids, times), cut to what
/// tells them apart.
[[nodiscard]] std::string failure_reason(const log_row& run);

/// Windows of equal failures. The first opens one and is told at once; those that follow wait for its end and are told together.
class alarm_windows {
public:
  using clock = std::chrono::steady_clock::time_point;
  /// Job and reason.
  using key = std::pair<job_id, std::string>;

  /// So many windows has a job, and one more for all other reasons: messages with an id of their own in each must not fill the
  /// memory, nor the mailbox.
  static constexpr std::size_t per_job_max = 16;

  /// Where a failure counts: its own window if there is one or may be, else the one of all other reasons.
  [[nodiscard]] key key_of(job_id job, std::string reason) const;

  /// True: tell it now. False: it waits in the window. A window of 0 tells everything.
  [[nodiscard]] bool open(const key& what, milliseconds window, clock now);

  /// Failures that a window's end tells of.
  struct waiting {
    key what;
    /// So many are remembered one by one, in order; the last is among them.
    std::vector<intent_id> alarms;
    /// All that waited.
    std::uint64_t count = 0;
  };

  /// Adds to the open window; false when the alarm was only counted, because `remember` is false.
  void hold(const key& what, intent_id alarm, bool remember);

  /// Whether the window remembers an alarm.
  [[nodiscard]] bool holds_any(const key& what) const;

  /// Windows that end at or before `now` and have something to tell; they open again, so that a failure that goes on is one
  /// message a window. Empty ones are forgotten.
  [[nodiscard]] std::vector<waiting> ended(clock now);

  [[nodiscard]] std::size_t size() const noexcept { return windows_.size(); }
  void clear() { windows_.clear(); }

private:
  struct window {
    clock ends{};
    milliseconds length{};
    waiting held;
  };
  std::map<key, window> windows_;
};

/// So many in any minute, per lane (a channel, and for mail the address).
class alarm_rate {
public:
  using clock = alarm_windows::clock;

  explicit alarm_rate(std::size_t per_minute) : per_minute_{per_minute} {}

  /// True, and counts: it may go now.
  [[nodiscard]] bool take(std::string_view lane, clock now);
  /// Forgets lanes without a message in the last minute.
  void forget(clock now);
  void clear() { sent_.clear(); }

private:
  std::size_t per_minute_;
  std::map<std::string, std::deque<clock>, std::less<>> sent_;
};

/// How long until the next try of a message that was refused for now: 1 s, 2 s, 4 s … 5 min.
[[nodiscard]] milliseconds alarm_back_off(unsigned failures) noexcept;

/// Nobody tries longer than this to tell of an alarm.
inline constexpr std::chrono::hours alarm_patience{1};
/// The same while its channel is not configured.
inline constexpr std::chrono::hours unconfigured_patience{24};

} // namespace ringmaster::core
