#pragma once

#include "storage/admin/admin_session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage {

/// Reads of log rows.
class log_role final : public log_store {
public:
  explicit log_role(admin_session& own) : own_{own} {}

  core::result<std::vector<core::log_row>> rows_after(core::log_id after, std::size_t limit) override;
  core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) override;
  using run_groups = core::result<std::vector<std::pair<core::log_id, core::group_id>>>;
  run_groups without_result(std::span<const core::log_id> ids) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
