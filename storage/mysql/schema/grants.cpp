#include "storage/mysql/schema/grants.hpp"

#include <algorithm>
#include <set>

namespace ringmaster::storage::mysql {

namespace {

/// Matches as LIKE does: `%`, `_` and the backslash before them.
bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty())
    return text.empty();
  if (pattern.front() == '%') {
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (like(text.substr(i), pattern.substr(1)))
        return true;
    return false;
  }
  if (pattern.front() == '\\' && pattern.size() > 1)
    pattern.remove_prefix(1);
  else if (pattern.front() == '_')
    return !text.empty() && like(text.substr(1), pattern.substr(1));
  return !text.empty() && text.front() == pattern.front() && like(text.substr(1), pattern.substr(1));
}

std::string_view unquoted(std::string_view name) {
  if (name.size() >= 2 && name.front() == '`' && name.back() == '`')
    return name.substr(1, name.size() - 2);
  return name;
}

void add_privileges(std::string_view list, std::set<std::string, std::less<>>& held) {
  while (!list.empty()) {
    auto word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    while (word.starts_with(' '))
      word.remove_prefix(1);
    held.emplace(word);
  }
}

} // namespace

std::optional<missing_list> missing_privileges(const std::vector<std::string>& grants, std::string_view database) {
  std::set<std::string, std::less<>> held;
  bool unsure = false;
  for (std::string_view grant : grants) {
    const auto on = grant.find(" ON ");
    const auto to = grant.rfind(" TO ");
    if (!grant.starts_with("GRANT ") || to == grant.npos)
      continue;
    if (on == grant.npos || on > to) {
      unsure = true; // a role
      continue;
    }
    const auto object = grant.substr(on + 4, to - on - 4);
    const auto dot = object.rfind('.');
    if (dot == object.npos)
      continue;
    const auto schema = unquoted(object.substr(0, dot));
    if (schema != "*" && !like(database, schema))
      continue;
    if (object.substr(dot + 1) == "*")
      add_privileges(grant.substr(6, on - 6), held);
    else
      unsure = true;
  }
  missing_list missing;
  if (held.contains("ALL PRIVILEGES") || held.contains("ALL"))
    return missing;
  for (const char* needed : {"SELECT", "INSERT", "UPDATE", "DELETE"})
    if (!held.contains(needed))
      missing.to_serve.emplace_back(needed);
  for (const char* needed : {"CREATE", "ALTER", "DROP", "INDEX", "CREATE VIEW"})
    if (!held.contains(needed))
      missing.to_change_tables.emplace_back(needed);
  if (unsure && !(missing.to_serve.empty() && missing.to_change_tables.empty()))
    return std::nullopt;
  return missing;
}

} // namespace ringmaster::storage::mysql
