#pragma once

// Address lists and registrations as columns hold them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/group.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Splits at commas, takes items as they are; empty items at the end vanish, inner ones stay (XXL admin §5.3).
[[nodiscard]] std::vector<std::string> split_addresses(std::string_view list);

/// The inverse; NULL when there are none.
[[nodiscard]] std::optional<std::string> join_addresses(const std::vector<std::string>& addresses);

/// `join_addresses` of those that fit into the column.
[[nodiscard]] std::optional<std::string> address_column(const std::vector<std::string>& addresses);

/// Errors: `invalid_argument` for a registration that cannot be a row (`core::misfit_of`).
[[nodiscard]] core::result<void> check(const core::registry_batch& batch);

} // namespace ringmaster::storage
