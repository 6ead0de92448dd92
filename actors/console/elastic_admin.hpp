#pragma once

#include <random>

#include "actors/logger.hpp"
#include "actors/store/query_workers.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Actor for what users see and order of elastic jobs. A query worker does it; coordinators learn of edits by their revision.
/// Keeps no state between two messages.
class elastic_admin_state {
public:
  static inline const char* name = "ringmaster.elastic_admin";

  /// `director`: wakes at once after an edit; null: it reads the counter of edits.
  elastic_admin_state(protocol::elastic_admin::pointer self, query_workers stores, protocol::elastic_director director,
                      protocol::wall_clock clock, logger log);
  protocol::elastic_admin::behavior_type make_behavior();

private:
  /// Runs a read and replies `Reply{result}`.
  template <class T, class Reply, class UseCase>
  caf::result<Reply> look(UseCase use_case);
  /// Runs an edit and replies `reply(result)`.
  template <class Reply, class UseCase, class Tell>
  caf::result<Reply> edit(core::elastic::elastic_job_id job, const char* what, UseCase use_case, Tell reply);
  caf::result<protocol::elastic_plan_preview> preview(protocol::elastic_plan_query&& asked);
  caf::result<protocol::elastic_edited> set(const protocol::set_elastic_status& order);
  caf::result<protocol::elastic_edited> set(const protocol::set_elastic_item& order);
  caf::result<protocol::elastic_triggered> trigger(protocol::trigger_elastic&& order);

  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::elastic_admin::pointer self_;
  query_workers stores_;
  protocol::elastic_director director_;
  protocol::wall_clock clock_;
  logger log_;
  std::mt19937_64 tokens_;
};

} // namespace ringmaster::actors
