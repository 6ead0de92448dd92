#pragma once

// The lease of the node's own incarnation.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "config/settings.hpp"
#include "protocol/http.hpp"

namespace ringmaster::actors {

/// Time until which this node may claim and send (firing protocol §9), in nanoseconds of CLOCK_BOOTTIME. Invariant: the gate is
/// open only before t_sent(last confirmed heartbeat) + L·0.999 − M, with t_sent taken before the request. Every observer fences
/// later than that. Part of the state of node_actor; the gate is shared with the transport.
class node_lease {
public:
  node_lease(std::shared_ptr<protocol::send_gate> gate, const config::cluster_settings& settings)
    : gate_{std::move(gate)}, length_ns_{length_of(settings)} {}

  /// Takes a heartbeat of the incarnation that the store has confirmed. Opens the gate until the new deadline; returns false
  /// if that has passed already.
  bool confirm(std::int64_t incarnation, std::int64_t sent_ns, std::int64_t now_ns) {
    deadline_ns_ = sent_ns + length_ns_;
    confirmed_ns_ = sent_ns;
    if (has_ended(now_ns))
      return false;
    gate_->open_until(incarnation, deadline_ns_);
    return true;
  }

  /// Closes the gate before the deadline.
  void close() noexcept { gate_->close(); }

  [[nodiscard]] bool has_ended(std::int64_t now_ns) const noexcept { return now_ns >= deadline_ns_; }
  [[nodiscard]] bool is_open(std::int64_t incarnation, std::int64_t now_ns) const noexcept {
    return gate_->open_at(incarnation, now_ns);
  }
  /// Returns the time since the last confirmed heartbeat was sent.
  [[nodiscard]] std::chrono::nanoseconds silent_for(std::int64_t now_ns) const noexcept {
    return std::chrono::nanoseconds{std::max<std::int64_t>(now_ns - confirmed_ns_, 0)};
  }

private:
  static std::int64_t length_of(const config::cluster_settings& settings) noexcept {
    const auto lease = std::chrono::nanoseconds{settings.dead_after}.count();
    return lease - lease / 1000 - std::chrono::nanoseconds{settings.send_margin}.count();
  }

  std::shared_ptr<protocol::send_gate> gate_;
  std::int64_t length_ns_;
  /// Time at which the last confirmed heartbeat was sent.
  std::int64_t confirmed_ns_ = 0;
  std::int64_t deadline_ns_ = 0;
};

} // namespace ringmaster::actors
