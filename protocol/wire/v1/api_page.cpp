#include "protocol/wire/v1/api_page.hpp"

#include <charconv>

namespace ringmaster::protocol::wire {

namespace {

using core::errc;

/// Distinguish the kinds of cursors: a position or an id, and a row in an ordered list (`k71.value`).
constexpr char cursor_kind = 'p';
constexpr char row_cursor_kind = 'k';

/// Reads a cursor into `out`. Returns false if it is not one.
bool read_cursor(std::string_view cursor, cursor_use use, api_cursor& out) {
  const bool of_row = use == cursor_use::ordered && cursor.starts_with(row_cursor_kind);
  if (!of_row && !cursor.starts_with(cursor_kind))
    return false;
  cursor.remove_prefix(1);
  const auto dot = of_row ? cursor.find('.') : cursor.size();
  if (dot == cursor.npos)
    return false;
  const auto* end = cursor.data() + dot;
  const auto [stop, failure] = std::from_chars(cursor.data(), end, out.place);
  if (of_row)
    out.value = std::string{cursor.substr(dot + 1)};
  return failure == std::errc{} && stop == end && out.place > 0;
}

} // namespace

core::result<api_cursor> api_cursor_of(const form& sent, std::int64_t limit_min, cursor_use use) {
  api_cursor out;
  const auto limit = api_number_of(sent, "limit");
  if (!limit || (*limit && (**limit < limit_min || **limit > static_cast<std::int64_t>(api_rows_max))))
    return core::fail(errc::invalid_argument, "the parameter limit must be a number from " + std::to_string(limit_min) + " to " +
                                                std::to_string(api_rows_max));
  if (*limit)
    out.limit = static_cast<std::size_t>(**limit);
  if (const auto cursor = sent.text("cursor"); cursor && !read_cursor(*cursor, use, out))
    return core::fail(errc::invalid_argument, "the parameter cursor must be the \"next\" value of the previous page");
  return out;
}

std::string cursor_text(std::int64_t place) { return cursor_kind + std::to_string(place); }

std::string cursor_text(std::int64_t id, std::string_view value) {
  return row_cursor_kind + std::to_string(id) + '.' + std::string{value};
}

std::string api_page(std::string_view items, std::optional<std::int64_t> next, std::optional<std::int64_t> total,
                     bool total_is_capped) {
  return api_page_before(items, next ? std::optional{cursor_text(*next)} : std::nullopt, total, total_is_capped);
}

std::string api_page_before(std::string_view items, const std::optional<std::string>& next, std::optional<std::int64_t> total,
                            bool total_is_capped) {
  std::string out;
  out.reserve(items.size() + 96);
  {
    json_object page{out};
    page.raw("items", items);
    next ? page.text("next", *next) : page.null("next");
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
