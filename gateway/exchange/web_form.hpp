#pragma once

// What handlers of the web API read from a request and make of an answer.

#include <functional>

#include "gateway/exchange/exchange.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

/// Query and body. Errors: `invalid_argument`.
[[nodiscard]] core::result<protocol::wire::form> form_of(const exchange& ex);

/// What `read` makes of the parameters: a `result`.
template <class Read>
[[nodiscard]] auto read_form(const exchange& ex, Read read) {
  return form_of(ex).and_then([&](const protocol::wire::form& sent) { return read(sent); });
}

/// An id of a 32-bit column by its parameter. Errors: `invalid_argument` naming it.
template <class Id>
[[nodiscard]] core::result<Id> id_of(const protocol::wire::form& sent, std::string_view name) {
  return sent.needed_int32(name).map([](std::int32_t number) { return Id{number}; });
}

/// The one object that is meant: `id` up to 3.2, a list `ids` of one since; either is read in either dialect. Errors:
/// `invalid_argument`, with the refusal `choose_one` for a list of none or several.
[[nodiscard]] core::result<std::int32_t> one_id(const protocol::wire::form& sent, protocol::wire::dialect dialect);

template <class Id>
[[nodiscard]] core::result<Id> read_one_id(const exchange& ex) {
  return read_form(ex, [&](const protocol::wire::form& sent) { return one_id(sent, ex.style().dialect); })
    .map([](std::int32_t number) { return Id{number}; });
}

/// A page of `rows`, an array of JSON.
template <class Row>
void tell_page(const exchange& ex, const core::page<Row>& page, std::string_view rows) {
  ex.tell(protocol::wire::page_reply(page.total, rows, ex.style()));
}

/// Success without a word.
void tell_done(const exchange& ex);

/// Answers an error; one that says that something is not there, and has no words of XXL's, with these.
[[nodiscard]] std::function<void(const exchange&, const core::error&)> missing_is(core::refusal why);

} // namespace ringmaster::gateway
