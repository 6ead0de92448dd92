#pragma once

// What is valid in a declaration and worth a second look. Pure.

#include <string>
#include <vector>

#include "core/declared.hpp"
#include "core/schedule_rules.hpp"

namespace ringmaster::core {

/// Returns one line for each enabled job that fires less than once an hour and does not say what becomes of a missed instant, and
/// for each job with mail addresses where the server cannot send mail (`has_mail`).
[[nodiscard]] std::vector<std::string> warnings_of(const declared_set& declared, bool has_mail, schedule_rules& rules,
                                                   time_point now);

} // namespace ringmaster::core
