#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "actors/firing/claim_tracker.hpp"
#include "actors/firing/column_mirror.hpp"
#include "actors/firing/far_ahead_check.hpp"
#include "actors/firing/intent_queue.hpp"
#include "actors/firing/intent_sweep.hpp"
#include "actors/firing/schedule_metrics.hpp"
#include "actors/logger.hpp"
#include "actors/pulse_gate.hpp"
#include "actors/store/store_access.hpp"
#include "config/settings.hpp"
#include "core/limits/growing_waits.hpp"
#include "core/limits/fair_alternator.hpp"
#include "core/limits/retry_pacer.hpp"
#include "core/schedule/schedule_book.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actors that work with the planner.
struct schedule_partners {
  protocol::storage_actor storage;
  protocol::trigger_pool pool;
  protocol::ring_actor ring;
  protocol::registry_monitor registry;
};

/// Actor that plans and claims (the planner). Owns the slots of this node: a heap of next times that it wrote itself or read
/// after an edit. All of it is soft state; the compare-and-set of the claim ensures that an instant is planned once (firing
/// protocol, T1).
///
/// A job goes through it in rounds: due → routed by the pool → claimed by the store → its runs to the ring, its next time back on
/// the heap. At most `claims_in_flight_max` claims are under way, so a burst makes full batches.
class schedule_actor_state {
public:
  static inline const char* name = "ringmaster.schedule_actor";

  static constexpr std::size_t claims_in_flight_max = 2;

  schedule_actor_state(protocol::schedule_actor::pointer self, schedule_partners partners, config::schedule_settings settings,
                       core::zone where, std::string node_host, protocol::wall_clock clock, logger log);
  protocol::schedule_actor::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;
  // The first attempts are still before the instant: most transactions are short.
  static constexpr core::milliseconds lock_wait_min{20};
  static constexpr core::milliseconds lock_wait_max{1'000};

  /// Progress of reading definitions. Every edit up to `seen_revision` is in the book; unset: the first page was not read yet.
  struct definition_reads {
    /// Slots whose jobs are all in the book, and slots whose jobs are being read.
    core::slot_set known_slots = {};
    core::slot_set loading_slots = {};
    std::optional<std::int64_t> seen_revision = {};
    /// The next page of edits begins after this revision, or inside it, after this job.
    std::int64_t polled_revision = 0;
    core::job_id polled_job = core::last_job_id;
    bool loading = false;
    /// Time from which a read that failed is begun again.
    steady next_load = {};
    /// Another node still plans these slots: their jobs are read, and none is planned.
    bool parked = false;
    /// Callers that wait until the jobs of all slots are read.
    std::vector<caf::typed_response_promise<void>> prepared = {};
    bool polling = false;
    /// A hint came during a poll, which may have read before the edit.
    bool poll_again = false;
    steady next_poll{};
    /// Revision of the last pulse; its value when the last poll began; and the highest one that a poll has settled, which may
    /// be above `seen_revision` because edits of other things count, too.
    std::int64_t pulse_revision = 0;
    std::int64_t asked_revision = 0;
    std::int64_t settled_revision = 0;
    pulse_gate gate = {};

    /// Returns whether the book has all edits up to the last pulse.
    [[nodiscard]] bool are_complete() const noexcept {
      return seen_revision && polled_job == core::last_job_id && pulse_revision <= std::max(settled_revision, *seen_revision);
    }
  };

  /// Pacers for candidates that find no slot: instants of schedules, and all other runs. The few of one kind do not wait for the
  /// many of the other.
  struct lane_turns {
    core::retry_pacer instants;
    core::retry_pacer others;
    /// Decides which of the two kinds is first.
    core::fair_alternator shares = {};
  };

  /// Waits of jobs and intents whose rows another transaction held when they were to be claimed.
  struct locked_rows {
    core::growing_waits jobs{lock_wait_min, lock_wait_max};
    core::growing_waits intents{lock_wait_min, lock_wait_max};
    steady next_warning{};
  };

  /// Graceful stops of the planner.
  struct stopping {
    /// Callers that wait until no reserved instant is left to be claimed.
    std::vector<caf::typed_response_promise<void>> finished = {};
    /// A graceful stop is under way: nothing new is claimed.
    bool draining = false;
    std::vector<caf::typed_response_promise<void>> drained = {};
    /// The displayed times of the schedule are being updated, the last step of a drain.
    bool leaving = false;
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  [[nodiscard]] caf::result<void> prepare(const protocol::prepare_slots& next);
  void report_prepared();
  void begin_planning();
  void take_slots(const core::slot_set& slots);
  void forget_everything();
  void forget_claims();

  // Definitions.
  [[nodiscard]] core::slot_set missing_slots() const { return slots_ & ~reads_.known_slots; }
  void load_missing();
  void load(core::job_id after);
  void put_loaded(core::scheduled_job&& read);
  void loaded();
  void hear_hint();
  void take_pulse(const protocol::pending_work_update& update);
  void poll_edits();
  void take_edits(std::vector<core::scheduled_job>&& edits);
  void read_again(std::vector<core::job_id> jobs);
  void read_sources(std::vector<core::job_id> jobs);
  void put(core::scheduled_job&& read);
  void poll_due(steady t);
  void poll_intents();
  void read_intents(std::size_t pages);

  [[nodiscard]] bool syncs_mirror() const;

  // Planning.
  void tick();
  [[nodiscard]] caf::result<void> finish_reserved();
  void report_finished();
  [[nodiscard]] caf::result<void> drain();
  [[nodiscard]] caf::result<void> finish_mirror();
  void report_drained();
  void leave();
  void work();
  void plan_due(core::time_point now);
  [[nodiscard]] core::time_point next_pass(core::time_point look) const;
  void take_intents(std::vector<core::intent>&& intents);
  [[nodiscard]] std::vector<protocol::route_candidate> next_intents();
  [[nodiscard]] core::job_ptr definition_of(core::job_id job) const;
  [[nodiscard]] core::milliseconds lateness_of(const protocol::route_candidate& candidate) const;
  void settle_missed();
  [[nodiscard]] std::vector<core::intent> apply_misfire_policy(std::vector<core::intent>&& ready);
  void route_unknown(std::vector<core::intent>&& intents);
  void route_read(std::vector<core::intent>&& intents, std::vector<core::scheduled_job>&& found);
  void forget(const core::intent& intent);
  void take_refused_intents(const pending_claim& pending, const core::claim_outcome& outcome);
  void take_routed(protocol::routed_batch&& batch);
  void share_room(const protocol::routed_batch& batch);
  void put_off(protocol::route_candidate&& candidate, core::milliseconds wait);
  [[nodiscard]] bool is_stale(const protocol::route_candidate& candidate) const;
  void drop_stale_routes();
  void give_back(protocol::slot_release&& slots);
  void claim_routed();
  [[nodiscard]] core::missed_gap gap_of(const core::job_plan& plan, const core::job_ptr& spec) const;
  void take_claim(protocol::claim_reply&& reply);
  /// Counts the instants that a claim of an earlier incarnation dropped: no other node counts them. Recovery asks about its runs.
  void take_former(const protocol::claim_reply& reply);
  /// Counts the instants that a successful claim dropped or merged: a move that lost is planned again, with its instants. A
  /// repeated claim does not know which moves lost.
  void count_dropped(const pending_claim& pending, const core::claim_outcome& outcome);
  /// Counts and logs the reserved instants that a call of the store dropped.
  void count_dropped(const core::drop_outcome& outcome);
  void take_moves(const pending_claim& pending, const std::vector<core::job_id>& lost, const std::vector<core::job_id>& locked);
  void put_off_locked(const pending_claim& pending, const core::claim_outcome& outcome);
  void refused(pending_claim&& pending, const core::error& why);
  void look_again(core::job_id job, core::milliseconds wait);
  void arm();
  [[nodiscard]] core::time_point now() const;
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }

  protocol::schedule_actor::pointer self_;
  schedule_partners partners_;
  config::schedule_settings settings_;
  std::string node_host_;
  protocol::wall_clock clock_;
  logger log_;
  core::zone where_;
  core::schedule_book book_;
  core::slot_set slots_;
  definition_reads reads_;
  std::optional<core::node_incarnation> incarnation_;
  /// Time at which this node last received slots: instants due before are late because no node planned them.
  core::time_point planning_since_{};
  /// Java admins plan, too: this node claims what was reserved, and plans nothing itself.
  bool shared_ = false;
  /// Raised whenever everything is forgotten: answers to older requests are stale.
  std::int64_t generation_ = 0;
  far_ahead_check far_ahead_;
  column_mirror mirror_;

  /// Intents to route, including all that are on the way (a sweep finds them again until they are claimed).
  intent_queue intents_;
  intent_sweep sweep_;
  /// Jobs of other nodes' slots that were read for intents, until the next sweep: a job that finds no slot is not read each time.
  std::unordered_map<std::int32_t, core::job_ptr> guests_;

  /// Candidates that the pool has not answered yet. Those that wait for probes are not counted: they block nothing.
  std::size_t routing_ = 0;
  std::vector<protocol::routed_job> routed_;
  lane_turns turns_;
  claim_tracker claims_;
  locked_rows locked_;
  /// Time of the last pass over due jobs; whether more was due than fits a claim, or something came back.
  core::time_point last_pass_{};
  bool hurried_ = false;

  stopping stop_;
  std::optional<steady> armed_;
  schedule_metrics metrics_;
};

} // namespace ringmaster::actors
