#pragma once

// Delays sign-in attempts after too many failures. Pure: time is an argument, and only differences of it count.

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringmaster::core {

/// Rate limiter for sign-in attempts. Counts failures by name and remote address, and by remote address alone. An IPv6 /64
/// network counts as one address. Blanks around a name and the case of its letters a to z are ignored.
///
/// An attempt counts as a failure from its beginning and is taken back if it was none; otherwise all attempts under way could
/// fail at once. A name alone is never delayed, so that an attacker cannot lock out a user. From the fifth failure on, each
/// within 15 minutes of the one before, the wait doubles from one second to 15 minutes; no token bucket has a wait that grows. A
/// whole company may share one address: the limit of an address is higher, falls by one failure a minute, and waits 5 seconds at
/// most.
class login_rate_limiter {
public:
  using time = std::chrono::steady_clock::time_point;
  using wait = std::chrono::steady_clock::duration;

  static constexpr std::size_t failures_of_name = 5;
  static constexpr std::size_t failures_of_remote = 20;
  static constexpr std::chrono::minutes window{15};
  static constexpr std::chrono::seconds wait_min{1};
  static constexpr std::chrono::minutes wait_max{15};
  static constexpr std::chrono::seconds wait_max_of_remote{5};
  /// Highest count of an address. It is free again about 15 minutes after its last failure.
  static constexpr std::size_t failures_of_remote_max = failures_of_remote + 15;
  static constexpr std::chrono::minutes leak{1};
  /// Maximum number of entries; beyond it the oldest are removed.
  static constexpr std::size_t entries_max = 10'000;

  /// Returns the wait before the next attempt; zero: now.
  [[nodiscard]] wait remaining(std::string_view name, std::string_view remote, time now) const;

  /// Counts the beginning of an attempt as a failure. `taken_back` or `succeeded` undoes it.
  void began(std::string_view name, std::string_view remote, time now);

  /// Ends an attempt that was neither a failure nor a success.
  void taken_back(std::string_view name, std::string_view remote);

  /// Forgets the failures of this name from this address. Those of the address stay: otherwise an attacker with a valid account
  /// could clear them.
  void succeeded(std::string_view name, std::string_view remote);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
  /// Limits for one kind of key.
  struct rule {
    std::size_t free;
    std::size_t counted_max;
    wait longest;
    /// True: failures expire one by one. False: all failures expire together.
    bool leaks;
  };
  static constexpr rule of_name{failures_of_name, failures_of_name + 10, wait_max, false};
  static constexpr rule of_remote{failures_of_remote, failures_of_remote_max, wait_max_of_remote, true};

  struct entry {
    std::string key;
    std::size_t failures = 0;
    time last{};
    /// Time of the attempt before `last`.
    time before{};
    /// Time from which failures leak.
    time since{};
  };
  using entries = std::list<entry>;

  [[nodiscard]] wait remaining(const std::string& key, const rule& by, time now) const;
  void count(std::string key, const rule& by, time now);
  void uncount(const std::string& key);
  void forget(const std::string& key);
  /// Returns the number of failures that still count.
  [[nodiscard]] static std::size_t counting(const entry& one, const rule& by, time now) noexcept;
  [[nodiscard]] static wait wait_after(std::size_t failures, const rule& by) noexcept;

  /// Ordered by the latest failure, newest last.
  entries entries_;
  std::unordered_map<std::string_view, entries::iterator> found_;
};

} // namespace ringmaster::core
