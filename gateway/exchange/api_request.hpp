#pragma once

// What handlers of /api/v1 read from a request and make of an answer.

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

/// Answers 415 and gives false when the body says that it is something else than JSON: forms of pages cannot send that.
[[nodiscard]] bool takes_json(const exchange& ex);

/// What `read(body)` makes of a JSON body, a `result`. Nothing: it was refused, and that is answered.
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

/// What `read(parameters)` makes of the query. Nothing: as above.
template <class Read>
[[nodiscard]] auto read_query(const exchange& ex, Read read) {
  using value_type = typename std::invoke_result_t<Read, const protocol::wire::form&>::value_type;
  using protocol::wire::form;
  auto value = form::parse(ex.request().target, {}, {}).and_then([&read](const form& sent) {
    auto found = read(sent);
    const auto unknown = found ? sent.unread() : std::nullopt;
    if (unknown)
      found = core::fail(core::errc::invalid_argument, "the query parameter " + *unknown + " is not known here");
    return found;
  });
  if (!value)
    ex.reject(value.error());
  return value ? std::optional<value_type>{std::move(*value)} : std::nullopt;
}

/// The same with the place where a page begins: `read(parameters, cursor)`, and that place.
template <class Read>
[[nodiscard]] auto read_list_query(const exchange& ex, Read read) {
  return read_query(ex, [&](const protocol::wire::form& sent) {
    return protocol::wire::api_cursor_of(sent).and_then([&](const protocol::wire::api_cursor& from) {
      return read(sent, from).map([&](auto search) { return std::pair{std::move(search), from}; });
    });
  });
}

/// Where the route has `{id}`. A number that no such id can have is answered: there is nothing.
template <class Id>
[[nodiscard]] std::optional<Id> id_in_path(const exchange& ex) {
  using number_type = std::underlying_type_t<Id>;
  std::int64_t number = 0;
  for (const char digit : ex.parameter("id"))
    number = number * 10 + (digit - '0');
  if (number <= std::numeric_limits<number_type>::max())
    return Id{static_cast<number_type>(number)};
  ex.problem(404, "there is nothing with this id");
  return std::nullopt;
}

/// What `If-Match` says: a PUT needs it, of a DELETE without it anything goes. Nothing: it was refused, and that is answered.
[[nodiscard]] std::optional<wanted_tag> read_tag(const exchange& ex);

/// What an edit has seen when `current`, as it was just read, is what is wanted; empty when anything is. Nothing: 412, answered.
template <class Row>
[[nodiscard]] std::optional<std::string> seen_as_wanted(const exchange& ex, const wanted_tag& wanted, const Row& current,
                                                        const char* what) {
  auto tag = core::edit_tag(current);
  if (wanted.matches(tag))
    return wanted.tag ? std::move(tag) : std::string{};
  ex.fail(core::edited_meanwhile(what));
  return std::nullopt;
}

/// JSON. No cache keeps it.
void tell_json(const exchange& ex, std::string body, unsigned status = 200, protocol::http_headers headers = {});
/// The same with the ETag of `row`.
template <class Row>
void tell_tagged(const exchange& ex, std::string body, const Row& row) {
  tell_json(ex, std::move(body), 200, {{"ETag", etag_of(core::edit_tag(row))}});
}
/// 204.
void tell_nothing(const exchange& ex);
/// 201 with its place.
void tell_made(const exchange& ex, std::string_view collection, std::int64_t id);

/// Of lists by position: where the next page begins.
[[nodiscard]] std::optional<std::int64_t> next_position(const protocol::wire::api_cursor& from, std::size_t rows,
                                                        std::int64_t total);

} // namespace ringmaster::gateway
