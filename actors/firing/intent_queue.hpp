#pragma once

// Intents that a node has to route: children, retries, manual runs, and reserved instants.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/run/run.hpp"
#include "core/schedule/firing_heap.hpp"
#include "core/schedule/misfire.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Queue of intents. An intent is known from its arrival until `forget`, also while it is routed and claimed, so that a sweep
/// that finds it again adds nothing. Part of the state of schedule_actor. `t` is always the present of the actor's clock.
class intent_queue {
public:
  using steady = protocol::wall_clock::steady;

  intent_queue(protocol::wall_clock clock, core::milliseconds claim_ahead, core::milliseconds misfire_after)
    : clock_{std::move(clock)}, claim_ahead_{claim_ahead}, misfire_after_{misfire_after} {}

  /// Adds the intents that are unknown. Returns true if there was one.
  bool add(std::vector<core::intent>&& intents, steady t);

  /// Makes an intent known without queueing it. Returns false if it is known.
  bool admit(const core::intent& intent);

  /// Queues a known intent for `when`.
  void defer(core::intent&& intent, steady when) { deferred_.push(when, std::move(intent)); }

  /// Queues a known intent that found no room, or whose row was locked, for `when`. Its lateness no longer counts.
  void put_off(core::intent&& intent, steady when);

  /// Forgets an intent that was claimed, or that a sweep will bring back.
  void forget(const core::intent& intent);

  /// Makes deferred intents ready whose time has come.
  void take_due(steady t);

  /// Removes and returns at most `room` ready intents. Takes from both kinds, instants and others, if more are ready than fit: a
  /// kind is not skipped because the other one was due a moment earlier.
  [[nodiscard]] std::vector<core::intent> take_ready(std::size_t room);

  /// Removes and returns all ready intents if one of them needs a misfire decision; else nothing.
  [[nodiscard]] std::vector<core::intent> take_all_if_missed(steady t);

  /// Adds ready intents at the end of the queue.
  void put_back(std::vector<core::intent>&& intents);

  /// Decides about reserved instants that are misfires by now. What a job has missed is one misfire.
  [[nodiscard]] core::misfire_decision decide(std::vector<core::intent>&& ready, steady t,
                                              const std::function<core::job_ptr(core::job_id)>& spec_of);

  /// Forgets instants that were dropped; a sweep brings back those that were not.
  void forget_dropped(const std::vector<core::dropped_instant>& instants);

  /// Returns true if a reserved instant is known.
  [[nodiscard]] bool has_reserved() const;

  /// Returns the lateness of the oldest ready instant that never found its executor without room. A misfire waits since it was
  /// decided.
  [[nodiscard]] core::milliseconds reserved_lateness(steady t);

  /// Returns the time of the first deferred intent; unset if there is none.
  [[nodiscard]] std::optional<steady> next() const { return deferred_.next(); }

  void clear();

private:
  struct known_intent {
    core::trigger_kind kind{};
    /// Its lateness does not count.
    bool was_put_off = false;
  };

  void wait_for(core::intent&& intent, core::time_point now);
  [[nodiscard]] bool was_put_off(const core::intent& intent) const;

  protocol::wall_clock clock_;
  core::milliseconds claim_ahead_;
  core::milliseconds misfire_after_;
  std::deque<core::intent> ready_;
  /// Intents whose time has not come, that found no lane slot, or that were refused.
  core::firing_heap<core::intent, steady> deferred_;
  std::unordered_map<std::int64_t, known_intent> known_;
  /// Intents that wait as the misfire of their job: each also stands for everything else that the job misses meanwhile.
  core::waiting_misfires misfires_;
};

} // namespace ringmaster::actors
