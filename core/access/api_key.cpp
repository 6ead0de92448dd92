#include "core/access/api_key.hpp"

#include <algorithm>

namespace ringmaster::core {

bool is_api_key(std::string_view text) noexcept {
  constexpr std::size_t random_chars = 43;
  if (!text.starts_with(api_key_prefix))
    return false;
  text.remove_prefix(api_key_prefix.size());
  return text.size() == random_chars && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

} // namespace ringmaster::core
