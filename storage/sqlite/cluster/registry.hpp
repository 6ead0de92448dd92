#pragma once

#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// Executor groups and registrations.
class registry_role final : public registry_store {
public:
  explicit registry_role(session& own) : own_{own} {}

  core::result<core::registry_state> read() override;
  core::result<void> write(const core::registry_batch& batch, core::time_point now) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::sqlite
