#include "gateway/exchange/guessing.hpp"

#include "core/text/text.hpp"
#include "gateway/exchange/route.hpp"

namespace ringmaster::gateway {

namespace {

bool is_spelled_exactly(const exchange& ex) noexcept {
  const std::string_view target = ex.request().target;
  return target.substr(0, target.find('?')) == ex.row().path;
}

} // namespace

bool is_held_up(const exchange& ex, std::string_view token) {
  const auto& services = ex.services();
  const auto& remote = ex.request().remote_address;
  const auto now = services.self->clock().now();
  return services.wrong_tokens.is_exhausted(remote, now) && !services.right_tokens.contains(remote, token, now);
}

bool count_wrong_token(const exchange& ex) {
  using enum core::failure_rate_limiter::verdict;
  const auto& services = ex.services();
  const auto& remote = ex.request().remote_address;
  const auto verdict = services.wrong_tokens.failed(remote, services.self->clock().now());
  if (verdict == first_too_many)
    services.log->warn("more than {} wrong tokens in a minute from {}", core::failure_rate_limiter::a_minute_max, remote);
  return verdict == few;
}

void remember_right_token(const exchange& ex, std::string_view token) {
  const auto& services = ex.services();
  services.right_tokens.keep(ex.request().remote_address, token, services.self->clock().now());
}

bool is_operator(const exchange& ex) {
  const auto& services = ex.services();
  if (!is_spelled_exactly(ex))
    return false;
  if (services.trust_loopback && is_local(ex.request()))
    return true;
  const auto shown = bearer_token(ex.request());
  const auto tokens = services.common_token.get();
  if (core::is_blank(tokens->current) || !shown)
    return false;
  if (is_held_up(ex, *shown) || !core::is_common_token(*tokens, *shown, services.now())) {
    (void) count_wrong_token(ex);
    return false;
  }
  remember_right_token(ex, *shown);
  return true;
}

} // namespace ringmaster::gateway
