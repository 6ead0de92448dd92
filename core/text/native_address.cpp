#include "core/text/native_address.hpp"

#include <algorithm>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

bool is_native_address(std::string_view address) noexcept {
  return equal_without_case(trimmed(address).substr(0, native_address_scheme.size()), native_address_scheme);
}

bool is_native_address(std::string_view address, std::string_view app_name) noexcept {
  if (!address.starts_with(native_address_scheme))
    return false;
  auto rest = address.substr(native_address_scheme.size());
  if (rest.size() < app_name.size() + 2 || !rest.starts_with(app_name) || rest[app_name.size()] != '/')
    return false;
  return std::all_of(rest.begin(), rest.end(), [](char c) { return c > ' ' && c < '\x7f' && c != ','; });
}

} // namespace ringmaster::core
