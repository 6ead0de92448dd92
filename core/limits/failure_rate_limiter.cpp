#include "core/limits/failure_rate_limiter.hpp"

#include "core/text/network_text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::chrono::minutes length{1};

/// Returns the key of a pair. An address has no line end, so keys of different addresses never collide.
std::string pair_key(std::string_view remote, std::string_view token) {
  auto key = client_network(remote);
  key += '\n';
  return key.append(token);
}

} // namespace

failure_rate_limiter::verdict failure_rate_limiter::failed(std::string_view remote, time now) {
  auto& current = minutes_.use(client_network(remote), {});
  if (current.failures == 0 || now - current.begin >= length)
    current = {now, 0};
  // The count stops at one above the limit: a higher number has no further meaning.
  if (current.failures <= a_minute_max + 1)
    ++current.failures;
  if (current.failures <= a_minute_max)
    return verdict::few;
  return current.failures == a_minute_max + 1 ? verdict::first_too_many : verdict::too_many;
}

bool failure_rate_limiter::is_exhausted(std::string_view remote, time now) const {
  const auto* found = minutes_.find(client_network(remote));
  return found != nullptr && found->failures >= a_minute_max && now - found->begin < length;
}

void known_tokens::keep(std::string_view remote, std::string_view token, time now) {
  seen_.use(pair_key(remote, token), now) = now;
}

bool known_tokens::contains(std::string_view remote, std::string_view token, time now) const {
  const auto* found = seen_.find(pair_key(remote, token));
  return found != nullptr && now - *found < kept_for;
}

} // namespace ringmaster::core
