#pragma once

// Numbers of lines in answers to `/log`. Internal to the codecs. Pure.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::protocol::wire {

/// Facts about the text of a log, collected piece by piece.
class log_text_facts {
public:
  void add(std::string_view piece);

  [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Returns the number of lines; a last line without an end counts.
  [[nodiscard]] std::int64_t lines() const noexcept { return line_ends_ + (open_ ? 1 : 0); }
  /// Returns true for the text by which Python's executor says that there is no log.
  [[nodiscard]] bool says_missing() const noexcept;

private:
  std::uint64_t bytes_ = 0;
  std::int64_t line_ends_ = 0;
  bool open_ = false;
  /// Beginning of the text.
  std::string head_;
};

/// Returns the number of the last line in the text. Lowers a number that is too high, because a reader that continues after it
/// would miss the next line: Node and two Go clients count one line more than they send, and Python's returns the requested line
/// when there is none, or the end of the maximum that it would have sent. `end`: the executor says that the log ends here.
[[nodiscard]] std::int32_t last_line_of(std::int32_t stated, bool end, const log_text_facts& text,
                                        std::int32_t asked_line) noexcept;

/// Returns the size of a log; empty unless both numbers are there and possible.
[[nodiscard]] std::optional<core::log_size> log_size_of(std::optional<std::int64_t> lines,
                                                        std::optional<std::int64_t> bytes) noexcept;

/// Returns the nearest number of 32 bits.
[[nodiscard]] std::int32_t narrow_line(std::int64_t value) noexcept;

/// Returns true for 408, the 5xx of gateways and proxies' own statuses: the executor may have received the request. No executor
/// gives them.
[[nodiscard]] bool is_gateway_status(unsigned status) noexcept;

} // namespace ringmaster::protocol::wire
