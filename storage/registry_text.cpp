#include "storage/registry_text.hpp"

#include <utility>

namespace ringmaster::storage {

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
  const auto fitting = core::addresses_that_fit(addresses);
  if (fitting == addresses.size())
    return join_addresses(addresses);
  return join_addresses({addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(fitting)});
}

core::result<void> check(const core::registry_batch& batch) {
  for (const auto& row : batch.renewed)
    if (auto why = core::misfit_of(row.registry_group, row.app_name, row.address); !why.empty())
      return core::fail(core::errc::invalid_argument, std::move(why));
  return {};
}

} // namespace ringmaster::storage
