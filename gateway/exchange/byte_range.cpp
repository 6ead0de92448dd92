#include "gateway/exchange/byte_range.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/text.hpp"

namespace ringmaster::gateway {

namespace {

/// Reads a whole decimal number.
std::optional<std::uint64_t> position_of(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && status == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

} // namespace

wanted_range wanted_range_of(const protocol::http_request& request, std::uint64_t bytes, std::string_view etag) {
  constexpr std::string_view unit = "bytes=";
  const auto* header = request.find_header("Range");
  const auto* condition = request.find_header("If-Range");
  if (!header || !header->starts_with(unit) || (condition && core::trimmed(*condition) != etag))
    return {};
  const auto range = core::trimmed(std::string_view{*header}.substr(unit.size()));
  const auto dash = range.find('-');
  if (dash == std::string_view::npos)
    return {};
  const auto first_text = range.substr(0, dash);
  const auto last_text = range.substr(dash + 1);
  const auto first = position_of(first_text);
  const auto last = position_of(last_text);
  if (first_text.empty() && last) {
    const auto suffix = std::min(*last, bytes);
    return suffix == 0 ? wanted_range{false, {}} : wanted_range{true, byte_range{bytes - suffix, suffix}};
  }
  if (!first || (!last && !last_text.empty()) || (last && *last < *first))
    return {};
  if (*first >= bytes)
    return {false, {}};
  const auto end = last ? std::min(*last, bytes - 1) : bytes - 1;
  return {true, byte_range{*first, end - *first + 1}};
}

} // namespace ringmaster::gateway
