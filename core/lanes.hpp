#pragma once

// The two lanes of the trigger pool: how many runs may be on their way, and which jobs are slow.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/ids.hpp"
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
};

/// Slots and slow jobs. Owned by one actor; not thread-safe.
class lanes {
public:
  explicit lanes(lane_limits limits) : limits_{limits} {}

  [[nodiscard]] std::uint8_t lane_of(job_id job, time_point now);

  /// Takes `count` slots, all or none. More than a whole window fits only into an empty lane, so that a broadcast to very many
  /// executors is sent at all.
  [[nodiscard]] bool take(std::uint8_t lane, std::size_t count) {
    if (used_[lane] > 0 && used_[lane] + count > limits_.window[lane])
      return false;
    used_[lane] += count;
    return true;
  }

  void give_back(std::uint8_t lane, std::size_t count) { used_[lane] -= std::min(count, used_[lane]); }

  /// How long sending one run of `job` took.
  void took(job_id job, std::chrono::microseconds elapsed, time_point now);

  [[nodiscard]] std::size_t used(std::uint8_t lane) const noexcept { return used_[lane]; }

private:
  void turn_minute(time_point now);

  lane_limits limits_;
  std::array<std::size_t, 2> used_{};
  std::int64_t minute_ = 0;
  std::unordered_map<std::int32_t, std::size_t> slow_sends_;
};

} // namespace ringmaster::core
