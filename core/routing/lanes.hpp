#pragma once

// The two lanes of the trigger pool: limits of concurrent sends in total and per executor, and the jobs that are slow.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/ids.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

inline constexpr std::uint8_t fast_lane = 0;
inline constexpr std::uint8_t slow_lane = 1;

struct lane_limits {
  std::array<std::size_t, 2> window{4096, 1024};
  /// A send that took longer than this is slow.
  milliseconds slow_after{500};
  /// More slow sends than this in a calendar minute put the job into the slow lane until the minute ends (XXL admin §5.2).
  std::size_t slow_count = 10;
  /// Slots for an executor that does not answer. It equals the number of connections to the executor: further runs would only
  /// wait for one.
  std::size_t silent_window = 128;
};

/// Held slots, by lane and executor.
class held_slots {
public:
  using place = std::pair<std::uint8_t, std::string>;

  void add(const planned_run& run) { ++held_[{run.lane, run.address}]; }
  void take_off(const planned_run& run);
  void add(const held_slots& other);
  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  [[nodiscard]] const std::map<place, std::size_t>& held() const noexcept { return held_; }
  friend bool operator==(const held_slots&, const held_slots&) = default;

private:
  std::map<place, std::size_t> held_;
};

/// Result of a request for slots.
enum class lane_room : std::uint8_t {
  taken,
  /// Not enough free slots, for this executor or for all. Sends in progress will soon free some.
  full,
  /// The executor does not answer and has all the slots that it may have meanwhile. Slots become free with its first answer or
  /// with a time limit.
  silent,
};

/// Slots and slow jobs. Owned by one actor; not thread-safe.
///
/// Each executor may use the whole lane, but none may lock the others out. Two rules ensure this:
///
/// - An executor may hold at most `share` times as many slots as are free in the lane (the dynamic threshold by which switches
/// share a buffer: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). A single executor gets 4/5 of the lane,
/// two that fill it get 4/9 each. A hanging one leaves a fifth of the free slots, even at its first burst, before it is known to
/// hang.
/// - An executor that owes answers and has given none for `slow_after` is silent: it may hold `silent_window` slots until it
/// answers or a send to it ends quickly. So a hanging executor does not fill its share again at each instant.
///
/// A broadcast is limited by the first rule only: it goes to all executors or to none, and a hanging one must not block it for
/// the others.
class lanes {
public:
  using steady = std::chrono::steady_clock::time_point;

  static constexpr std::size_t share = 4;

  explicit lanes(lane_limits limits) : limits_{limits} {}

  [[nodiscard]] std::uint8_t lane_of(job_id job, time_point now);

  /// Takes a slot for each run of one candidate, all or none. A number above a limit fits only if no slot is held, so that a
  /// broadcast to very many executors is possible.
  [[nodiscard]] lane_room take(std::uint8_t lane, std::span<const planned_run> runs, steady now);

  void give_back(std::uint8_t lane, const std::string& address, std::size_t count = 1);
  void give_back(const held_slots& slots);

  /// Records that a run leaves for `address` at `when`.
  void sent(const std::string& address, steady when);
  /// Records that a send ended after `elapsed`. An answer ends the executor's silence, and so does any end within `slow_after`:
  /// an executor that refuses connections holds no slot for long.
  void ended(const std::string& address, bool answered, std::chrono::microseconds elapsed, steady now);
  /// Records that the node itself held back a send.
  void withheld(const std::string& address);

  /// Records the time that sending one run of `job` took.
  void took(job_id job, std::chrono::microseconds elapsed, time_point now);

  /// Forgets executors that hold no slots and were not used for `age`.
  void forget_unused(steady now, std::chrono::nanoseconds age);

  [[nodiscard]] std::size_t used(std::uint8_t lane) const noexcept { return used_[lane]; }
  [[nodiscard]] std::size_t window(std::uint8_t lane) const noexcept { return limits_.window[lane]; }
  [[nodiscard]] bool is_silent(const std::string& address, steady now) const;

private:
  struct executor {
    std::array<std::size_t, 2> used{};
    /// Number of sends that have not ended.
    std::size_t owed = 0;
    /// Time since which it owes an answer: its last answer or quick end, or the first send after all had ended.
    steady owes_since{};
    /// True if the last send that ended did so after a silence.
    bool silent = false;
    steady touched{};
  };

  [[nodiscard]] lane_room room_of(std::uint8_t lane, const std::string& address, std::size_t count, bool broadcast,
                                  steady now) const;
  [[nodiscard]] bool is_silent(const executor& of, steady now) const;
  void turn_minute(time_point now);

  lane_limits limits_;
  std::array<std::size_t, 2> used_{};
  std::unordered_map<std::string, executor> executors_;
  std::int64_t minute_ = 0;
  std::unordered_map<std::int32_t, std::size_t> slow_sends_;
};

} // namespace ringmaster::core
