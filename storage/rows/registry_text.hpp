#pragma once

// Registrations as stored in columns.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/group.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Returns the kind of `common` and `previous`, the values of `rm_shown_token.token`; empty for any other text.
[[nodiscard]] std::string_view name_of(core::token_kind kind) noexcept;
[[nodiscard]] std::optional<core::token_kind> shown_kind(std::string_view name) noexcept;

/// Assigns the tokens that executors showed to their registrations; tokens without a registration go to `left_tokens`.
void join_tokens(core::registry_state& state, std::vector<core::registration>&& tokens);

/// Errors: `invalid_argument` for a registration that does not fit a row (`core::misfit_of`).
[[nodiscard]] core::result<void> check(const core::registry_batch& batch);

} // namespace ringmaster::storage
