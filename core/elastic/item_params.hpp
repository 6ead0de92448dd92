#pragma once

// Parameters of the items of an elastic job, as the definition of a job stores them in one text (EJ §2.3).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Longest text of item parameters, in bytes: a message to an executor has them with the rest of a definition.
inline constexpr std::size_t item_params_bytes_max = std::size_t{1} << 19U;

/// Parameters by item. Keys that are not an item of the job have no effect.
using item_params = std::map<std::int32_t, std::string>;

/// Parses `0=a,1=b`, ElasticJob's form, or an object `{"0":"a,b"}`, whose texts may contain commas and equals signs.
/// In the first form, blanks around items, keys and values are removed, empty parts at the end are ignored, and the last of equal
/// keys wins. An empty text has no parameters.
/// Errors: `invalid_argument` with the number of the wrong part, and for invalid UTF-8 and NUL characters; `too_large` above
/// `item_params_bytes_max`.
[[nodiscard]] result<item_params> parse_item_params(std::string_view text);

/// Checks the text that a user enters for a job with `total` items. Errors: those of `parse_item_params`; `invalid_argument` also
/// for an item that is given twice, and for one that the job does not have.
[[nodiscard]] result<void> check_item_params(std::string_view text, std::int32_t total);

/// Returns a text that `parse_item_params` reads as the same parameters: ElasticJob's form where it can hold all values,
/// otherwise the object form. Values must be valid UTF-8 without NUL characters.
[[nodiscard]] std::string item_params_text(const item_params& params);

/// Returns the parameter of an item; unset if it has none. The view is valid as long as `params`.
[[nodiscard]] std::optional<std::string_view> param_of(const item_params& params, std::int32_t item);

} // namespace ringmaster::core::elastic
