#pragma once

// Jobs whose times are further ahead than their schedules explain, in the whole database.

#include <vector>

#include "core/schedule/schedule_check.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// Returns all such jobs, ordered by id. Jobs whose schedules cannot be planned are left out.
[[nodiscard]] core::result<std::vector<core::far_ahead>> find_far_ahead(storage::store& store, const core::zone& where,
                                                                        core::milliseconds tolerance, core::time_point now);

} // namespace ringmaster::apps
