#pragma once

// One row of the route table.

#include <cstddef>
#include <string_view>

#include "gateway/exchange.hpp"
#include "gateway/permission.hpp"

namespace ringmaster::gateway {

/// What a person's form needs: a source is at most 256 KiB, three times as long in a form.
inline constexpr std::size_t form_bytes_max = 1024 * 1024;
/// A name and a password, from whomever.
inline constexpr std::size_t sign_in_bytes_max = 16 * 1024;

/// Declared files.
inline constexpr std::size_t apply_bytes_max = 8 * 1024 * 1024;

struct route {
  /// `POST`, `GET` (which serves HEAD, too), `PUT`, `PATCH` or `DELETE`, or `GET, POST` of what only reads; empty: any. A path
  /// may have several rows that share no method.
  std::string_view method;
  /// Without the context path: each route stands under it and without it. `/api/…` stands under `/xxl-job-admin`, too. Segments
  /// `{name}` stand for numbers (`match_path`); a row without them comes before one with them.
  std::string_view path;
  void (*handle)(exchange ex);
  permission who;
  /// Which dialects of XXL-JOB's web API have it.
  spoken by = spoken::none;
  /// A longer body is answered 413 before anybody reads it. Executors' bodies have the transport's limit alone.
  std::size_t body_max = form_bytes_max;

  /// A PUT or DELETE of what has an ETag, which compares it with `If-Match`.
  bool takes_if_match = false;

  /// Of /api/v1: it reads parameters of the query. Where a row does not, any parameter is refused.
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
  /// Something is different after it.
  [[nodiscard]] constexpr bool changes() const noexcept {
    return !method.empty() && method.find("GET") == std::string_view::npos;
  }
};

} // namespace ringmaster::gateway
