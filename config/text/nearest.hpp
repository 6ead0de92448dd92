#pragma once

// Suggestions ("did you mean …?") for unknown names. Internal to config.

#include <span>
#include <string>
#include <string_view>

namespace ringmaster::config {

/// Returns `; did you mean 'x'?` for the closest of `known`; empty if none is close.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string_view> known);

} // namespace ringmaster::config
