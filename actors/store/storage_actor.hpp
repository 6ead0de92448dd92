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

/// Workers by task. One worker may have several tasks: SQLite has one writer for all three.
struct storage_workers {
  protocol::store_worker claims;
  protocol::store_worker records;
  protocol::store_worker control;
};

/// Actor through which the firing path accesses the store. It batches naturally: rows that queue while a worker is busy are its
/// next batch, at most `rows_max` rows. A worker gets one task at a time: control transactions first, then claims and records in
/// turn, then patient tasks.
///
/// Nothing that was accepted is dropped: a batch that meets `unavailable` is repeated with back-off until the store has answered;
/// a refused batch loses only the refused run. The actor knows which claims are open in memory and deletes them in bulk once all
/// their runs are recorded.
///
/// Twice a second it compares these with the open claims that the store has for this incarnation. A claim that no actor works on
/// goes to recovery: one that was kept although its answer was a refusal, or one with a result that the store refused.
class storage_actor_state {
public:
  static inline const char* name = "ringmaster.storage_actor";

  /// Limit of unrecorded callbacks; further ones are refused: their sender keeps and repeats them.
  static constexpr std::size_t callbacks_max = 200'000;

  storage_actor_state(protocol::storage_actor::pointer self, storage_workers workers, std::size_t rows_max,
                      protocol::wall_clock clock, logger log, std::shared_ptr<marks_keeper> marks = nullptr);
  protocol::storage_actor::behavior_type make_behavior();

private:
  enum class work : std::uint8_t { claim, record };

  /// One worker: its tasks, and the time of its next attempt after a failure.
  struct client {
    protocol::store_worker worker;
    bool takes_claims = false;
    bool takes_records = false;
    bool takes_control = false;
    bool busy = false;
    work last = work::record;
    std::chrono::milliseconds back_off{0};
    /// Description of its last failure; empty after a success.
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

  /// Answer to the sender of a callback_batch, shared by its items: sent when the last of them is durable or refused.
  struct callback_answer {
    caf::typed_response_promise<protocol::callbacks_stored> promise;
    std::size_t open = 0;
    std::optional<core::error> refusal;

    void done();
    void refuse(const core::error& why);
  };

  /// Claim that was reported to recovery.
  struct told_stray {
    int times = 0;
    /// Time from which it may be reported again.
    caf::actor_clock::time_point next{};
  };

  struct record_task {
    core::record_batch batch;
    /// One entry for each callback of the batch.
    std::vector<std::shared_ptr<callback_answer>> answers;
    /// Length of its last wait because another transaction holds the rows of its runs; zero: it has not waited.
    std::chrono::milliseconds held_for{0};
  };

  /// Record task that waits for rows that another transaction holds.
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
  /// Counts one run less for an open claim; `recorded` false: the run is not settled in the store, so the claim must stay there.
  void close_run(std::int64_t claim, bool recorded);
  void closed(const record_task& task);
  void look_for_strays();
  void compare(const std::vector<std::int64_t>& stored);
  void tell_stray(std::int64_t claim, protocol::stray_claims& strays);
  [[nodiscard]] protocol::node_status status() const;
  /// Returns true if the failure was `unavailable` and the client must try again later.
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
  /// The incarnation `life_` is running.
  bool alive_ = false;
  /// Java admins read the recorded rows.
  bool shared_ = false;

  std::deque<control_task> control_;
  std::deque<control_task> patient_;
  std::deque<std::shared_ptr<protocol::claim_request>> claims_;
  std::deque<core::trigger_result> triggers_;
  std::deque<waiting_callbacks> callbacks_;
  std::size_t callbacks_waiting_ = 0;
  /// Results of runs that no open claim of this incarnation holds: an earlier one sent them.
  std::deque<core::trigger_result> former_triggers_;
  /// Record batches whose transaction failed, or parts of one that was refused: repeated before anything new.
  std::deque<std::shared_ptr<record_task>> repeated_records_;
  /// In no order; few.
  std::vector<held_record> held_records_;

  /// Open claims of this incarnation, with the number of their unresolved runs.
  std::unordered_map<std::int64_t, std::uint32_t> open_claims_;
  /// Present and former open claims with an unrecorded run that no actor works on.
  std::unordered_set<std::int64_t> incomplete_claims_;
  /// Claims that are waiting for their answer.
  std::unordered_set<std::int64_t> asked_claims_;
  /// Claims whose answer was that nothing was kept.
  std::unordered_set<std::int64_t> refused_claims_;
  /// Claims that in the last search only the store knew.
  std::unordered_set<std::int64_t> suspects_;
  std::unordered_map<std::int64_t, told_stray> told_strays_;
  bool looking_ = false;
  caf::actor_clock::time_point next_look_{};
  std::vector<std::int64_t> resolved_;
  /// Resolved claims, and those whose deletion is under way.
  std::unordered_set<std::int64_t> closing_claims_;
  caf::actor_clock::time_point resolved_since_{};
  store_metrics metrics_;
  failed_run_lines failures_;
};

} // namespace ringmaster::actors
