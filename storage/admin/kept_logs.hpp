#pragma once

#include "storage/kept_log_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Logs kept in the database.
class kept_log_role final : public kept_log_store {
public:
  explicit kept_log_role(admin_session& own) : own_{own} {}

  core::result<std::vector<core::pending_log>> pending(core::log_id after, std::size_t limit) override;
  core::result<bool> keep(core::log_id run, std::string_view text, bool cut) override;
  core::result<void> give_up(std::span<const core::log_id> runs) override;
  core::result<std::optional<core::kept_log>> read(core::log_id run, core::job_id job, std::size_t bytes_max) override;
  core::result<std::int64_t> bytes() override;
  core::result<std::int64_t> drop_oldest(std::int64_t bytes, std::size_t limit) override;
  core::result<std::size_t> remove_dropped(std::size_t limit) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
