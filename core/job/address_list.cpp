#include "core/job/address_list.hpp"

#include <cstddef>

#include "core/job/group.hpp"

namespace ringmaster::core {

std::vector<std::string> split_addresses(std::string_view list) {
  while (!list.empty() && list.back() == ',')
    list.remove_suffix(1);
  std::vector<std::string> addresses;
  while (!list.empty()) {
    auto comma = list.find(',');
    addresses.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos)
      break;
    list.remove_prefix(comma + 1);
  }
  return addresses;
}

std::optional<std::string> join_addresses(const std::vector<std::string>& addresses) {
  if (addresses.empty())
    return std::nullopt;
  std::string list = addresses.front();
  for (std::size_t i = 1; i < addresses.size(); ++i)
    list += ',' + addresses[i];
  return list;
}

std::optional<std::string> address_column(const std::vector<std::string>& addresses) {
  const auto fitting = addresses_that_fit(addresses);
  if (fitting == addresses.size())
    return join_addresses(addresses);
  return join_addresses({addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(fitting)});
}

} // namespace ringmaster::core
