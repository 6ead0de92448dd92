#pragma once

// Privileges of an account, parsed from SHOW GRANTS.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::storage::mysql {

/// Privileges that no grant gives for the whole database.
struct missing_list {
  /// Missing ones of SELECT, INSERT, UPDATE, DELETE.
  std::vector<std::string> to_serve;
  /// Missing ones of CREATE, ALTER, DROP, INDEX, CREATE VIEW.
  std::vector<std::string> to_change_tables;
};

/// Returns the missing privileges. Nullopt when something is missing and the grants are not conclusive: roles, or grants for
/// single tables.
[[nodiscard]] std::optional<missing_list> missing_privileges(const std::vector<std::string>& grants, std::string_view database);

} // namespace ringmaster::storage::mysql
