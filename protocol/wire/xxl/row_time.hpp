#pragma once

// Dates in rows (XXL admin §8.1). Internal to the codecs.

#include <optional>
#include <string_view>

#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::protocol::wire {

class json_object;

/// Appends `2018-11-03T14:21:31.000+00:00` up to 3.2; `2018-11-03 14:21:31` in `where` since. Null for no value and for the
/// epoch.
void append_time(json_object& row, std::string_view name, std::optional<core::time_point> t, const core::zone& where,
                 dialect which);

} // namespace ringmaster::protocol::wire
