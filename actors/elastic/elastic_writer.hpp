#pragma once

#include <vector>

#include "actors/elastic/elastic_metrics.hpp"
#include "actors/elastic/write_queue.hpp"
#include "actors/logger.hpp"
#include "actors/store/marks_keeper.hpp"
#include "actors/store/store_back_off.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor through which all coordinators of a node write. What queued while its worker was busy is the next transaction. Each
/// message is answered once; a transaction that the store cannot run is repeated unchanged until it can, or until the incarnation
/// is over: then its writes are `fenced`.
class elastic_writer_state {
public:
  static inline const char* name = "ringmaster.elastic_writer";

  /// Interval in which it looks whether a transaction may be repeated.
  static constexpr std::chrono::milliseconds look_every{50};

  /// `worker`: on SQLite the one that storage_actor also uses.
  /// `marks` keeps the marks of run ids; null: no marks are kept.
  elastic_writer_state(protocol::elastic_writer::pointer self, protocol::store_worker worker, protocol::wall_clock clock,
                       logger log, std::shared_ptr<marks_keeper> marks = nullptr);
  protocol::elastic_writer::behavior_type make_behavior();

private:
  using stored = core::result<std::vector<core::elastic::elastic_answer>>;

  void take(protocol::elastic_ops&& message);
  void change_incarnation(const protocol::incarnation_change& change);
  void pump();
  void write();
  void written(stored&& outcome);
  void finish(std::vector<core::elastic::elastic_answer>&& answers);
  void refuse(const core::error& why);
  void answer(write_queue::answers&& all);
  void repeat_later();
  void tick();
  [[nodiscard]] protocol::node_status status() const;

  protocol::elastic_writer::pointer self_;
  protocol::store_worker worker_;
  protocol::wall_clock clock_;
  logger log_;
  std::shared_ptr<marks_keeper> marks_;
  /// Unset: all writes are fenced.
  std::optional<core::node_incarnation> life_;
  write_queue queue_;
  /// Civil time at which the batch under way was begun.
  core::time_point written_at_{};
  /// The worker has the batch under way.
  bool busy_ = false;
  elastic_metrics metrics_;
  store_back_off back_off_;
  core::log_rate_limiter refusals_;
};

} // namespace ringmaster::actors
