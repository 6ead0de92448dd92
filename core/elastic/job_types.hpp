#pragma once

// Types of elastic jobs (EJ §11), and the handlers of those that have no code of their own.

#include <array>
#include <string_view>
#include <utility>

namespace ringmaster::core::elastic {

inline constexpr std::string_view simple_type = "simple";
inline constexpr std::string_view dataflow_type = "dataflow";
/// Runs a program: property `script.command.line`.
inline constexpr std::string_view script_type = "script";
/// Calls an address: property `http.uri` and others.
inline constexpr std::string_view http_type = "http";

/// Types whose jobs name no handler, and the name under which hosts announce that they run them. No code may have such a name.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 2> type_handlers{
  {{script_type, "SCRIPT"}, {http_type, "HTTP"}}};

/// Returns the handler of the type; empty: each job of the type names its own.
[[nodiscard]] constexpr std::string_view handler_of_type(std::string_view job_type) noexcept {
  for (const auto& [type, handler] : type_handlers)
    if (type == job_type)
      return handler;
  return {};
}

/// Returns whether the name belongs to a type.
[[nodiscard]] constexpr bool is_type_handler(std::string_view handler) noexcept {
  for (const auto& [type, name] : type_handlers)
    if (name == handler)
      return true;
  return false;
}

/// Returns whether a job of this type may have this handler. Unknown types have none.
[[nodiscard]] constexpr bool is_handler_of_type(std::string_view handler, std::string_view job_type) noexcept {
  if (const auto own = handler_of_type(job_type); !own.empty())
    return handler == own;
  return (job_type == simple_type || job_type == dataflow_type) && !is_type_handler(handler);
}

} // namespace ringmaster::core::elastic
