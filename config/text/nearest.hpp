#pragma once

// "Did you mean …?" for names that nobody knows. Internal to config.

#include <span>
#include <string>
#include <string_view>

namespace ringmaster::config {

/// `; did you mean 'x'?` for the closest of `known`; empty when none is close.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string_view> known);

} // namespace ringmaster::config
