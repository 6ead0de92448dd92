#pragma once

// Reading of requests and writing of answers for the handlers of /api/v1.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/editing/edit_tag.hpp"
#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/exchange.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

/// Answers 415 and returns false when the body declares a type other than JSON. HTML forms cannot send JSON.
[[nodiscard]] bool takes_json(const exchange& ex);

/// Returns the value that `read(body)`, a `result`, makes of a JSON body. Nothing: the request was refused and answered.
template <class Read>
[[nodiscard]] auto read_json(const exchange& ex, Read read) {
  using value_type = typename std::invoke_result_t<Read, std::string_view>::value_type;
  if (!takes_json(ex))
    return std::optional<value_type>{};
  auto value = read(std::string_view{ex.request().body});
  if (!value)
    ex.reject(value.error());
  ex.drop_body();
  return value ? std::optional<value_type>{std::move(*value)} : std::nullopt;
}

/// Returns the value that `read(parameters)` makes of the query. Nothing: the request was refused and answered.
template <class Read>
[[nodiscard]] auto read_query(const exchange& ex, Read read) {
  using value_type = typename std::invoke_result_t<Read, const protocol::wire::form&>::value_type;
  using protocol::wire::form;
  auto value = form::parse(ex.request().target, {}, {}).and_then([&read](const form& sent) {
    auto found = read(sent);
    const auto unknown = found ? sent.unread() : std::nullopt;
    if (unknown)
      found = core::fail(core::errc::invalid_argument, "unknown query parameter " + *unknown + "");
    return found;
  });
  if (!value)
    ex.reject(value.error());
  return value ? std::optional<value_type>{std::move(*value)} : std::nullopt;
}

/// Returns the value that `read(parameters, cursor)` makes of the query of a list, and the place where the page begins.
/// `limit_min`: 0 for a list that can be counted without its rows.
template <class Read>
[[nodiscard]] auto read_list_query(const exchange& ex, Read read, std::int64_t limit_min = 1,
                                   protocol::wire::cursor_use use = protocol::wire::cursor_use::plain) {
  return read_query(ex, [&](const protocol::wire::form& sent) {
    return protocol::wire::api_cursor_of(sent, limit_min, use).and_then([&](const protocol::wire::api_cursor& from) {
      return read(sent, from).map([&](auto search) { return std::pair{std::move(search), from}; });
    });
  });
}

/// Returns the id at `{id}` of the route, or at another part. Answers 404 for a number that no such id can have.
template <class Id>
[[nodiscard]] std::optional<Id> id_in_path(const exchange& ex, std::string_view part = "id") {
  using number_type = std::underlying_type_t<Id>;
  std::int64_t number = 0;
  for (const char digit : ex.parameter(part))
    number = number * 10 + (digit - '0');
  if (number <= std::numeric_limits<number_type>::max())
    return Id{static_cast<number_type>(number)};
  ex.problem(404, std::string{"no object has the id "}.append(ex.parameter(part)));
  return std::nullopt;
}

/// Returns the ETag of `If-Match`. A PUT requires it; a DELETE without it accepts any. Nothing: the request was refused and
/// answered.
[[nodiscard]] std::optional<wanted_tag> read_tag(const exchange& ex);

/// Returns the version that an edit has seen when `current`, just read, matches `wanted`; empty when any version matches.
/// Nothing: 412 was answered.
template <class Row>
[[nodiscard]] std::optional<std::string> seen_as_wanted(const exchange& ex, const wanted_tag& wanted, const Row& current,
                                                        const char* what) {
  auto tag = core::edit_tag(current);
  if (wanted.matches(tag))
    return wanted.tag ? std::move(tag) : std::string{};
  ex.fail(core::edited_meanwhile(what));
  return std::nullopt;
}

/// Answers with JSON that no cache keeps.
void tell_json(const exchange& ex, std::string body, unsigned status = 200, protocol::http_headers headers = {});
/// Answers with JSON and the ETag of `row`.
template <class Row>
void tell_tagged(const exchange& ex, std::string body, const Row& row) {
  tell_json(ex, std::move(body), 200, {{"ETag", etag_of(core::edit_tag(row))}});
}
/// Answers 204.
void tell_nothing(const exchange& ex);
/// Answers 201 with the location of the new object.
void tell_made(const exchange& ex, std::string_view collection, std::int64_t id);

/// Returns the position at which the next page of a list by position begins.
[[nodiscard]] std::optional<std::int64_t> next_position(const protocol::wire::api_cursor& from, std::size_t rows,
                                                        std::int64_t total);

} // namespace ringmaster::gateway
