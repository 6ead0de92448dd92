#pragma once

// Questions before something is removed or ended for good.

#include <string>

#include "core/result.hpp"

namespace ringmaster::apps {

/// Says what will be done and asks whether to do it, on a terminal. `what`: lines, the last one without a full stop. `yes`:
/// `--yes` was given, nothing is asked. Errors: `invalid_argument` without a terminal and without `--yes`; `conflict` when the
/// answer is no.
[[nodiscard]] core::result<void> confirm(const std::string& what, bool yes);

} // namespace ringmaster::apps
