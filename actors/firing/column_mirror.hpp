#pragma once

// Keeps XXL's trigger columns in step with Ringmaster's schedule (firing protocol §2, §7.3).

#include <functional>
#include <optional>

#include "actors/logger.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/caf.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// A task of the leader in native mode: round after round through all jobs, in small steps. In shared mode these columns are the
/// schedule. Part of the state of schedule_actor, in whose messages its callbacks run.
class column_mirror {
public:
  using steady = protocol::wall_clock::steady;

  /// `edits_found`: a step found edits that were made directly in the database. `stepped`: a step is done.
  struct callbacks {
    std::function<void()> edits_found;
    std::function<void()> stepped;
  };

  column_mirror(protocol::schedule_actor::pointer self, protocol::storage_actor storage, protocol::wall_clock clock, logger log,
                callbacks then);

  /// Makes the next step if it is due and none is under way.
  void step();

  /// Updates all columns before the node leaves, and calls `then`. No claim may be under way. A failure of the store does not
  /// delay the stop.
  void finish(std::function<void()> then);

  /// Returns the time of the next step; unset while one is under way.
  [[nodiscard]] std::optional<steady> next() const { return busy_ ? std::nullopt : std::optional{next_}; }

private:
  void take(const storage::mirror_step& step);
  void finish_after(core::job_id after, std::function<void()> then);
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }

  protocol::schedule_actor::pointer self_;
  protocol::storage_actor storage_;
  protocol::wall_clock clock_;
  logger log_;
  callbacks then_;
  bool busy_ = false;
  /// The last job that this round has checked.
  core::job_id after_{0};
  steady round_{};
  steady next_{};
};

} // namespace ringmaster::actors
