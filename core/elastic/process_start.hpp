#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core::elastic {

/// Returns the start of a process, in clock ticks since the boot, from a line of `/proc/PID/stat`; unset: the line has none. A
/// host reports it, and a node compares it before it trusts the number of a process (elastic design §3, P1).
[[nodiscard]] std::optional<std::int64_t> start_ticks_in(std::string_view stat) noexcept;

} // namespace ringmaster::core::elastic
