#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/elastic/elastic_coordinator.hpp"
#include "actors/logger.hpp"
#include "actors/pulse_gate.hpp"
#include "core/cluster/slot_map.hpp"
#include "core/schedule/firing_heap.hpp"
#include "core/zone/zone.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct elastic_director_parts {
  protocol::elastic_writer writer;
  /// On SQLite the worker that storage_actor also uses.
  protocol::store_worker worker;
  /// Zone of schedules whose jobs name none.
  core::zone where;
  /// Interval of reads of edits.
  core::milliseconds edit_poll{500};
  protocol::wall_clock clock;
  logger log;
  /// Null: error handlers notify no users.
  protocol::error_notifier errors = {};
  config::elastic_settings settings = {};
};

/// Actor for the elastic jobs of this node's slots: leases (E0, E15), adoption (E13), edits, and one coordinator for each job. It
/// has the heap and the timer of all coordinators. Before the first elastic job it only reads the edit counter. The store's
/// epochs ensure that a job has one coordinator that can write; this actor only saves attempts.
class elastic_director_state {
public:
  static inline const char* name = "ringmaster.elastic_director";

  /// Interval in which it asks for slots that another node still holds, and for those that the store has refused.
  static constexpr std::chrono::milliseconds lease_every{100};
  static constexpr std::chrono::milliseconds lease_pause{500};
  /// A step of the civil clock by more than this is passed on to the coordinators.
  static constexpr std::chrono::milliseconds clock_step{20};
  static constexpr std::chrono::seconds release_limit{3};

  elastic_director_state(protocol::elastic_director::pointer self, elastic_director_parts parts);
  ~elastic_director_state();
  elastic_director_state(const elastic_director_state&) = delete;
  elastic_director_state& operator=(const elastic_director_state&) = delete;
  protocol::elastic_director::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using job_key = std::int32_t;

  struct held_slot {
    core::elastic::slot_lease lease;
    /// Its jobs have coordinators.
    bool loaded = false;
    /// Another node gets it, or this node stops.
    bool leaves = false;
    /// Jobs of the slot that have a coordinator.
    std::set<job_key> jobs;

    /// A job of the slot that has no coordinator does not exist.
    [[nodiscard]] bool is_served() const noexcept { return loaded && !leaves; }
  };
  struct child {
    protocol::elastic_coordinator actor;
    /// Version of its valid entry in the heap.
    std::uint64_t version = 0;
    /// Number of the list of hosts that it has.
    std::uint64_t view = 0;
    /// It gets each change of free slots; the others before they act.
    bool is_busy = false;
  };
  struct look {
    job_key job = 0;
    std::uint64_t version = 0;
  };
  /// A page of edits.
  struct edits_page {
    std::int64_t revision = 0;
    std::vector<core::elastic::elastic_edit_note> notes;
    /// Jobs with results that other nodes have heard.
    std::vector<core::elastic::elastic_job_id> heard;
  };
  /// Edits up to `seen` are known, and of the next revision the jobs up to `job`.
  struct edit_reads {
    std::optional<std::int64_t> seen;
    core::elastic::elastic_job_id job = core::elastic::elastic_job_id{core::number(core::last_job_id)};
    steady next{};
    bool polling = false;

    /// Returns whether all edits up to `seen` are known, and nothing of the next revision.
    [[nodiscard]] bool is_complete() const noexcept { return seen && core::number(job) == core::number(core::last_job_id); }
  };

  // Incarnations and slots (director_slots.cpp).
  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void forget_everything();
  void end_children();
  /// Slots to take: those of this node without a coordinator for each job, and those of a request without an answer.
  [[nodiscard]] core::slot_set missing_slots() const;
  void take_leases();
  /// Takes slots again whose epochs are lower than those of hosts: these would refuse everything.
  void hear(const protocol::host_epochs& seen);
  void leases_taken(core::result<std::vector<core::elastic::slot_lease>>&& taken);
  void take(const core::elastic::slot_lease& lease);
  void load(core::elastic::elastic_job_id after);
  void loaded(const std::vector<core::elastic::slot_lease>& slots);
  void release_slots(const core::slot_set& which);
  void release_idle();
  [[nodiscard]] caf::result<void> stop();
  void look_whether_stopped();
  /// Asks the store; an answer after the incarnation has no effect.
  template <class T, class UseCase, class Then>
  void ask(UseCase use_case, Then then);

  // Jobs.
  /// Returns the slot of a job if this node has it; null: it does not.
  [[nodiscard]] held_slot* slot_of(job_key job);
  void add(core::elastic::adopted_job&& stored);
  void remove(job_key job);
  /// Removes a job whose slot is to be read again, unless the slot leaves.
  void remove_and_read(job_key job);
  void take_wish(const protocol::coordinator_wish& wish);
  void child_ended(job_key job, const caf::actor_addr& who, const caf::error& reason);
  // Edits (director_edits.cpp).
  void take_pulse(const protocol::pending_work_update& update);
  void poll_due();
  void poll_edits();
  void edits_read(core::result<edits_page>&& page);
  void take_edit(const core::elastic::elastic_edit_note& note);
  void read_new(core::elastic::elastic_job_id job);

  // Hosts.
  void pass_on(protocol::host_view&& view);
  void show_hosts(child& to);
  void pass_on(protocol::host_events&& events);
  void pass_on(const protocol::elastic_inventory& part, const protocol::host_events& from);
  /// Returns whether an event is a result that waits in the inbox for the node of its slot (E14).
  [[nodiscard]] bool is_for_inbox(const protocol::elastic_event& event) const;
  /// Stores results of a batch in the inbox; their receipt follows.
  void deliver(std::vector<core::elastic::inbox_row>&& results, protocol::host_events_done done);
  void pass_on(const protocol::host_notice& notice);

  // Time.
  void tick();
  void arm();
  void call_due();
  [[nodiscard]] bool is_stale(const look& of) const;
  void follow_clock();
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::elastic_director::pointer self_;
  elastic_director_parts parts_;
  std::shared_ptr<coordinator_tools> tools_;
  protocol::watcher watcher_;
  std::optional<core::node_incarnation> life_;
  /// Raised with each incarnation: answers to older questions are stale.
  std::uint64_t generation_ = 0;
  core::slot_set wanted_;
  /// Slots that the store may have given to this node: the request has no answer. Otherwise no node would release a slot that
  /// this node does not get any more.
  core::slot_set unanswered_;
  std::map<std::uint32_t, held_slot> slots_;
  /// Highest epochs that hosts have seen, by slot.
  std::map<std::uint32_t, std::int64_t> seen_epochs_;
  std::unordered_map<job_key, child> jobs_;
  /// An elastic job exists or has existed; before the first one no lease is taken.
  bool active_ = false;
  edit_reads edits_;
  pulse_gate gate_;
  /// Leases are being taken, or their jobs are being read.
  bool loading_ = false;
  std::vector<core::elastic::slot_lease> loading_slots_;
  steady next_lease_{};
  /// Slots that the store did not release are tried again at this moment.
  std::optional<steady> release_again_;
  bool releasing_ = false;
  std::shared_ptr<const protocol::known_hosts> known_;
  /// Number of lists of hosts so far.
  std::uint64_t views_ = 0;
  core::firing_heap<look, steady> looks_;
  std::uint64_t versions_ = 0;
  std::chrono::nanoseconds clock_offset_{0};
  std::optional<steady> armed_;
  std::vector<caf::typed_response_promise<void>> stopped_;
  bool stopping_ = false;
  steady stop_until_{};
};

} // namespace ringmaster::actors
