#pragma once

#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// Nodes and their incarnations.
class cluster_role final : public cluster_store {
public:
  explicit cluster_role(session& own) : own_{own} {}

  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                             const core::entry_terms& entry) override;
  core::result<void> beat(const core::node_incarnation& incarnation, std::int64_t beat, core::time_point wall) override;
  core::result<std::vector<core::node_row>> nodes() override;
  core::result<core::cluster_view> view() override;
  core::result<core::pending_work> find_work(const core::node_incarnation& own) override;
  core::result<core::log_id> next_run_id() override;
  core::result<core::log_id> raise_run_ids(core::log_id highest) override;
  core::result<bool> fence(const core::node_row& seen) override;
  core::result<void> serve(const core::node_incarnation& incarnation, bool serves) override;
  core::result<void> leave(const core::node_incarnation& incarnation) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::sqlite
