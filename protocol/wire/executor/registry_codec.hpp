#pragma once

// Body of `registry` and `registryRemove` (XXL wire §1.6). Pure; any thread; no exception leaves it.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// Exact texts as sent, trailing slash included. None is blank or holds a control character, each fits its column (50, 255, 255
/// characters). No comma in the value: a group's address list is joined by commas. Bytes that are not UTF-8 are replaced, as the
/// Java admins do, so that a withdrawal with the same bytes matches its registration.
struct registry_request {
  std::string registry_group;
  std::string registry_key;
  std::string registry_value;
};

/// Reads as leniently as the Java admins: unquoted or single-quoted names, a number or a boolean as text, unknown fields ignored.
/// Errors: `invalid_argument`; the context is the `msg` to answer: `invalid request, requestBody empty.`, `Illegal Argument.` for
/// a blank field, `openapi invoke error: ` and a reason for malformed input or a wrong type, a clear text for a value too long,
/// with a control character or, in an address, a comma.
[[nodiscard]] core::result<registry_request> parse_registry(std::string_view body);

} // namespace ringmaster::protocol::wire
