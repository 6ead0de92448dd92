#pragma once

// Common parts of all reports.

#include <optional>

#include <nlohmann/json.hpp>

namespace ringmaster::bench {

using json = nlohmann::ordered_json;

[[nodiscard]] double rounded(double value, double digits = 1000);
[[nodiscard]] json machine();
[[nodiscard]] json exit_of(const std::optional<int>& status);

} // namespace ringmaster::bench
