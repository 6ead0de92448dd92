#pragma once

// The first administrator of a database without users.

#include <optional>
#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

struct first_admin {
  std::string name;
  std::string password;
  /// File with the password.
  std::string file;
};

/// Creates the first administrator. Returns nullopt if there are users, or if another node was faster. The password is in the
/// file before the row is written, so a crash in between locks no user out: the next start uses the password in the file. Errors:
/// those of the store and of the file.
[[nodiscard]] core::result<std::optional<first_admin>> make_first_admin(storage::store& store,
                                                                        const config::settings& settings);

} // namespace ringmaster::apps
