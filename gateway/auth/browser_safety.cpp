#include "gateway/auth/browser_safety.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/ascii_case.hpp"
#include "core/text/url_text.hpp"
#include "gateway/auth/secrets.hpp"

namespace ringmaster::gateway {

namespace {

/// Policy for the same origin only: no inline script or style, no frame around the page.
constexpr std::string_view content_policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
                                            "form-action 'self'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> headers{{
  {"Content-Security-Policy", content_policy},
  {"X-Content-Type-Options", "nosniff"},
  {"X-Frame-Options", "DENY"},
  // Not `no-referrer`: with it browsers send `Origin: null` with the forms of our own pages.
  {"Referrer-Policy", "same-origin"},
}};

/// Compares `Origin` with the requested host. `Origin` names scheme and authority; after an untrusted proxy that ends TLS, only
/// the authority is known here.
bool is_own(std::string_view origin, const protocol::http_request& request) noexcept {
  const auto* named = request.find_header("Host");
  const std::string_view host = !request.forwarded_host.empty() ? request.forwarded_host : named ? *named : std::string_view{};
  const auto url = core::split_url(origin);
  if (host.empty() || !url.scheme || !url.path.empty() || !url.tail.empty())
    return false;
  if (request.is_https && !core::equal_without_case(*url.scheme, "https"))
    return false;
  return core::equal_without_case(url.authority, host);
}

} // namespace

std::string_view foreign_site(const protocol::http_request& request) noexcept {
  const auto* site = request.find_header("Sec-Fetch-Site");
  // `none`: the user typed the address or opened a bookmark.
  if (site && *site != "same-origin" && *site != "none")
    return "refused: a page of another site sent this request (Sec-Fetch-Site)";
  const auto* origin = request.find_header("Origin");
  if (origin && !is_own(*origin, request))
    return "refused: a page of another site sent this request (Origin)";
  return {};
}

std::string csrf_token(std::string_view session) {
  // The prefix keeps this digest distinct from every other digest of a session.
  return sha256_hex(std::string{"ringmaster: csrf token of a session\n"}.append(session));
}

void add_safety_headers(protocol::http_response& response, bool tls) {
  for (const auto& [name, value] : headers)
    response.headers.emplace_back(name, value);
  if (tls)
    response.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
}

} // namespace ringmaster::gateway
