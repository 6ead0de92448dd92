#pragma once

// Alarms in the store (firing protocol, T5). A failure and its alarm are decided in one transaction: by `firing_store::record`
// when a result makes a run fail, here for runs that other programs marked as failed. An alarm is a row of `rm_intent` of kind
// `alarm` until it is finished: state 2 waits, state 3 is taken by an incarnation of a node. (States 0 and 1 are those of
// requests to run.)

#include <cstddef>
#include <span>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// Store of alarms. Alarms of elastic jobs are rows of `ej_alarm`, with the same states; `elastic_store::write` decides them.
/// Errors as in every role of the store.
class alarm_store {
public:
  virtual ~alarm_store() = default;

  /// Takes up to `limit` alarms for `owner`, oldest first. Takes waiting alarms (of jobs in the owner's slots immediately, of
  /// other jobs after they waited 10 s) and alarms that an ended incarnation had taken. An alarm taken by one incarnation is not
  /// given to another, so each is sent once, or again after a crash. `again` also returns the alarms that `owner` has already
  /// taken, for use after a lost answer. Errors: `fenced`.
  virtual core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again,
                                                              core::time_point now, std::size_t limit) = 0;

  /// Ends alarms that `owner` took: writes their status to the log row if it is still -1 there, and deletes their intents. Alarms
  /// of other owners, and alarms already ended, stay unchanged. Alarms of elastic jobs have no status; with `await_recovery`, an
  /// item that has succeeded since the alarm gets its alarm of kind `recovery` here, another one with its next success.
  virtual core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) = 0;

  /// Performs one step of the sweep for failed runs without a decision: alarm_status 0 (from a Java admin, or written with SQL),
  /// and -1 without one of our alarms 10 minutes after the run ended (from an admin that died). Decides their retry and alarm as
  /// T5 does, for at most `limit` runs, each by a compare-and-set on alarm_status. Reads a bounded stretch of the log, at most
  /// one day back, and continues after it in the next call. `follow_open`: runs that are open when the sweep passes them are
  /// checked again until they end; for databases where other programs record results, too.
  virtual core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) = 0;

  /// Makes an alarm of kind `recovery` for each job that succeeded after an alarm with `await_recovery`, once per job. Checks
  /// `limit` jobs per call, in turn. Returns the number of alarms.
  virtual core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) = 0;
};

} // namespace ringmaster::storage
