#pragma once

// Jobs whose times lie further ahead than their schedules explain, in the whole database.

#include <vector>

#include "core/schedule/schedule_check.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// All of them, in the order of their ids. Jobs whose schedules cannot be planned are left out.
[[nodiscard]] core::result<std::vector<core::far_ahead>> find_far_ahead(storage::store& store, const core::zone& where,
                                                                        core::milliseconds tolerance, core::time_point now);

} // namespace ringmaster::apps
