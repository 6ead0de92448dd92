#pragma once

namespace ringmaster::storage {

/// The row of `rm_edit` with the highest incarnation of removed nodes, so that no incarnation gets a number twice.
inline constexpr int retired_incarnations = 3;

} // namespace ringmaster::storage
