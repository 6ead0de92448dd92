#include "protocol/wire/executor/log_lines.hpp"

#include <algorithm>

#include "core/run/unknown_verdict.hpp"
#include "core/text/text.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Longer texts are no sentence of an executor.
constexpr std::size_t sentence_bytes_max = 256;

} // namespace

void log_text_facts::add(std::string_view piece) {
  if (piece.empty())
    return;
  bytes_ += piece.size();
  line_ends_ += std::count(piece.begin(), piece.end(), '\n');
  open_ = piece.back() != '\n';
  head_ += piece.substr(0, sentence_bytes_max - head_.size());
}

bool log_text_facts::says_missing() const noexcept {
  return bytes_ == head_.size() && core::trimmed(head_) == core::python_log_missing;
}

std::int32_t last_line_of(std::int32_t stated, bool end, const log_text_facts& text, std::int32_t asked_line) noexcept {
  if (text.says_missing())
    return 0;
  const auto last = std::max<std::int64_t>(asked_line, 1) - 1 + text.lines();
  if (text.empty() || end || stated == last + 1)
    return narrow_line(std::min<std::int64_t>(stated, last));
  return stated;
}

std::optional<core::log_size> log_size_of(std::optional<std::int64_t> lines, std::optional<std::int64_t> bytes) noexcept {
  if (!lines || !bytes || *lines < 0 || *bytes < 0)
    return std::nullopt;
  return core::log_size{narrow_line(*lines), *bytes};
}

std::int32_t narrow_line(std::int64_t value) noexcept {
  using limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, limits::min(), limits::max()));
}

bool is_gateway_status(unsigned status) noexcept {
  return status == 408 || status == 499 || (status >= 502 && status <= 504) || (status >= 520 && status <= 599);
}

} // namespace ringmaster::protocol::wire
