#pragma once

// The kinds of scripts (XXL wire §5.6).

#include <array>
#include <string_view>

namespace ringmaster::executor {

struct glue_type {
  /// As `/run` names it, e.g. `GLUE_SHELL`.
  std::string_view name;
  /// As people are told, e.g. `GLUE(Shell)`.
  std::string_view display;
  /// Of the script's file.
  std::string_view suffix;
  /// The first one that there is runs it; empty ones do not count.
  std::array<std::string_view, 2> interpreters;
};

/// Null: no script. Names are matched exactly; BEAN and GLUE_GROOVY are none.
[[nodiscard]] const glue_type* find_glue_type(std::string_view name) noexcept;

} // namespace ringmaster::executor
