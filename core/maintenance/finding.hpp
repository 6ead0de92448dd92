#pragma once

// Findings of the doctor's checks.

#include <cstdint>
#include <string>

namespace ringmaster::core {

/// A finding, for operators. Its texts are words of one line, without secrets.
struct finding {
  enum class level : std::uint8_t { fine, warning, failure };
  level how = level::fine;
  /// Subject of the check in one or two words, e.g. `clock`.
  std::string what;
  std::string detail;
  /// Instruction that ends the problem; empty: none, or `detail` has it.
  std::string remedy = {};
};

} // namespace ringmaster::core
