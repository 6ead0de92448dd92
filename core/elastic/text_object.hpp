#pragma once

// JSON objects whose values are texts, such as `{"0":"a","1":"b"}`: the form of item parameters and of properties in a column.

#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Takes one pair; returns why it is refused, or an empty text.
using text_pair_taker = std::function<std::string_view(std::string&& key, std::string&& value)>;

/// Reads one object from left to right, with blanks where JSON allows them. `take` gets each pair, also the pairs before an
/// error. Errors: `invalid_argument`, `byte 7 of the object: why`, counted from 1.
[[nodiscard]] result<void> read_text_object(std::string_view text, const text_pair_taker& take);

} // namespace ringmaster::core::elastic
