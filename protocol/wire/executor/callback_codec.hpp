#pragma once

// Body of `callback` in every family's spelling (XXL wire §3). Pure; any thread; no exception leaves it.

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::protocol::wire {

struct callback_batch {
  /// Results in the order of the body; `spec` is null. Messages are valid UTF-8 and already cut to `core::message_units_max`.
  std::vector<core::callback> items;
  /// Number of elements that name no run (not an object, no positive `logId`): they cannot be stored, and must not affect the
  /// others.
  std::size_t skipped = 0;
};

/// Reads an array of items or `{"callbackList":[…]}`; `null` and `[null]` hold no items, as in Java.
///
/// Code: `handleCode`, else `executeResult.code`, as sent (0 and below too); 500 when neither is a 32-bit number. Message: the
/// first of `handleMsg`, `executeResult.msg` and a textual `executeResult.content` that is not empty; the message of an item
/// without a code says so. Errors: `invalid_argument` with the `msg` to answer; then no item of the body counts, as in Java, and
/// the executor repeats it.
[[nodiscard]] core::result<callback_batch> parse_callbacks(std::string_view body);

} // namespace ringmaster::protocol::wire
