#pragma once

// Executors that have said hello and must prove that they know an access token.

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/limits/failure_rate_limiter.hpp"
#include "protocol/link_messages.hpp"

namespace ringmaster::actors {

/// Executor that has not proved its token yet.
struct link_guest {
  protocol::link_hello hello;
  /// `protocol::host_key` of the other end of its connection.
  std::string peer_host;
};

/// Challenges that wait for their proofs, each for a limited time and for one proof. Used by one actor.
class link_challenges {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kept_for{5};
  /// Limit beyond which the oldest challenge is forgotten. A connection brings 16 hellos, and up to 256 connections are unproved
  /// at once.
  static constexpr std::size_t pending_max = 8192;

  /// Keeps the guest. Returns the nonce of its challenge, which is never used again.
  [[nodiscard]] protocol::link_key enter(link_guest&& guest, time now);
  /// Removes and returns the guest of this challenge; none if the challenge is unknown, answered before, or too old.
  [[nodiscard]] std::optional<link_guest> take(const protocol::link_key& nonce, time now);

  [[nodiscard]] std::size_t size() const noexcept { return pending_.size(); }

private:
  void forget_old(time now);

  std::map<protocol::link_key, link_guest> pending_;
  /// Challenges in order of arrival, including those already taken.
  std::deque<std::pair<time, protocol::link_key>> order_;
};

/// Wrong proofs by host. Used by one actor.
struct proof_counts {
  core::failure_rate_limiter wrong;
  core::known_tokens right;
};

} // namespace ringmaster::actors
