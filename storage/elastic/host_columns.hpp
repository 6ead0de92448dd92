#pragma once

// Rows of `ej_node`, for the files that read and write them. For use inside a body.

#include <cstdint>

#include "core/elastic/stored_rows.hpp"
#include "storage/admin/admin_session.hpp"

/// Begin of a SELECT whose rows `host_in` reads.
#define RINGMASTER_HOST_COLUMNS                                                                                          \
  "SELECT num, id, app_name, incarnation, process, folder, boot, pid, pid_ns, start_ticks, ip, labels, capacity, state," \
  " keeper, keeper_inc, keeper_no, change_no, ended_inc, mode FROM ej_node "

namespace ringmaster::storage {

[[nodiscard]] core::elastic::host_row host_in(const sql_rows& row);

/// Locks the number of the last change, which every writer of hosts does first.
void hold_host_changes(admin_session& own);

/// Takes the next number of a change. Its row stays locked, so numbers are in the order of commits.
[[nodiscard]] std::int64_t next_host_change(admin_session& own);

} // namespace ringmaster::storage
