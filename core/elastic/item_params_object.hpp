#pragma once

// Object form of item parameters: `{"0":"a","1":"b,c"}` (EJ §2.3). Used only by `item_params.hpp`.

#include <string>
#include <string_view>

#include "core/elastic/item_params.hpp"
#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Parses a JSON object with an integer in each key and a text in each value. The last of equal keys wins.
/// Errors: `invalid_argument` with the position, counted in bytes from 1.
[[nodiscard]] result<item_params> parse_params_object(std::string_view text);

/// Returns the parameters as such an object, without blanks, by ascending item.
[[nodiscard]] std::string params_object(const item_params& params);

} // namespace ringmaster::core::elastic
