#include "core/access/session.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace ringmaster::core {

session_id session_id_of(std::string_view digest) noexcept {
  const auto digits = digest.substr(0, session_id_digits);
  std::int64_t value = 0;
  (void) std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return session_id{value};
}

std::string digest_prefix_of(session_id id) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number(id), 16).ptr;
  std::string text(digits.data(), end);
  return text.size() < session_id_digits ? text.insert(0, session_id_digits - text.size(), '0') : text;
}

} // namespace ringmaster::core
