#pragma once

// The part of HTTP/1.1 that both ends of the load use: a head, a Content-Length, a body.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <strings.h>

namespace ringmaster::bench {

/// One message at the front of `bytes`, as views into them.
struct http_message {
  std::string_view first_line;
  std::string_view body;
  std::size_t size = 0; ///< size of the whole message
};

inline std::size_t content_length(std::string_view head) {
  constexpr std::string_view name = "\r\ncontent-length:";
  for (auto at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    if (head.size() - at < name.size() || ::strncasecmp(head.data() + at, name.data(), name.size()) != 0)
      continue;
    auto value = head.substr(at + name.size());
    value.remove_prefix(value.find_first_not_of(' ') == std::string_view::npos ? value.size() : value.find_first_not_of(' '));
    std::size_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
  }
  return 0;
}

/// Returns the first message; unset while it is incomplete.
inline std::optional<http_message> first_message(std::string_view bytes) {
  const auto end_of_head = bytes.find("\r\n\r\n");
  if (end_of_head == std::string_view::npos)
    return std::nullopt;
  const auto head = bytes.substr(0, end_of_head);
  const auto size = end_of_head + 4 + content_length(head);
  if (bytes.size() < size)
    return std::nullopt;
  return http_message{head.substr(0, head.find("\r\n")), bytes.substr(end_of_head + 4, size - end_of_head - 4), size};
}

/// Returns the whole number after `"name":`, 0 without one.
inline std::int64_t number_after(std::string_view json, std::string_view quoted_name_and_colon) {
  const auto at = json.find(quoted_name_and_colon);
  if (at == std::string_view::npos)
    return 0;
  auto rest = json.substr(at + quoted_name_and_colon.size());
  while (!rest.empty() && rest.front() == ' ')
    rest.remove_prefix(1);
  std::int64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

} // namespace ringmaster::bench
