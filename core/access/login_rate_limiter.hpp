#pragma once

// Who has failed to sign in too often waits. Pure: time is an argument, and only differences of it count.

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringmaster::core {

/// Counts failures by name and remote address, and by remote address alone; of IPv6 the network of 64 bits counts as one address,
/// and blanks around a name and the case of its letters a to z are nothing. An attempt counts as a failure from its beginning,
/// and is taken back when it was none: else as many could fail at once as can be under way. A name alone is never held up: else
/// anybody could lock anybody out. From the fifth failure on, each within a quarter of an hour of the one before, the wait
/// doubles from one second to a quarter of an hour. Behind an address alone may be a whole company: it has more room, loses one
/// failure a minute, and waits 5 seconds at most.
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
  /// Of an address, so that it has room again about a quarter of an hour after the last one.
  static constexpr std::size_t failures_of_remote_max = failures_of_remote + 15;
  static constexpr std::chrono::minutes leak{1};
  /// What is counted at once; beyond it the oldest go.
  static constexpr std::size_t entries_max = 10'000;

  /// How long until the next attempt; zero: now.
  [[nodiscard]] wait remaining(std::string_view name, std::string_view remote, time now) const;

  /// An attempt begins: a failure until one of the other two is called.
  void began(std::string_view name, std::string_view remote, time now);

  /// It was no failure, and no success either.
  void taken_back(std::string_view name, std::string_view remote);

  /// Forgets the failures of this name from there. Those of the address stay: else an account of one's own would clear it.
  void succeeded(std::string_view name, std::string_view remote);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
  /// What one kind of key may.
  struct rule {
    std::size_t free;
    std::size_t counted_max;
    wait longest;
    /// Failures go one by one; else all together when they are old.
    bool leaks;
  };
  static constexpr rule of_name{failures_of_name, failures_of_name + 10, wait_max, false};
  static constexpr rule of_remote{failures_of_remote, failures_of_remote_max, wait_max_of_remote, true};

  struct entry {
    std::string key;
    std::size_t failures = 0;
    time last{};
    /// When it began before that.
    time before{};
    /// From then on failures leak.
    time since{};
  };
  using entries = std::list<entry>;

  [[nodiscard]] wait remaining(const std::string& key, const rule& by, time now) const;
  void count(std::string key, const rule& by, time now);
  void uncount(const std::string& key);
  void forget(const std::string& key);
  /// What of its failures counts still.
  [[nodiscard]] static std::size_t counting(const entry& one, const rule& by, time now) noexcept;
  [[nodiscard]] static wait wait_after(std::size_t failures, const rule& by) noexcept;

  /// The latest failure last.
  entries entries_;
  std::unordered_map<std::string_view, entries::iterator> found_;
};

} // namespace ringmaster::core
