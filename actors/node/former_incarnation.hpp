#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/cluster/node.hpp"

namespace ringmaster::actors {

/// What a node that begins a life makes of the one that its row says goes on (firing protocol §9): it ends no life whose process
/// may still send. Pure state of one actor.
class former_incarnation {
public:
  enum class verdict : std::uint8_t {
    /// There is none, or its process is gone, or this process lost it itself: a new life may begin.
    over,
    /// It has not beaten for `dead_after` of this process's clock: it may be fenced, as any other node.
    silent,
    /// Another process may be living it.
    goes_on
  };

  /// `process`: as in `core::node_row`. `sole`: there is no other process.
  former_incarnation(std::string process, bool sole, std::chrono::nanoseconds dead_after)
    : process_{std::move(process)}, sole_{sole}, dead_after_ns_{dead_after.count()} {}

  /// Judges the node's row, whose reading was answered at `now_ns`. `lost`: the newest life of this process, which is over; 0:
  /// none.
  [[nodiscard]] verdict judge(const core::node_row& row, std::int64_t lost, std::int64_t now_ns) {
    const bool is_ours = sole_ || row.incarnation == lost || (!process_.empty() && row.process == process_);
    if (row.state != core::node_state::up || is_ours) {
      seen_.reset();
      return verdict::over;
    }
    // After a silence of this process itself it could not have seen the other one beat.
    const bool unchanged = seen_ && seen_->incarnation == row.incarnation && seen_->beat == row.beat
                           && now_ns - looked_ns_ < dead_after_ns_;
    looked_ns_ = now_ns;
    if (!unchanged) {
      seen_ = row;
      since_ns_ = now_ns;
    }
    return now_ns - since_ns_ >= dead_after_ns_ ? verdict::silent : verdict::goes_on;
  }

  /// The life that the last judgement let go on.
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
