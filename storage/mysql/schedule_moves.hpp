#pragma once

// The half of T1 that moves schedules.

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "storage/mysql/session.hpp"

namespace ringmaster::storage::mysql {

/// In job order, which is the order of locks.
using move_list = std::vector<const core::schedule_move*>;

/// Points into `batch`.
[[nodiscard]] move_list all_moves(const core::claim_batch& batch);

/// Makes the moves that their guards let through; returns how many. Throws `driver_error`, as the next.
std::uint64_t write_moves(session& own, const move_list& moves, std::int64_t seen_revision);

/// Locks the schedules of a batch: the moves that will succeed. The jobs of the others are added to `lost` in the order of the
/// batch.
[[nodiscard]] move_list lock_moves(session& own, const core::claim_batch& batch, std::vector<core::job_id>& lost);

} // namespace ringmaster::storage::mysql
