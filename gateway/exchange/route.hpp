#pragma once

// One row of the route table.

#include <cstddef>
#include <string_view>

#include "gateway/auth/permission.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Size limit of a form: a source has at most 256 KiB, and is up to three times as long when it is encoded.
inline constexpr std::size_t form_bytes_max = 1024 * 1024;
/// Size limit of a sign-in, which needs no session.
inline constexpr std::size_t sign_in_bytes_max = 16 * 1024;

/// Size limit of declared files.
inline constexpr std::size_t apply_bytes_max = 8 * 1024 * 1024;

struct route {
  /// `POST`, `GET` (also serves HEAD), `PUT`, `PATCH` or `DELETE`, or `GET, POST` for a route that only reads; empty: any. A path
  /// may have several rows with different methods.
  std::string_view method;
  /// Without the context path: each route stands under it and without it. `/api/…` stands under `/xxl-job-admin`, too. Segments
  /// `{name}` stand for numbers (`match_path`); a row without them comes before one with them.
  std::string_view path;
  void (*handle)(exchange ex);
  permission who;
  /// Which dialects of XXL-JOB's web API have it.
  dialect_set by = dialect_set::none;
  /// A longer body is refused with 413 before it is read. Bodies of executors have only the limit of the transport.
  std::size_t body_max = form_bytes_max;

  /// A PUT or DELETE that compares `If-Match` with the ETag of its object.
  bool takes_if_match = false;

  /// Of /api/v1: the handler reads query parameters. Other routes refuse a request with any.
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
  /// Whether a request may change something.
  [[nodiscard]] constexpr bool changes() const noexcept {
    return !method.empty() && method.find("GET") == std::string_view::npos;
  }
};

} // namespace ringmaster::gateway
