#pragma once

// What an account may do, from the words of SHOW GRANTS.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::storage::mysql {

/// What no grant gives for the whole database.
struct missing_list {
  /// Of SELECT, INSERT, UPDATE, DELETE.
  std::vector<std::string> to_serve;
  /// Of CREATE, ALTER, DROP, INDEX.
  std::vector<std::string> to_change_tables;
};

/// Nothing when something is missing and the grants do not tell all: roles, or grants for single tables.
[[nodiscard]] std::optional<missing_list> missing_privileges(const std::vector<std::string>& grants, std::string_view database);

} // namespace ringmaster::storage::mysql
