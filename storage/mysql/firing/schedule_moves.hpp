#pragma once

// The part of T1 that moves schedules.

#include <cstdint>
#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Moves in job order, which is the order of locks.
using move_list = std::vector<const core::schedule_move*>;

/// Points into `batch`.
[[nodiscard]] move_list all_moves(const core::claim_batch& batch);

/// Makes the moves whose guards allow them; returns their number. Throws `driver_error`, as the next.
std::uint64_t write_moves(session& own, const move_list& moves, std::int64_t seen_revision);

/// Returns whether no other transaction holds a schedule of these moves, and locks them, where the server can tell without
/// waiting but has no UPDATE that does not wait (MySQL 8). Always true elsewhere.
[[nodiscard]] bool are_free(session& own, const move_list& moves);

/// Locks the schedules of a batch and returns the moves that will succeed. Adds the jobs of the others to `lost`, or to `locked`
/// when another transaction holds them, in the order of the batch.
[[nodiscard]] move_list lock_moves(session& own, const core::claim_batch& batch, std::vector<core::job_id>& lost,
                                   std::vector<core::job_id>& locked);

} // namespace ringmaster::storage::mysql
