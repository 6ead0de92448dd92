#include "core/job/group.hpp"

#include <algorithm>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

std::string misfit_of(std::string_view name, std::string_view value, std::size_t characters_max) {
  if (value.empty())
    return std::string{name} + " is empty.";
  if (valid_utf8(value) != value)
    return std::string{name} + " is not UTF-8.";
  if (!fits(value, characters_max))
    return std::string{name} + " is longer than " + std::to_string(characters_max) + " characters.";
  return {};
}

} // namespace

std::string misfit_of(std::string_view registry_group, std::string_view app_name, std::string_view address) {
  auto why = misfit_of("registryGroup", registry_group, registry_group_chars);
  if (why.empty())
    why = misfit_of("registryKey", app_name, registry_key_chars);
  if (why.empty())
    why = misfit_of("registryValue", address, address_chars);
  return why;
}

bool is_group_token(std::string_view text) noexcept {
  return text.size() >= group_token_chars_min && text.size() <= group_token_chars_max
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

} // namespace ringmaster::core
