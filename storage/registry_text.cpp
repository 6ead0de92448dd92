#include "storage/registry_text.hpp"

#include "core/columns.hpp"
#include "core/text.hpp"

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
  auto too_long = [](std::string_view what, std::size_t most, std::string_view value) {
    return core::fail(core::errc::invalid_argument, std::string{what} + " is longer than " + std::to_string(most) +
                                                      " characters: " + std::string{core::cut_characters(value, 80)} + "...");
  };
  for (const auto& row : batch.renewed) {
    if (!core::fits(row.registry_group, core::registry_group_chars))
      return too_long("registryGroup", core::registry_group_chars, row.registry_group);
    if (!core::fits(row.app_name, core::registry_key_chars))
      return too_long("registryKey", core::registry_key_chars, row.app_name);
    if (!core::fits(row.address, core::address_chars))
      return too_long("registryValue", core::address_chars, row.address);
  }
  return {};
}

} // namespace ringmaster::storage
