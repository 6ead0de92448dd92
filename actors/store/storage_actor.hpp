#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "actors/logger.hpp"
#include "actors/pulse_gate.hpp"
#include "actors/store/claim_table.hpp"
#include "actors/store/failed_runs.hpp"
#include "actors/store/ignored_callbacks.hpp"
#include "actors/store/marks_keeper.hpp"
#include "actors/store/record_queue.hpp"
#include "actors/store/store_access.hpp"
#include "actors/store/store_back_off.hpp"
#include "actors/store/store_metrics.hpp"
#include "actors/store/store_task_queue.hpp"
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
  using steady = caf::actor_clock::time_point;
  using claim_request_ptr = std::shared_ptr<protocol::claim_request>;

  enum class work : std::uint8_t { claim, record };

  /// One worker, with its tasks.
  struct client {
    protocol::store_worker worker;
    bool takes_claims = false;
    bool takes_records = false;
    bool takes_control = false;
    bool busy = false;
    work last = work::record;
    store_back_off back_off = {};
  };

  void take(std::vector<core::trigger_result>&& results);
  caf::result<protocol::callbacks_stored> accept(protocol::callback_batch&& batch);
  caf::result<void> accept(protocol::store_task&& task);
  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void measure(store_work what, std::size_t rows, steady since, const core::error* failure) const;

  void pump();
  void give_work(client& at);
  void run_control(client& at, waiting_store_task&& next);
  bool start_claim(client& at);
  bool start_record(client& at);
  void run_claim(client& at, claim_request_ptr request);
  void run_record(client& at, record_task_ptr task);
  void claimed(const claim_request_ptr& request, core::result<core::claim_outcome>&& outcome);
  void recorded(const record_task_ptr& task, core::result<core::record_outcome>&& outcome);
  void hold(record_task& task, const std::vector<core::log_id>& locked);
  void refused(const record_task_ptr& task, const core::error& why);
  void close_runs(const std::vector<core::trigger_result>& triggers, bool recorded);
  void closed(const record_task& task);
  void look_for_strays();
  [[nodiscard]] protocol::node_status status() const;
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }
  [[nodiscard]] core::time_point now() const;

  protocol::storage_actor::pointer self_;
  protocol::wall_clock clock_;
  logger log_;
  std::shared_ptr<marks_keeper> marks_;
  std::vector<client> workers_;
  protocol::intent_listener intents_;
  protocol::stray_listener strays_;
  protocol::run_end_listener ends_;
  core::node_incarnation incarnation_;
  /// The incarnation `life_` is running.
  bool alive_ = false;
  /// Java admins read the recorded rows.
  bool shared_ = false;

  store_task_queue tasks_;
  std::deque<claim_request_ptr> requests_;
  record_queue records_;
  claim_table claims_;
  pulse_gate stray_gate_;
  store_metrics metrics_;
  failed_run_lines failures_;
};

} // namespace ringmaster::actors
