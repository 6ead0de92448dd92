#pragma once

// The two lanes of the trigger pool: how many runs may be on their way, how many of them to one executor, which jobs are slow.

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
  /// Slots for an executor that answers nothing. As many as there are connections to it: more would only wait for one.
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

/// Why there was no slot, if so.
enum class lane_room : std::uint8_t {
  taken,
  /// Too little is free, for this executor or for all: what is on its way will soon make room.
  full,
  /// The executor answers nothing and has all that such a one may have. Room comes with its first answer or with a time limit.
  silent,
};

/// Slots and slow jobs. Owned by one actor; not thread-safe.
///
/// Everybody may have the whole lane, nobody may lock the others out of it. Two rules see to that:
///
/// - An executor may hold at most `share` times as many slots as are free in the lane (the dynamic threshold by which switches
///   share a buffer: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). One alone gets 4/5 of the lane, two
///   that fill it together 4/9 each, and one that hangs leaves a fifth of what it found, even at its first burst, when nobody can
///   know yet that it hangs.
/// - An executor that owes answers and gave no sign of life for `slow_after` is silent: it may hold `silent_window` until it
///   does. So one that hangs does not fill its share at each instant anew.
///
/// A broadcast is held back by the first rule only: it goes to all or to nobody, and one that hangs shall not take it away from
/// the others.
class lanes {
public:
  using steady = std::chrono::steady_clock::time_point;

  static constexpr std::size_t share = 4;

  explicit lanes(lane_limits limits) : limits_{limits} {}

  [[nodiscard]] std::uint8_t lane_of(job_id job, time_point now);

  /// Takes a slot for each run of one candidate, all or none. More than a limit allows fits only where nothing is held, so that a
  /// broadcast to very many executors is sent at all.
  [[nodiscard]] lane_room take(std::uint8_t lane, std::span<const planned_run> runs, steady now);

  void give_back(std::uint8_t lane, const std::string& address, std::size_t count = 1);
  void give_back(const held_slots& slots);

  /// A run leaves for `address` at `when`.
  void sent(const std::string& address, steady when);
  /// What was sent came to its end after `elapsed`. An answer is a sign of life, and so is any end that came soon: who refuses
  /// connections keeps no slot for long.
  void ended(const std::string& address, bool answered, std::chrono::microseconds elapsed, steady now);
  /// What was sent was held back by ourselves.
  void withheld(const std::string& address);

  /// How long sending one run of `job` took.
  void took(job_id job, std::chrono::microseconds elapsed, time_point now);

  /// Forgets executors that hold nothing and were not used for `age`.
  void forget_unused(steady now, std::chrono::nanoseconds age);

  [[nodiscard]] std::size_t used(std::uint8_t lane) const noexcept { return used_[lane]; }
  [[nodiscard]] bool is_silent(const std::string& address, steady now) const;

private:
  struct executor {
    std::array<std::size_t, 2> used{};
    /// Sent and not ended.
    std::size_t owed = 0;
    /// Since when it owes an answer: its last sign of life, or the first send after all had ended.
    steady owes_since{};
    /// The last that ended did so after a silence.
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
