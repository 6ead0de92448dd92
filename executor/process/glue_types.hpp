#pragma once

// The kinds of scripts (XXL wire §5.6).

#include <array>
#include <string_view>

namespace ringmaster::executor {

struct glue_type {
  /// Name in `/run`, e.g. `GLUE_SHELL`.
  std::string_view name;
  /// Display name, e.g. `GLUE(Shell)`.
  std::string_view display;
  /// Suffix of the script's file.
  std::string_view suffix;
  /// The first available one runs the script; empty ones are ignored.
  std::array<std::string_view, 2> interpreters;
};

/// Returns null for types that are not scripts, such as BEAN and GLUE_GROOVY. Names are matched exactly.
[[nodiscard]] const glue_type* find_glue_type(std::string_view name) noexcept;

} // namespace ringmaster::executor
