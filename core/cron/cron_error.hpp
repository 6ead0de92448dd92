#pragma once

// Errors of cron expressions, and their places.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::core {

enum class cron_mistake : std::uint8_t {
  too_few_fields,
  too_many_fields,
  /// Exactly one of the two day fields must be `?`.
  days_conflict,
  out_of_range,
  bad_step,
  unknown_name,
  unexpected_character,
  not_a_number,
  /// The text has a meaning, but not in this field.
  not_here,
  /// A combination that XXL's dialect does not have.
  unsupported,
  /// The item ends too early.
  incomplete,
};

/// Returns the stable name for JSON, e.g. `out_of_range`.
[[nodiscard]] constexpr std::string_view to_string(cron_mistake code) noexcept {
  switch (code) {
  case cron_mistake::too_few_fields: return "too_few_fields";
  case cron_mistake::too_many_fields: return "too_many_fields";
  case cron_mistake::days_conflict: return "days_conflict";
  case cron_mistake::out_of_range: return "out_of_range";
  case cron_mistake::bad_step: return "bad_step";
  case cron_mistake::unknown_name: return "unknown_name";
  case cron_mistake::unexpected_character: return "unexpected_character";
  case cron_mistake::not_a_number: return "not_a_number";
  case cron_mistake::not_here: return "not_here";
  case cron_mistake::unsupported: return "unsupported";
  case cron_mistake::incomplete: break;
  }
  return "incomplete";
}

/// The leftmost error of an expression.
struct cron_error {
  cron_mistake code{};
  /// XXL's text.
  std::string detail;
  /// Place in UTF-16 units from the beginning of the text. Length 0: after its end.
  std::size_t position = 0;
  std::size_t length = 0;
};

} // namespace ringmaster::core
