#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core::elastic {

/// Returns the start of a process in clock ticks since the boot, from the text of /proc/PID/stat; unset: the text has none. A
/// host reports it, and a node of the same machine compares it.
[[nodiscard]] std::optional<std::int64_t> start_ticks_in(std::string_view stat) noexcept;

} // namespace ringmaster::core::elastic
