#pragma once

namespace ringmaster::storage {

/// The row of `rm_edit` that keeps the highest incarnation of the nodes whose rows were removed: no life gets a number twice.
inline constexpr int retired_incarnations = 3;

} // namespace ringmaster::storage
