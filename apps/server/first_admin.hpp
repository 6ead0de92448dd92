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
  /// Where it stands.
  std::string file;
};

/// Nothing where there are users, or another node was quicker. The password stands in the file before the row is written, so that
/// a crash in between locks nobody out: the next start takes what stands there. Errors: those of the store and of the file.
[[nodiscard]] core::result<std::optional<first_admin>> make_first_admin(storage::store& store,
                                                                        const config::settings& settings);

} // namespace ringmaster::apps
