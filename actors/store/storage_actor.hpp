#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/logger.hpp"
#include "actors/store/failed_runs.hpp"
#include "actors/store/ignored_callbacks.hpp"
#include "actors/store/marks_keeper.hpp"
#include "actors/store/store_access.hpp"
#include "actors/store/store_metrics.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Which worker does what. The same worker may stand in several places: SQLite has one writer for all three.
struct storage_workers {
  protocol::store_worker claims;
  protocol::store_worker records;
  protocol::store_worker control;
};

/// The firing path's door to the store. Batches naturally: whatever queued while a worker was busy is its next batch, at most
/// `rows_max` rows. A worker gets one task at a time, control transactions first, then claims and records in turn, then what can
/// wait.
///
/// Nothing that was accepted is dropped: a batch that meets `unavailable` is repeated with back-off until the store has answered;
/// a refused one loses the refused run alone. Knows which claims are open in memory and deletes them in bulk once all their runs
/// are recorded.
///
/// Twice a second it compares that with the open claims that the store has for this life: one that nobody works on (a claim that
/// was kept although its answer was a refusal, a result that the store refused) goes to recovery.
class storage_actor_state {
public:
  static inline const char* name = "ringmaster.storage_actor";

  /// A callback beyond so many unrecorded ones is refused: its sender keeps it and repeats.
  static constexpr std::size_t callbacks_max = 200'000;

  storage_actor_state(protocol::storage_actor::pointer self, storage_workers workers, std::size_t rows_max,
                      protocol::wall_clock clock, logger log, std::shared_ptr<marks_keeper> marks = nullptr);
  protocol::storage_actor::behavior_type make_behavior();

private:
  enum class work : std::uint8_t { claim, record };

  /// One worker: what it may do, and when it may be tried again after a failure.
  struct client {
    protocol::store_worker worker;
    bool takes_claims = false;
    bool takes_records = false;
    bool takes_control = false;
    bool busy = false;
    work last = work::record;
    std::chrono::milliseconds back_off{0};
    /// What it could not do when it was last tried; empty: it could.
    std::string trouble{};
    caf::actor_clock::time_point not_before{};
  };

  struct control_task {
    protocol::store_task task;
    caf::typed_response_promise<void> promise;
    caf::actor_clock::time_point since{};
  };

  struct waiting_callbacks {
    std::vector<core::callback> items;
    caf::typed_response_promise<protocol::callbacks_stored> promise;
  };

  /// The way back to whoever sent a callback_batch, shared by its items: answered when the last of them is durable or refused.
  struct callback_answer {
    caf::typed_response_promise<protocol::callbacks_stored> promise;
    std::size_t open = 0;
    std::optional<core::error> refusal;

    void done();
    void refuse(const core::error& why);
  };

  /// A claim of which recovery was told.
  struct told_stray {
    int times = 0;
    /// When it may be told again.
    caf::actor_clock::time_point next{};
  };

  struct record_task {
    core::record_batch batch;
    /// One for each callback of the batch.
    std::vector<std::shared_ptr<callback_answer>> answers;
    /// How long it has waited the last time because another transaction holds the rows of its runs; zero: not yet.
    std::chrono::milliseconds held_for{0};
  };

  /// A record task that waits for rows that another transaction holds.
  struct held_record {
    std::shared_ptr<record_task> task;
    caf::actor_clock::time_point again{};
  };

  void take(std::vector<core::trigger_result>&& results);
  caf::result<protocol::callbacks_stored> accept(protocol::callback_batch&& batch);
  caf::result<void> accept(protocol::store_task&& task);
  void open(const protocol::claims_opened& opened);
  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void measure(store_work what, std::size_t rows, caf::actor_clock::time_point since, const core::error* failure) const;

  void pump();
  void give_work(client& at);
  bool start_control(client& at);
  bool start_patient(client& at);
  void run_control(client& at, control_task&& next);
  [[nodiscard]] bool patience_ended() const;
  bool start_claim(client& at);
  bool start_record(client& at);
  [[nodiscard]] bool record_waits() const noexcept;
  [[nodiscard]] record_task next_record();
  void run_claim(client& at, std::shared_ptr<protocol::claim_request> request);
  void run_record(client& at, std::shared_ptr<record_task> task);
  void claimed(const std::shared_ptr<protocol::claim_request>& request, core::result<core::claim_outcome>&& outcome);
  void recorded(const std::shared_ptr<record_task>& task, core::result<core::record_outcome>&& outcome);
  void hold(record_task& task, const std::vector<core::log_id>& locked);
  void release_held();
  void refused(record_task& task, const core::error& why);
  [[nodiscard]] static std::optional<core::log_id> middle_of(const core::record_batch& batch);
  template <class Wanted>
  [[nodiscard]] static record_task take_out(record_task& rest, Wanted wanted);
  void resolve(const std::vector<core::trigger_result>& triggers);
  /// One run less of an open claim; `recorded` false: it is not settled in the store, and so the claim must stay there.
  void close_run(std::int64_t claim, bool recorded);
  void closed(const record_task& task);
  void look_for_strays();
  void compare(const std::vector<std::int64_t>& stored);
  void tell_stray(std::int64_t claim, protocol::stray_claims& strays);
  /// True when the failure was `unavailable` and the client shall try again later.
  [[nodiscard]] protocol::node_status status() const;
  bool must_repeat(client& at, const core::error* failure, const char* what);
  [[nodiscard]] core::time_point now() const;

  protocol::storage_actor::pointer self_;
  std::size_t rows_max_;
  protocol::wall_clock clock_;
  logger log_;
  std::shared_ptr<marks_keeper> marks_;
  std::vector<client> workers_;
  std::optional<protocol::intent_listener> intents_;
  protocol::stray_listener strays_;
  protocol::run_end_listener ends_;
  core::node_incarnation life_;
  /// `life_` goes on.
  bool alive_ = false;
  /// Java admins read what is recorded.
  bool shared_ = false;

  std::deque<control_task> control_;
  std::deque<control_task> patient_;
  std::deque<std::shared_ptr<protocol::claim_request>> claims_;
  std::deque<core::trigger_result> triggers_;
  std::deque<waiting_callbacks> callbacks_;
  std::size_t callbacks_waiting_ = 0;
  /// Results of runs that no open claim of this life holds: a former life sent them.
  std::deque<core::trigger_result> former_triggers_;
  /// Record batches whose transaction failed, or parts of one that was refused: repeated before anything new.
  std::deque<std::shared_ptr<record_task>> repeated_records_;
  /// In no order; few.
  std::vector<held_record> held_records_;

  /// Claims of this life that are open: how many of their runs are unresolved.
  std::unordered_map<std::int64_t, std::uint32_t> open_claims_;
  /// Of these, and of those that were, a run is not recorded although nobody works on it.
  std::unordered_set<std::int64_t> incomplete_claims_;
  /// Claims that are waiting for their answer.
  std::unordered_set<std::int64_t> asked_claims_;
  /// Claims whose answer was that nothing was kept.
  std::unordered_set<std::int64_t> refused_claims_;
  /// Claims of the last look that the store had and nobody else.
  std::unordered_set<std::int64_t> suspects_;
  std::unordered_map<std::int64_t, told_stray> told_strays_;
  bool looking_ = false;
  caf::actor_clock::time_point next_look_{};
  std::vector<std::int64_t> resolved_;
  /// These, and those whose deletion is under way.
  std::unordered_set<std::int64_t> closing_claims_;
  caf::actor_clock::time_point resolved_since_{};
  store_metrics metrics_;
  failed_run_lines failures_;
};

} // namespace ringmaster::actors
