#pragma once

// Rule of takeovers: what happens to item runs whose host was lost (EJ §8.8 F3, §21.5 R4 and R5).

#include <cstdint>
#include <span>
#include <vector>

#include "core/elastic/host.hpp"

namespace ringmaster::core::elastic {

/// Default of `failover_max`.
inline constexpr std::int32_t failover_max_default = 3;

/// A host that may run items of the job (`find_candidates`), and its load as far as the node knows it.
struct takeover_host {
  host_number host = no_host;
  /// Maximum number of item runs at the same time, of all jobs; at least 0.
  std::int32_t capacity = 0;
  /// Item runs that the host has or was granted, of all jobs; at least 0. At or above `capacity`: no free slot.
  std::int32_t used = 0;
  /// The host has an item run of this job.
  bool runs_job = false;
};

/// An item run that was lost with its host, or an item that still waits for its takeover.
struct lost_item {
  std::int32_t item = 0;
  /// Number of the lost attempt; the regular run is attempt 1.
  std::int32_t attempt = 1;
};

/// Options of the job.
struct takeover_policy {
  bool failover = false;
  /// Maximum number of takeovers of one run; at least 0.
  std::int32_t failover_max = failover_max_default;
};

/// Outcome for one item.
enum class takeover_action : std::uint8_t {
  /// Grant the item to `host`, with the next attempt.
  grant,
  /// No host has a free slot: the item waits, state "wanted".
  wait,
  /// Failover is off: the run is closed as LOST, and the item is idle.
  close_lost,
  /// The run was taken over `failover_max` times: it is closed as FAILED, with an alarm.
  close_failed,
};

struct takeover {
  std::int32_t item = 0;
  takeover_action action = takeover_action::wait;
  /// `no_host` unless the action is `grant`.
  host_number host = no_host;
  /// Attempt that begins with the grant, or that waits for it; otherwise the lost attempt.
  std::int32_t attempt = 1;

  friend bool operator==(const takeover&, const takeover&) = default;
};

/// Decides for each item, in the given order, so the item that has waited longest must be first. Each grant goes to a host with a
/// free slot: hosts without a run of this job first, then the lowest share of used slots, then the order of `hosts`. A grant
/// counts as load for the items after it, so several items spread over the hosts.
[[nodiscard]] std::vector<takeover> decide_takeovers(std::span<const lost_item> lost, std::span<const takeover_host> hosts,
                                                     const takeover_policy& policy);

} // namespace ringmaster::core::elastic
