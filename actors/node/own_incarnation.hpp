#pragma once

// The incarnation of this node.

#include <cstdint>
#include <optional>
#include <utility>

#include "core/cluster/cluster_mode.hpp"
#include "core/run/run.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// This node's incarnation and its progress. Invariant: heartbeats are numbered from 1 and the seen revision never decreases
/// within one incarnation. After its end, number, mode and last heartbeat stay those of the newest one. Part of the state of
/// node_actor.
class own_incarnation {
public:
  using steady = protocol::wall_clock::steady;

  void begin(core::node_incarnation&& entered, core::cluster_mode mode, steady now) {
    current_ = std::move(entered);
    mode_ = mode;
    number_ = current_->incarnation;
    beat_ = 0;
    revision_ = 0;
    began_at_ = now;
  }

  /// Ends the incarnation and returns it; unset if there is none.
  std::optional<core::node_incarnation> end() { return std::exchange(current_, std::nullopt); }

  [[nodiscard]] bool is_up() const noexcept { return current_.has_value(); }
  /// Returns the incarnation; unset after its end and before the first one.
  [[nodiscard]] const std::optional<core::node_incarnation>& current() const noexcept { return current_; }

  /// Returns the number of the newest incarnation, also after its end; 0 before the first one.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  [[nodiscard]] core::cluster_mode mode() const noexcept { return mode_; }
  [[nodiscard]] steady began_at() const noexcept { return began_at_; }

  [[nodiscard]] std::int64_t beat() const noexcept { return beat_; }
  /// Returns the number of the next heartbeat.
  [[nodiscard]] std::int64_t next_beat() noexcept { return ++beat_; }

  /// Takes the newest revision of the database. Returns false if edits that this incarnation has seen are gone.
  [[nodiscard]] bool see(std::int64_t revision) noexcept {
    if (revision < revision_)
      return false;
    revision_ = revision;
    return true;
  }

private:
  std::optional<core::node_incarnation> current_;
  std::int64_t number_ = 0;
  core::cluster_mode mode_ = core::cluster_mode::native;
  std::int64_t beat_ = 0;
  /// Newest revision seen in this incarnation.
  std::int64_t revision_ = 0;
  steady began_at_{};
};

} // namespace ringmaster::actors
