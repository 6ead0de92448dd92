#pragma once

// Reading of requests and writing of answers for the handlers of the web API.

#include <functional>

#include "gateway/exchange/exchange.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

/// Returns the parameters of query and body. Errors: `invalid_argument`.
[[nodiscard]] core::result<protocol::wire::form> form_of(const exchange& ex);

/// Returns the `result` that `read` makes of the parameters.
template <class Read>
[[nodiscard]] auto read_form(const exchange& ex, Read read) {
  return form_of(ex).and_then([&](const protocol::wire::form& sent) { return read(sent); });
}

/// Returns an id of a 32-bit column by its parameter. Errors: `invalid_argument` naming the parameter.
template <class Id>
[[nodiscard]] core::result<Id> id_of(const protocol::wire::form& sent, std::string_view name) {
  return sent.needed_int32(name).map([](std::int32_t number) { return Id{number}; });
}

/// Returns the id of the one object: parameter `id` up to 3.2, a list `ids` of one since; both are read in either dialect.
/// Errors: `invalid_argument`, with the refusal `choose_one` for a list of none or several.
[[nodiscard]] core::result<std::int32_t> one_id(const protocol::wire::form& sent, protocol::wire::dialect dialect);

template <class Id>
[[nodiscard]] core::result<Id> read_one_id(const exchange& ex) {
  return read_form(ex, [&](const protocol::wire::form& sent) { return one_id(sent, ex.style().dialect); })
    .map([](std::int32_t number) { return Id{number}; });
}

/// Answers with a page of `rows`, a JSON array.
template <class Row>
void tell_page(const exchange& ex, const core::page<Row>& page, std::string_view rows) {
  ex.tell(protocol::wire::page_reply(page.total, rows, ex.style()));
}

/// Answers success without a message.
void tell_done(const exchange& ex);

/// Returns a handler that answers an error; a missing object without XXL's words for it gets the words of `why`.
[[nodiscard]] std::function<void(const exchange&, const core::error&)> missing_is(core::refusal why);

} // namespace ringmaster::gateway
