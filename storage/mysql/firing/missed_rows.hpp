#pragma once

// Rows of the log for instants that the misfire policy dropped.

#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/firing/schedule_moves.hpp"

namespace ringmaster::storage::mysql {

/// Inserts a row for each of `moves` that drops instants, with its row of failed runs and its alarm. Part of T1, after the moves.
[[nodiscard]] std::vector<core::missed_row> insert_missed_rows(session& own, const move_list& moves, std::string_view node_host,
                                                               core::time_point now);

} // namespace ringmaster::storage::mysql
