#include "core/access/access_token.hpp"

#include "core/text/text.hpp"

namespace ringmaster::core {

bool former_counts(const common_tokens& tokens, time_point now) noexcept {
  return !is_blank(tokens.former) && (!tokens.former_until || now < *tokens.former_until);
}

bool is_common_token(const common_tokens& tokens, std::string_view given, time_point now) noexcept {
  const bool is_current = equal_in_constant_time(given, tokens.current);
  const bool is_former = former_counts(tokens, now) && equal_in_constant_time(given, tokens.former);
  return is_current || is_former;
}

} // namespace ringmaster::core
