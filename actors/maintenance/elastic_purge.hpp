#pragma once

#include <chrono>
#include <cstddef>

#include "actors/logger.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "core/elastic/history_purge.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Retention of the history of elastic jobs, on the leader: once an hour it walks over old runs, then over old fires and plans,
/// in short steps with longer pauses. Part of the state of report_actor; used only in its messages.
class elastic_purge {
public:
  using steady = caf::actor_clock::time_point;
  using store_access = leader_store<protocol::report_actor::pointer>;

  /// `days`: age from which rows are removed; 0: never. `store` outlives this object.
  elastic_purge(protocol::report_actor::pointer self, store_access& store, std::size_t days, logger log)
    : self_{self}, store_{store}, days_{days}, log_{std::move(log)} {}

  /// Begins again when the leader's task begins or ends. To be called after `leader_store::change`.
  void restart(steady now);
  /// Begins the next step if it is due. `wall`: civil time.
  void work(steady now, core::time_point wall);
  /// Returns whether more steps follow soon.
  [[nodiscard]] bool is_walking() const noexcept { return walking_; }

private:
  void step(steady now);
  void stepped(const core::result<core::elastic::purge_done>& done, steady begun);
  void finish(steady now);

  protocol::report_actor::pointer self_;
  store_access& store_;
  std::size_t days_;
  logger log_;
  steady next_{};
  bool walking_ = false;
  /// The store has not answered the last step yet.
  bool asking_ = false;
  bool runs_done_ = false;
  /// Limit of the present walk: older rows are removed.
  core::time_point before_{};
  core::elastic::purge_place place_;
  std::size_t removed_runs_ = 0;
  std::size_t removed_fires_ = 0;
};

} // namespace ringmaster::actors
