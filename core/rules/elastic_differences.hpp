#pragma once

#include <vector>

#include "core/editing/audit_line.hpp"
#include "core/elastic/elastic_definition.hpp"

namespace ringmaster::core {

/// Returns `total: 3 -> 4`, one line per member that differs, with the names of the file; without the group. Long values are
/// shortened. Properties may hold secrets: their values are not shown.
[[nodiscard]] std::vector<audit_line> differences(const elastic::elastic_definition& before,
                                                  const elastic::elastic_definition& after);

} // namespace ringmaster::core
