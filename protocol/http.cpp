#include "protocol/http.hpp"

#include <algorithm>

#include <time.h>

#include "core/text/ascii_case.hpp"

namespace ringmaster::protocol {

namespace {

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blank = " \t\r\n\v\f";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

} // namespace

const std::string* http_request::find_header(std::string_view name) const noexcept {
  for (const auto& [key, value] : headers) {
    if (core::equal_without_case(key, name))
      return &value;
  }
  return nullptr;
}

std::int64_t boottime_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

address_parts split_address(std::string_view address) {
  auto rest = trim(address);
  std::string origin = "http";
  if (auto mark = rest.find("://"); mark != std::string_view::npos) {
    origin.resize(mark);
    std::transform(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(mark), origin.begin(), core::ascii_lower);
    rest.remove_prefix(mark + 3);
  }
  auto end = std::min(rest.find_first_of("/?#"), rest.size());
  auto prefix = rest.substr(end);
  while (!prefix.empty() && prefix.back() == '/')
    prefix.remove_suffix(1);
  origin.append("://").append(rest.substr(0, end));
  return {std::move(origin), std::string(prefix)};
}

} // namespace ringmaster::protocol
