#pragma once

// Limits that keep a broken job from filling a mailbox: equal failures in a window are one message with a count, and a channel
// has a maximum number of messages a minute. Pure: time is an argument, and only differences of it count.

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

/// Returns the text by which failures are grouped: the codes and the message without its numbers (addresses, ids, times), cut to
/// the part that distinguishes failures.
[[nodiscard]] std::string failure_reason(const log_row& run);
/// Returns the same for an elastic job: the cause, and the message without its numbers.
[[nodiscard]] std::string failure_reason(const elastic_alarm& alarm);

/// Windows of equal failures. The first failure opens a window and is reported at once; later ones wait for the end of the window
/// and are reported together.
class alarm_windows {
public:
  using clock = std::chrono::steady_clock::time_point;
  /// Job and failure reason.
  using key = std::pair<alarm_job, std::string>;

  /// Maximum number of windows of a job, plus one for all other reasons. Messages that each contain a unique id must fill neither
  /// the memory nor the mailbox.
  static constexpr std::size_t per_job_max = 16;

  /// Returns the window in which a failure counts: its own if it exists or may be opened, else the one for all other reasons.
  [[nodiscard]] key key_of(alarm_job job, std::string reason) const;

  /// Returns true if the failure is to be reported now, false if it waits in the window. A window of 0 reports every failure.
  [[nodiscard]] bool open(const key& what, milliseconds window, clock now);

  /// Failures that are reported at the end of a window.
  struct waiting {
    key what;
    /// Ids of the failures that were held with `remember`, in order; the others are only counted.
    std::vector<alarm_id> alarms;
    /// Number of all failures that waited.
    std::uint64_t count = 0;
  };

  /// Adds a failure to the open window. Returns false if the alarm was only counted, because `remember` is false.
  void hold(const key& what, alarm_id alarm, bool remember);

  /// Returns true if the window remembers an alarm.
  [[nodiscard]] bool holds_any(const key& what) const;

  /// Returns the windows that end at or before `now` and have failures to report. They open again, so that a persistent failure
  /// is one message per window. Empty windows are removed.
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

/// Limit of messages in any minute, per lane (a channel; for e-mail, the address).
class alarm_rate {
public:
  using clock = alarm_windows::clock;

  explicit alarm_rate(std::size_t per_minute) : per_minute_{per_minute} {}

  /// Returns true and counts the message if it may be sent now.
  [[nodiscard]] bool take(std::string_view lane, clock now);
  /// Removes lanes without a message in the last minute.
  void forget(clock now);
  void clear() { sent_.clear(); }

private:
  std::size_t per_minute_;
  std::map<std::string, std::deque<clock>, std::less<>> sent_;
};

/// Returns the wait before the next attempt to deliver a message that was temporarily refused: 1 s, 2 s, 4 s … 5 min.
[[nodiscard]] milliseconds alarm_back_off(unsigned failures) noexcept;

/// Maximum time for which delivery of an alarm is attempted.
inline constexpr std::chrono::hours alarm_patience{1};
/// Maximum time while its channel is not configured.
inline constexpr std::chrono::hours unconfigured_patience{24};

} // namespace ringmaster::core
