#pragma once

// Callbacks of earlier runs with the same id, recognised by the dates of log rows.

#include <string_view>

#include "core/run/record_rules.hpp"
#include "storage/rows/datetime_text.hpp"

namespace ringmaster::storage {

/// Removes the callbacks of earlier runs with this id; returns true if there was one. `triggered`: the text of the row's
/// trigger_time in the database's zone. Dates are compared as texts, because an hour that a clock change repeats has each text
/// twice.
[[nodiscard]] bool drop_outdated(core::run_update& update, std::string_view triggered, datetime_text& dates);

} // namespace ringmaster::storage
