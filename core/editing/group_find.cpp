#include "core/editing/group_find.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace ringmaster::core {

namespace {

std::string in_small_letters(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

bool is_before(const group_record& a, const group_record& b, group_order order) {
  switch (order) {
  case group_order::id: return a.group.id < b.group.id;
  case group_order::title: return std::tie(a.group.title, a.group.id) < std::tie(b.group.title, b.group.id);
  case group_order::app_name: break;
  }
  return std::tie(a.group.app_name, a.group.title, a.group.id) < std::tie(b.group.app_name, b.group.title, b.group.id);
}

} // namespace

std::vector<group_record> find_groups(std::vector<group_record> groups, const group_find& wanted) {
  const auto part = in_small_letters(wanted.part);
  std::erase_if(groups, [&](const group_record& each) {
    return in_small_letters(each.group.app_name).find(part) == std::string::npos
           && in_small_letters(each.group.title).find(part) == std::string::npos
           && std::to_string(number(each.group.id)) != part;
  });
  if (wanted.order)
    std::sort(groups.begin(), groups.end(), [&](const group_record& a, const group_record& b) {
      return wanted.descending ? is_before(b, a, *wanted.order) : is_before(a, b, *wanted.order);
    });
  return groups;
}

} // namespace ringmaster::core
