#pragma once

// Address lists and registrations as columns hold them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/group.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Splits at commas, takes items as they are; empty items at the end vanish, inner ones stay (XXL admin §5.3).
[[nodiscard]] std::vector<std::string> split_addresses(std::string_view list);

/// The inverse; NULL when there are none.
[[nodiscard]] std::optional<std::string> join_addresses(const std::vector<std::string>& addresses);

/// `join_addresses` of those that fit into the column.
[[nodiscard]] std::optional<std::string> address_column(const std::vector<std::string>& addresses);

/// `common` and `previous`, as `rm_shown_token.token` has them; nothing for any other text.
[[nodiscard]] std::string_view name_of(core::token_kind kind) noexcept;
[[nodiscard]] std::optional<core::token_kind> shown_kind(std::string_view name) noexcept;

/// Puts what executors showed to their registrations; what is left over goes to `left_tokens`.
void join_tokens(core::registry_state& state, std::vector<core::registration>&& tokens);

/// Errors: `invalid_argument` for a registration that cannot be a row (`core::misfit_of`).
[[nodiscard]] core::result<void> check(const core::registry_batch& batch);

} // namespace ringmaster::storage
