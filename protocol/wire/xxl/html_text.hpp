#pragma once

// Escaping of untrusted texts in fields that consoles show as HTML.

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// Writer of a text, which decides the HTML that is allowed in it; everything else is escaped.
enum class html_from : std::uint8_t {
  /// The log of a run: `<br>`, `<b>`, `</b>`.
  log,
  /// A trigger message, which an admin wrote: `<br>`, `<br/>`, coloured spans with their angle brackets, `>`, and five entities
  /// of escaped values.
  trigger
};

[[nodiscard]] std::string safe_html(std::string_view text, html_from by);

} // namespace ringmaster::protocol::wire
