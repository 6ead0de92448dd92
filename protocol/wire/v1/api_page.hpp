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
/// The last millisecond of the year 9999.
inline constexpr std::int64_t instant_ms_max = 253'402'300'799'999;

/// Where a page begins. What is inside is not the clients' affair: they send back what `next` told them.
struct api_cursor {
  /// A position, or the id before which the page begins; 0: the first page.
  std::int64_t place = 0;
  std::size_t limit = api_rows_usual;
};

/// `cursor` and `limit`. Errors: `invalid_argument` naming the parameter.
[[nodiscard]] core::result<api_cursor> api_cursor_of(const form& sent);

/// `{"items":[…],"next":…,"total":…}`. `next`: the place of the next page; nothing: this was the last one. `total`: of the whole
/// list; nothing: nobody counted.
[[nodiscard]] std::string api_page(std::string_view items, std::optional<std::int64_t> next, std::optional<std::int64_t> total,
                                   bool total_is_capped = false);

/// `true` or `false`. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<bool>> boolean_of(const form& sent, std::string_view name);

/// What is there must be a number: unlike in a form of XXL-JOB, an empty text is none. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<std::int64_t>> api_number_of(const form& sent, std::string_view name);

/// A number that an id can be. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<std::int32_t>> api_id_of(const form& sent, std::string_view name);

/// Milliseconds since the epoch. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<core::time_point>> instant_of(const form& sent, std::string_view name);

/// Milliseconds, or null for nothing and for the epoch.
void append_instant(json_object& row, std::string_view name, std::optional<core::time_point> t);
/// Null when it is empty.
void append_text_or_null(json_object& row, std::string_view name, std::string_view text);

} // namespace ringmaster::protocol::wire
