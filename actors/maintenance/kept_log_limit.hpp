#pragma once

// Size limit of all kept logs.

#include <cstddef>
#include <cstdint>

#include <caf/telemetry/gauge.hpp>

#include "actors/maintenance/leader_store.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Task of the leader that measures the size of all kept logs from time to time, drops the oldest texts while they are too large,
/// and removes dropped texts in small steps. Invariant: one step at a time is under way, and nothing is dropped before the size
/// was measured for the present excess, because the running sum does not include removals by others. Part of the state of
/// log_keeper, in whose messages its callbacks run; `store` is part of it, too.
class kept_log_limit {
public:
  using steady = caf::actor_clock::time_point;
  using store_access = leader_store<protocol::log_keeper::pointer>;

  kept_log_limit(protocol::log_keeper::pointer self, store_access& store, std::size_t bytes_max);

  /// Called when the leader's task begins or ends, when answers to earlier steps are dropped. The size is measured first.
  void restart();
  /// Makes the next step if it is due and none is under way.
  void step();
  /// Adds the size of a text that was kept.
  void add(std::size_t bytes);

  /// Returns true if more steps follow at once.
  [[nodiscard]] bool is_busy() const noexcept { return removing_ || is_too_much(); }

private:
  void measure();
  void drop_oldest();
  void remove_dropped();
  void set_bytes(std::int64_t bytes);
  [[nodiscard]] bool is_too_much() const noexcept { return bytes_ > bytes_max_; }
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::log_keeper::pointer self_;
  store_access& store_;
  std::int64_t bytes_max_;
  /// A step is under way.
  bool under_way_ = false;
  /// There are dropped texts to remove.
  bool removing_ = false;
  /// `bytes_` was measured again for the present excess.
  bool has_measured_ = false;
  steady next_{};
  steady next_measure_{};
  std::int64_t bytes_ = 0;
  caf::telemetry::int_gauge* shown_bytes_;
};

} // namespace ringmaster::actors
