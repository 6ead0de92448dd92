#pragma once

// Reading and writing what `deploy_plan` reasons about.

#include "storage/deploy_plan.hpp"
#include "storage/sqlite/sqlite_store.hpp"

namespace ringmaster::storage::sqlite {

/// deploy_state.cpp. Inside a transaction.
[[nodiscard]] deploy_state read_deploy_state(connection& db, const std::string& source);

/// deploys.cpp. Inside a write transaction. A plan that writes nothing changes nothing.
void write_deploy_plan(session& session, const deploy_plan& plan, const std::string& source, const core::principal& by,
                       core::time_point now);

} // namespace ringmaster::storage::sqlite
