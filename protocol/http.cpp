#include "protocol/http.hpp"

#include <algorithm>

#include <time.h>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::protocol {

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
  const auto url = core::split_url(core::trimmed(address));
  address_parts parts{std::string{url.scheme.value_or("http")}, std::string{url.path}.append(url.tail)};
  std::transform(parts.origin.begin(), parts.origin.end(), parts.origin.begin(), core::ascii_lower);
  parts.origin.append("://").append(url.authority);
  while (parts.prefix.ends_with('/'))
    parts.prefix.pop_back();
  return parts;
}

} // namespace ringmaster::protocol
