#pragma once

// Confirmation before something is removed or killed permanently.

#include <string>

#include "core/result.hpp"

namespace ringmaster::apps {

/// Prints what will be done and asks for confirmation on the terminal. `what`: lines, the last one without a full stop. `yes`:
/// `--yes` was given, so nothing is asked. Errors: `invalid_argument` without a terminal and without `--yes`; `conflict` when the
/// answer is no.
[[nodiscard]] core::result<void> confirm(const std::string& what, bool yes);

} // namespace ringmaster::apps
