#pragma once

// Texts of JSON in the form in which ElasticJob writes them (EJ §2.2).

#include <string>
#include <string_view>

namespace ringmaster::core::elastic {

/// Appends `value`, which must be valid UTF-8, as a JSON text in quotation marks. In addition to the characters that JSON demands
/// to escape, these are escaped as `\u` and four lower-case digits, as Gson does for HTML: `= & ' < >`, U+2028 and U+2029. Other
/// characters stay unchanged.
void append_json_text(std::string& json, std::string_view value);

} // namespace ringmaster::core::elastic
