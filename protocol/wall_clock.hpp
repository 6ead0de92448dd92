#pragma once

// Civil time from an actor's own clock.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include <caf/actor_clock.hpp>

#include "core/time.hpp"

namespace ringmaster::protocol {

/// Returns the system's civil time, cut to the millisecond.
[[nodiscard]] inline core::time_point system_time() {
  return core::time_point{std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now().time_since_epoch())};
}

/// Judgement of a node about its wall clock since the node's start (`core::clock_trust`).
enum class clock_verdict : std::uint8_t {
  /// The database has not answered yet.
  pending,
  /// Not trusted, and never trusted before.
  distrusted,
  /// Trusted once; later doubts stop the planning, but the clock goes on from the last trusted time.
  trusted,
};

/// Clock that adds an offset to CAF's steady clock. The offset is shared: node_actor refreshes it, so that the clock follows a
/// stepped system clock within one heartbeat; tests set it once. Cheap to copy; any thread.
///
/// A clock is in doubt from the start of a node until that node has first trusted it. Its time may then be days off, and is not
/// good enough to store an instant.
class wall_clock {
public:
  using steady = caf::actor_clock::time_point;

  explicit wall_clock(std::chrono::nanoseconds offset) : shared_{std::make_shared<shared>()} { set_offset(offset); }

  /// Follows the system's clock.
  static wall_clock of_system() {
    wall_clock clock{std::chrono::nanoseconds{0}};
    clock.follow_system();
    return clock;
  }

  /// Takes the offset between the two clocks again. Reads the civil clock between two reads of the steady clock, a few times,
  /// because a preemption in between would add to the offset.
  void follow_system() const {
    using std::chrono::nanoseconds;
    auto best = nanoseconds::max();
    for (int i = 0; i < 5 && best > std::chrono::microseconds{20}; ++i) {
      nanoseconds before = steady::clock::now().time_since_epoch();
      nanoseconds civil = std::chrono::system_clock::now().time_since_epoch();
      nanoseconds after = steady::clock::now().time_since_epoch();
      if (after - before >= best)
        continue;
      best = after - before;
      set_offset(civil - before - best / 2);
    }
  }

  /// From the steady clock to civil time.
  void set_offset(std::chrono::nanoseconds offset) const { shared_->offset.store(offset.count(), std::memory_order_relaxed); }

  void set_verdict(clock_verdict verdict) const { shared_->verdict.store(verdict, std::memory_order_release); }
  [[nodiscard]] clock_verdict verdict() const { return shared_->verdict.load(std::memory_order_acquire); }
  [[nodiscard]] bool in_doubt() const { return verdict() != clock_verdict::trusted; }

  /// Civil time at `t`, cut to the millisecond.
  [[nodiscard]] core::time_point at(steady t) const {
    return core::time_point{std::chrono::floor<core::milliseconds>(t.time_since_epoch() + offset())};
  }

  /// The point of the steady clock at which civil time reaches `t`.
  [[nodiscard]] steady when(core::time_point t) const {
    return steady{std::chrono::duration_cast<steady::duration>(std::chrono::nanoseconds{t.time_since_epoch()} - offset())};
  }

private:
  struct shared {
    std::atomic<std::int64_t> offset{0};
    std::atomic<clock_verdict> verdict{clock_verdict::trusted};
  };

  [[nodiscard]] std::chrono::nanoseconds offset() const {
    return std::chrono::nanoseconds{shared_->offset.load(std::memory_order_relaxed)};
  }

  std::shared_ptr<shared> shared_;
};

} // namespace ringmaster::protocol
