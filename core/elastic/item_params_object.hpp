#pragma once

// Object form of item parameters: `{"0":"a","1":"b,c"}` (EJ §2.3). Used only by `item_params.hpp`.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/elastic/item_params.hpp"
#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Takes one parameter; returns why it is refused, or an empty text.
using item_param_taker = std::function<std::string_view(std::int32_t item, std::string&& value)>;

/// Reads a JSON object with an integer in each key and a text in each value, from left to right.
/// Errors: `invalid_argument` with the position, counted in bytes from 1.
[[nodiscard]] result<void> read_params_object(std::string_view text, const item_param_taker& take);

/// Returns the parameters as such an object, without blanks, by ascending item.
[[nodiscard]] std::string params_object(const item_params& params);

} // namespace ringmaster::core::elastic
