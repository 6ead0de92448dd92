#pragma once

// The route table (paths and permissions), and the dispatch of requests over it.

#include <span>
#include <string>

#include "gateway/exchange/route.hpp"

namespace ringmaster::gateway {

/// Returns the only route table.
[[nodiscard]] std::span<const route> routes() noexcept;

/// Returns the rule that keeps the transport from reading bodies longer than their route accepts (`route::body_max`). Routes of
/// executors have only the transport's limit. The table must outlive the rule; any thread.
[[nodiscard]] protocol::body_rule body_rule_of(std::span<const route> table, std::string context_path);

/// Finds the row of a request, applies its method and permission, and calls its handler. Order for executors: method, path,
/// token, operation, body (XXL wire §1.4); for users: method, size, origin, session, password to change, role. Throws nothing;
/// the request is answered, or its handler holds the exchange.
void dispatch(const gateway_services& services, std::span<const route> table, protocol::http_exchange&& message) noexcept;

} // namespace ringmaster::gateway
