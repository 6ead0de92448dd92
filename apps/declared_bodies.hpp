#pragma once

// Declared files as /api/v1 sends and gets them.

#include "actors/admin/declared_files.hpp"
#include "apps/assembly.hpp"

namespace ringmaster::apps {

/// A longer export is refused: one group of it, or the command, writes that.
inline constexpr std::size_t exported_bytes_max = 8 * 1024 * 1024;

/// The settings are those of `what`: channels that alarms may name, the schedule's zone.
[[nodiscard]] actors::declared_files declared_bodies(const assembled& what);

} // namespace ringmaster::apps
