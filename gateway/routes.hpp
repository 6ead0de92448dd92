#pragma once

// What exists and who may call it: the route table, and the dispatch over it.

#include <span>
#include <string_view>

#include "gateway/exchange.hpp"

namespace ringmaster::gateway {

enum class access : std::uint8_t {
  anyone,
  /// The token rules of XXL wire §1.3; refused with HTTP 200 and XXL's texts.
  executor,
  /// This machine, or the access token as a bearer.
  operators,
};

struct route {
  /// `POST` or `GET` (which serves HEAD, too); empty: any.
  std::string_view method;
  /// Without the context path: each route stands under it and without it. `/api/…` stands under `/xxl-job-admin`, too.
  std::string_view path;
  void (*handle)(exchange ex);
  access who;
};

/// The one table.
[[nodiscard]] std::span<const route> routes() noexcept;

/// Finds the row of a request, applies its method and access, calls its handler. Order for executors: method, path, token,
/// operation, body (XXL wire §1.4). Throws nothing; the request is answered, or its handler holds the exchange.
void dispatch(const gateway_services& services, std::span<const route> table, protocol::http_exchange&& message) noexcept;

} // namespace ringmaster::gateway
