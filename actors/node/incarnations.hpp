#pragma once

// Incarnations of this node: its own, and one that an earlier process left.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/cluster/cluster_mode.hpp"
#include "core/cluster/node.hpp"
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

/// Decides what a starting node does about an incarnation that its row still shows as up (firing protocol §9): it must not end an
/// incarnation whose process may still send. Pure state of one actor.
class former_incarnation {
public:
  enum class verdict : std::uint8_t {
    /// There is none, its process is gone, or this process lost it: a new incarnation may begin.
    over,
    /// It has not beaten for `dead_after` of this process's clock: it may be fenced like any other node.
    silent,
    /// Another process may be running it.
    goes_on
  };

  /// `process`: as in `core::node_row`. `sole`: no other process uses the database.
  former_incarnation(std::string process, bool sole, std::chrono::nanoseconds dead_after)
    : process_{std::move(process)}, sole_{sole}, dead_after_ns_{dead_after.count()} {}

  /// Judges the node's row, whose read was answered at `now_ns`. `lost`: the newest incarnation of this process, which has ended;
  /// 0: none.
  [[nodiscard]] verdict judge(const core::node_row& row, std::int64_t lost, std::int64_t now_ns) {
    const bool is_ours = sole_ || row.incarnation == lost || (!process_.empty() && row.process == process_);
    if (row.state != core::node_state::up || is_ours) {
      seen_.reset();
      return verdict::over;
    }
    // If this process itself was silent, it could not have seen the other one beat.
    const bool unchanged = seen_ && seen_->incarnation == row.incarnation && seen_->beat == row.beat
                           && now_ns - looked_ns_ < dead_after_ns_;
    looked_ns_ = now_ns;
    if (!unchanged) {
      seen_ = row;
      since_ns_ = now_ns;
    }
    return now_ns - since_ns_ >= dead_after_ns_ ? verdict::silent : verdict::goes_on;
  }

  /// Returns the incarnation that the last judgement found still running.
  [[nodiscard]] const std::optional<core::node_row>& seen() const noexcept { return seen_; }

private:
  std::string process_;
  bool sole_;
  std::int64_t dead_after_ns_;
  std::optional<core::node_row> seen_;
  std::int64_t since_ns_ = 0;
  std::int64_t looked_ns_ = 0;
};

} // namespace ringmaster::actors
