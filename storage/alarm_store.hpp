#pragma once

// Alarms in the store (firing protocol, T5). A failure and its alarm are decided in one transaction, by `firing_store::record`
// where a result makes a run fail, here for runs that others made fail. An alarm is a row of `rm_intent` of kind `alarm` until it
// is finished: state 2 waits, state 3 is taken by a life of a node. (The states 0 and 1 are those of requests to run.)

#include <cstddef>
#include <span>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// Errors as everywhere in the store.
class alarm_store {
public:
  virtual ~alarm_store() = default;

  /// Takes up to `limit` alarms for `owner`, oldest first: those that wait (of jobs of the owner's slots at once, of others once
  /// they waited 10 s), and those that a life took which is over. What one life takes no other has, so each is told once, or
  /// again after a crash. `again` also returns what `owner` has taken already: for after an answer that was lost. Errors:
  /// `fenced`.
  virtual core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again,
                                                              core::time_point now, std::size_t limit) = 0;

  /// Ends alarms that `owner` took: their status stands in the log row, where it is -1 still, and their intents go. Those of
  /// others, or ended before, stay as they are.
  virtual core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) = 0;

  /// One step of the sweep for failed runs that nobody decided about: alarm_status 0 (a Java admin's, or written by hand), and -1
  /// without an alarm of ours 10 minutes after the run ended (of an admin that died). Their retry and alarm are decided as T5
  /// does, at most `limit` of them, each by a compare-and-set on alarm_status. Looks at a bounded stretch of the log, no further
  /// back than a day, and goes on behind it with the next call. `follow_open`: runs that are open when they are passed are looked
  /// at again until they end; for when others record results, too.
  virtual core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) = 0;

  /// Makes an alarm of kind `recovery` for jobs that succeeded after an alarm with `await_recovery`, each once; looks at `limit`
  /// jobs, in turn. Returns how many.
  virtual core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) = 0;
};

} // namespace ringmaster::storage
