#pragma once

#include <random>
#include <string>

#include "actors/console/declared_files.hpp"
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

  /// `director`: wakes at once after an edit; null: it reads the counter of edits. `files`: the rules of declared files, which
  /// also hold for jobs that users enter.
  elastic_admin_state(protocol::elastic_admin::pointer self, query_workers stores, protocol::elastic_director director,
                      protocol::wall_clock clock, logger log, declared_files files = {});
  protocol::elastic_admin::behavior_type make_behavior();

private:
  /// Runs a read and replies `Reply{result}`.
  template <class T, class Reply, class UseCase>
  caf::result<Reply> look(UseCase use_case);
  /// Runs an edit and replies `reply(result)`. `what`: for the log, if the edit has changed something.
  template <class Reply, class UseCase, class Tell>
  caf::result<Reply> edit(std::string what, UseCase use_case, Tell reply);
  /// Runs an edit of a job.
  template <class UseCase>
  caf::result<protocol::elastic_edited> edit_job(std::string what, UseCase use_case);
  caf::result<protocol::elastic_plan_preview> preview(protocol::elastic_plan_query&& asked);
  caf::result<protocol::elastic_plan_preview> preview(protocol::elastic_draft_query&& asked);
  caf::result<protocol::exported_file> declare(const protocol::elastic_declaration_query& asked);
  caf::result<protocol::elastic_edited> add(protocol::add_elastic&& order);
  caf::result<protocol::elastic_edited> update(protocol::update_elastic&& order);
  caf::result<protocol::elastic_edited> remove(const protocol::remove_elastic& order);
  caf::result<protocol::elastic_edited> set(const protocol::set_elastic_status& order);
  caf::result<protocol::elastic_edited> set(const protocol::set_elastic_item& order);
  caf::result<protocol::elastic_edited> set(const protocol::set_elastic_server& order);
  caf::result<protocol::elastic_edited> restart(const protocol::restart_elastic& order);
  caf::result<protocol::elastic_edited> cancel(const protocol::cancel_elastic_run& order);
  caf::result<protocol::elastic_host_edited> set(const protocol::set_elastic_host& order);
  caf::result<protocol::elastic_triggered> trigger(protocol::trigger_elastic&& order);

  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::elastic_admin::pointer self_;
  query_workers stores_;
  protocol::elastic_director director_;
  protocol::wall_clock clock_;
  logger log_;
  declared_files files_;
  std::mt19937_64 tokens_;
};

} // namespace ringmaster::actors
