#pragma once

#include "actors/logger.hpp"
#include "actors/store/query_workers.hpp"
#include "core/editing/group_draft.hpp"
#include "core/result.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor for edits and lists of executor groups. A query worker runs them, and registry_monitor reads the groups again after an
/// edit. Keeps no state between two messages.
class group_admin_state {
public:
  static inline const char* name = "ringmaster.group_admin";

  group_admin_state(protocol::group_admin::pointer self, query_workers stores, protocol::registry_monitor registry,
                    protocol::wall_clock clock, logger log);
  protocol::group_admin::behavior_type make_behavior();

private:
  using page = core::page<core::group_record>;

  caf::result<protocol::saved_group> save(protocol::save_group&& command);
  caf::result<void> remove(const protocol::remove_group& command);
  caf::result<protocol::group_page> read(const protocol::group_query& query);
  caf::result<protocol::group_page> list(const protocol::group_page_query& query);
  caf::result<protocol::group_page> visible(const protocol::visible_groups_query& query);

  template <class T, class UseCase>
  caf::result<protocol::group_page> look(UseCase use_case);
  /// Makes registry_monitor read the groups again, also when it is unknown whether the edit was made.
  void edited(const core::error* failure);

  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::group_admin::pointer self_;
  query_workers stores_;
  protocol::registry_monitor registry_;
  protocol::wall_clock clock_;
  logger log_;
};

} // namespace ringmaster::actors
