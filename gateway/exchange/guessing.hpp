#pragma once

// Slows down clients that guess tokens, and decides which requests may see what operators see.

#include <string_view>

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Returns true when the client's address has shown too many wrong tokens in this minute and `token` was not right from there
/// lately. Such a token must not be compared: the answer would tell a guesser whether it is right.
[[nodiscard]] bool is_held_up(const exchange& ex, std::string_view token);

/// Counts a wrong token, or one that was held up, and logs the first one that is too many. Returns true while the client is to be
/// told what was wrong; false when it has made too many requests.
[[nodiscard]] bool count_wrong_token(const exchange& ex);

/// Remembers that `token` was right from the client's address.
void remember_right_token(const exchange& ex, std::string_view token);

/// Returns true for a request from this machine where that is trusted (`security.trust_loopback`), and for one with the access
/// token as a bearer token. Counts wrong tokens. False also for another spelling of the route's path (`//metrics`,
/// `/xxl-job-admin/metrics`): rules of proxies name one.
[[nodiscard]] bool is_operator(const exchange& ex);

} // namespace ringmaster::gateway
