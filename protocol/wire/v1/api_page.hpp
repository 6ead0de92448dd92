#pragma once

// Lists of /api/v1: their pages, and the parameters of requests for them. Times are milliseconds since the epoch.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/time.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

inline constexpr std::size_t api_rows_max = 500;
inline constexpr std::size_t api_rows_usual = 50;

/// Place where a page begins. Its text is opaque to clients: they send back the value of `next`.
struct api_cursor {
  /// Position, or the id before which the page begins; 0: the first page.
  std::int64_t place = 0;
  std::size_t limit = api_rows_usual;
  /// Value of the last row of an ordered list, whose id is `place`. Unset: `place` is a position or an id alone.
  std::optional<std::string> value = {};
};

/// Whether a list also has cursors that name a row by its value and id.
enum class cursor_use : std::uint8_t { plain, ordered };

/// Reads `cursor` and `limit`, which is at least `limit_min`. Errors: `invalid_argument` naming the parameter.
[[nodiscard]] core::result<api_cursor> api_cursor_of(const form& sent, std::int64_t limit_min = 1,
                                                     cursor_use use = cursor_use::plain);

/// Return the text of a cursor: of a position or an id, and of a row in an ordered list.
[[nodiscard]] std::string cursor_text(std::int64_t place);
[[nodiscard]] std::string cursor_text(std::int64_t id, std::string_view value);

/// Returns a page with the text of the cursor of the next one.
[[nodiscard]] std::string api_page_before(std::string_view items, const std::optional<std::string>& next,
                                          std::optional<std::int64_t> total, bool total_is_capped = false);
/// Returns `{"items":[…],"next":…,"total":…}`. `next`: the place of the next page; without a value: this is the last page.
/// `total`: size of the whole list; without a value: not counted.
[[nodiscard]] std::string api_page(std::string_view items, std::optional<std::int64_t> next, std::optional<std::int64_t> total,
                                   bool total_is_capped = false);

/// Reads `true` or `false`. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<bool>> boolean_of(const form& sent, std::string_view name);

/// Reads a number. Unlike in a form of XXL-JOB, an empty text is an error. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<std::int64_t>> api_number_of(const form& sent, std::string_view name);

/// Reads a number that an id can be. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<std::int32_t>> api_id_of(const form& sent, std::string_view name);

/// Reads milliseconds since the epoch. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<core::time_point>> instant_of(const form& sent, std::string_view name);

/// Appends milliseconds, or null for no value and for the epoch.
void append_instant(json_object& row, std::string_view name, std::optional<core::time_point> t);
/// Appends the text, or null when it is empty.
void append_text_or_null(json_object& row, std::string_view name, std::string_view text);

} // namespace ringmaster::protocol::wire
