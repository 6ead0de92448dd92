#include "protocol/wire/v1/api_page.hpp"

#include <charconv>

namespace ringmaster::protocol::wire {

namespace {

using core::errc;

/// Distinguishes this kind of cursor from others.
constexpr char cursor_kind = 'p';

std::optional<std::int64_t> place_in(std::string_view cursor) noexcept {
  std::int64_t place = 0;
  if (cursor.size() < 2 || cursor.front() != cursor_kind)
    return std::nullopt;
  const auto* end = cursor.data() + cursor.size();
  const auto [stop, failure] = std::from_chars(cursor.data() + 1, end, place);
  return failure == std::errc{} && stop == end && place > 0 ? std::optional{place} : std::nullopt;
}

} // namespace

core::result<api_cursor> api_cursor_of(const form& sent, std::int64_t limit_min) {
  api_cursor out;
  const auto limit = api_number_of(sent, "limit");
  if (!limit || (*limit && (**limit < limit_min || **limit > static_cast<std::int64_t>(api_rows_max))))
    return core::fail(errc::invalid_argument, "the parameter limit must be a number from " + std::to_string(limit_min) + " to " +
                                                std::to_string(api_rows_max));
  if (*limit)
    out.limit = static_cast<std::size_t>(**limit);
  if (const auto cursor = sent.text("cursor")) {
    const auto place = place_in(*cursor);
    if (!place)
      return core::fail(errc::invalid_argument, "the parameter cursor must be the \"next\" value of the previous page");
    out.place = *place;
  }
  return out;
}

std::string api_page(std::string_view items, std::optional<std::int64_t> next, std::optional<std::int64_t> total,
                     bool total_is_capped) {
  std::string out;
  out.reserve(items.size() + 96);
  {
    json_object page{out};
    page.raw("items", items);
    next ? page.text("next", cursor_kind + std::to_string(*next)) : page.null("next");
    total ? page.number("total", *total) : page.null("total");
    page.boolean("total_is_capped", total_is_capped);
  }
  return out;
}

core::result<std::optional<bool>> boolean_of(const form& sent, std::string_view name) {
  const auto text = sent.text(name);
  if (!text)
    return std::nullopt;
  if (*text != "true" && *text != "false")
    return core::fail(errc::invalid_argument, "the parameter " + std::string{name} + " must be true or false");
  return *text == "true";
}

core::result<std::optional<std::int64_t>> api_number_of(const form& sent, std::string_view name) {
  if (sent.text(name) == "")
    return core::fail(errc::invalid_argument, "the parameter " + std::string{name} + " must be a whole number, not empty");
  return sent.int64(name);
}

core::result<std::optional<std::int32_t>> api_id_of(const form& sent, std::string_view name) {
  if (const auto number = api_number_of(sent, name); !number)
    return tl::unexpected{number.error()};
  auto id = sent.int32(name);
  if (id && *id && **id < 1)
    return core::fail(errc::invalid_argument, "the parameter " + std::string{name} + " must be a number of at least 1");
  return id;
}

core::result<std::optional<core::time_point>> instant_of(const form& sent, std::string_view name) {
  const auto ms = api_number_of(sent, name);
  if (!ms)
    return tl::unexpected{ms.error()};
  if (!*ms)
    return std::nullopt;
  if (**ms < 0 || **ms > core::latest_ms)
    return core::fail(errc::invalid_argument, "the parameter " + std::string{name} + " must lie between 1970 and 9999");
  return core::from_ms(**ms);
}

void append_instant(json_object& row, std::string_view name, std::optional<core::time_point> t) {
  t && *t != core::time_point{} ? row.number(name, core::to_ms(*t)) : row.null(name);
}

void append_text_or_null(json_object& row, std::string_view name, std::string_view text) {
  text.empty() ? row.null(name) : row.text(name, text);
}

} // namespace ringmaster::protocol::wire
