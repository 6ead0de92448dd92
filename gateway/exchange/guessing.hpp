#pragma once

// Rate limiting for clients that guess tokens, and the check for operators.

#include <string_view>

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Returns true when the client's address has shown too many wrong tokens in this minute and `token` was not right from that
/// address lately. Such a token must not be compared: the answer would reveal whether it is right.
[[nodiscard]] bool is_held_up(const exchange& ex, std::string_view token);

/// Counts a wrong token, or one that was refused without a comparison, and logs the first one over the limit. Returns
/// true while the client may learn what was wrong; false when it has made too many requests.
[[nodiscard]] bool count_wrong_token(const exchange& ex);

/// Remembers that `token` was right from the client's address.
void remember_right_token(const exchange& ex, std::string_view token);

/// Returns true for a request from this machine where such requests are trusted (`security.trust_loopback`), and for a request
/// with the access token as a bearer token. Counts wrong tokens. Returns false also for another spelling of the route's path
/// (`//metrics`, `/xxl-job-admin/metrics`), because the rules of proxies name one path.
[[nodiscard]] bool is_operator(const exchange& ex);

} // namespace ringmaster::gateway
