#pragma once

// Results of runs as the inbox keeps them (E14): the node that hears one is another than the node that applies it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/elastic/item_events.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Kind of the report that ends a run.
enum class heard_end : std::uint8_t {
  /// The body has ended.
  finished,
  /// The host has not begun the run.
  refused,
  /// The host has given the run up, because its lease was over.
  fenced,
  /// The host has cancelled the body because it leaves.
  cut_short,
};

/// End of a run as its host has reported it.
struct heard_result {
  heard_end end = heard_end::finished;
  /// Only with `finished` and `cut_short`.
  host_outcome outcome = host_outcome::success;
  /// Moment of the end, by the clock of the host.
  time_point at{};
  /// Failure, for users; at most `run_message_chars` characters are kept.
  std::string text;
  /// The last cursor of the run, if it is not stored yet, and its number.
  std::optional<std::string> cursor = {};
  std::uint64_t cursor_number = 0;
  friend bool operator==(const heard_result&, const heard_result&) = default;
};

/// Returns the bytes for `inbox_row::outcome`: a line of numbers, then the text, then the cursor. Texts become valid UTF-8.
[[nodiscard]] std::string encode(const heard_result& what);

/// Reads bytes of `encode`. Errors: `invalid_argument` for other bytes, also for those of a newer version.
[[nodiscard]] result<heard_result> decode_result(std::string_view bytes);

/// Returns whether these bytes are the result of a body, so that the run cannot be lost: also bytes that cannot be read, with
/// which it ends as an error.
[[nodiscard]] bool is_result_of_body(std::string_view bytes);

} // namespace ringmaster::core::elastic
