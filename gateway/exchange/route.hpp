#pragma once

// Row of the route table.

#include <cstddef>
#include <string_view>

#include "gateway/auth/route_access.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Size limit of a form: a source has at most 256 KiB, and up to three times as much when it is encoded.
inline constexpr std::size_t form_bytes_max = 1024 * 1024;
/// Size limit of a sign-in, which needs no session.
inline constexpr std::size_t sign_in_bytes_max = 16 * 1024;

/// Size limit of a user's settings of the console.
inline constexpr std::size_t settings_bytes_max = 4 * 1024;

/// Size limit of declared files.
inline constexpr std::size_t apply_bytes_max = 8 * 1024 * 1024;

struct route {
  /// `POST`, `GET` (also serves HEAD), `PUT`, `PATCH` or `DELETE`, or `GET, POST` for a route that only reads; empty: any method.
  /// A path may have several rows with different methods.
  std::string_view method;
  /// Path without the context path; each route is served with and without it. `/api/…` is also served below `/xxl-job-admin`. A
  /// segment in braces matches a number or a name (`match_path`); a row without such segments comes before a row with them.
  std::string_view path;
  void (*handle)(exchange ex);
  permission who;
  /// Dialects of XXL-JOB's web API that have this route.
  dialect_set by = dialect_set::none;
  /// Maximum body size in bytes. A longer body is refused with 413 before it is read. Bodies of executors have only the
  /// transport's limit.
  std::size_t body_max = form_bytes_max;

  /// True for a PUT or DELETE that compares `If-Match` with the ETag of its object.
  bool takes_if_match = false;

  /// True for a handler of /api/v1 that reads query parameters. Other routes refuse a request with any.
  bool takes_query = false;

  [[nodiscard]] constexpr route with_query() const noexcept {
    auto changed = *this;
    changed.takes_query = true;
    return changed;
  }
  [[nodiscard]] constexpr route with_if_match() const noexcept {
    auto changed = *this;
    changed.takes_if_match = true;
    return changed;
  }
  /// Returns true when a request may change something.
  [[nodiscard]] constexpr bool changes() const noexcept {
    return !method.empty() && method.find("GET") == std::string_view::npos;
  }
};

} // namespace ringmaster::gateway
