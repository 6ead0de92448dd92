#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "core/cluster/slot_map.hpp"
#include "core/elastic/stored_rows.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// A slot as an id of a row.
enum class slot_number : std::int32_t {};

/// Returns the slot of a job.
[[nodiscard]] inline std::uint32_t slot_of(core::elastic::elastic_job_id job) {
  return static_cast<std::uint32_t>(core::slot_of(core::job_id{core::number(job)}));
}

/// Returns those of the slots that `owner` holds under the epoch in its memory, and keeps them until the end of the transaction
/// (guard G, after `check_current`).
[[nodiscard]] std::set<std::uint32_t> hold_leases(admin_session& own, const core::node_incarnation& owner,
                                                  std::span<const core::elastic::slot_lease> known);

} // namespace ringmaster::storage
