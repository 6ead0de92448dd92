#pragma once

// What an account may do, from the words of SHOW GRANTS.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::storage::mysql {

/// Those of SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER and DROP that no grant gives for the whole database. Nothing when the
/// grants do not tell: roles, or grants for single tables.
[[nodiscard]] std::optional<std::vector<std::string>> missing_privileges(const std::vector<std::string>& grants,
                                                                         std::string_view database);

} // namespace ringmaster::storage::mysql
