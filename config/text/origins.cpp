#include "config/text/origins.hpp"

#include <algorithm>

namespace ringmaster::config {

bool origins::any_refused(std::initializer_list<std::string_view> keys) const {
  return std::any_of(keys.begin(), keys.end(), [this](std::string_view key) { return refused_.contains(key); });
}

std::string origins::prefix(std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys)
    if (const auto at = places_.find(key); at != places_.end())
      return at->second + ": ";
  return {};
}

std::string origins::subject(std::string_view key) const {
  const auto at = places_.find(key);
  if (at == places_.end())
    return std::string{key};
  return at->second.ends_with(" " + std::string{key}) ? at->second : at->second + ": " + std::string{key};
}

} // namespace ringmaster::config
