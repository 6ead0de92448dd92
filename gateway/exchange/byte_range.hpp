#pragma once

// The part of a file that a request asks for (`Range`, RFC 9110 §14). Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

struct byte_range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Answer that a request with a range gets.
struct wanted_range {
  /// False: the file has none of the bytes, which is a 416.
  bool is_satisfiable = true;
  /// Empty: the whole file.
  std::optional<byte_range> part = {};
};

/// Returns the range of `Range` in a file of `bytes` bytes with this ETag. As the RFC permits, several ranges, other units and
/// malformed ones mean the whole file, and so does an `If-Range` that names another ETag.
[[nodiscard]] wanted_range wanted_range_of(const protocol::http_request& request, std::uint64_t bytes, std::string_view etag);

} // namespace ringmaster::gateway
