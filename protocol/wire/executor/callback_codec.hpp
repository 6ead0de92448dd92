#pragma once

// The body of `callback` in every family's spelling (XXL wire §3). Pure; any thread; no exception leaves it.

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::protocol::wire {

struct callback_batch {
  /// In the order of the body; `spec` is null. Messages are valid UTF-8 and already cut to `core::message_units_max`.
  std::vector<core::callback> items;
  /// Elements that name no run (no object, no positive `logId`): they cannot be stored, and must not cost their neighbours.
  std::size_t skipped = 0;
};

/// Reads an array of items or `{"callbackList":[…]}`; `null` and `[null]` hold nothing, as in Java.
///
/// Code: `handleCode`, else `executeResult.code`, as sent (0 and below too); 500 when neither is a number of 32 bits. Message:
/// the first of `handleMsg`, `executeResult.msg` and a textual `executeResult.content` that is not empty; an item without a code
/// says so there. Errors: `invalid_argument` with the `msg` to answer; then nothing of the body counts, as in Java, and the
/// executor repeats it.
[[nodiscard]] core::result<callback_batch> parse_callbacks(std::string_view body);

} // namespace ringmaster::protocol::wire
