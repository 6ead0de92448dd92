#pragma once

// Texts of JSON.

#include <string>
#include <string_view>

namespace ringmaster::core::elastic {

/// Appends `value`, which must be valid UTF-8, as a JSON text in quotation marks. Escapes the characters that JSON demands to
/// escape, U+2028 and U+2029.
void append_json_text(std::string& json, std::string_view value);

/// Appends the text in the form in which ElasticJob writes it (EJ §2.2): `= & ' < >` are also escaped as `\u` and four lower-case
/// digits, as Gson does for HTML.
void append_html_json_text(std::string& json, std::string_view value);

/// Returns JSON with each character that is not printable ASCII as `\u` and four digits, two of them for a character above
/// U+FFFF. It means the same, and fits into a header. `json`: valid UTF-8.
[[nodiscard]] std::string ascii_json(std::string_view json);

} // namespace ringmaster::core::elastic
