#pragma once

// Lists of addresses in one text, separated by commas, as XXL-JOB stores them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::core {

/// Splits at commas and keeps items unchanged; empty items at the end are dropped, inner ones stay (XXL admin §5.3).
[[nodiscard]] std::vector<std::string> split_addresses(std::string_view list);

/// Joins addresses with commas; NULL when there are none.
[[nodiscard]] std::optional<std::string> join_addresses(const std::vector<std::string>& addresses);

/// Returns `join_addresses` of the addresses that fit into the column.
[[nodiscard]] std::optional<std::string> address_column(const std::vector<std::string>& addresses);

} // namespace ringmaster::core
