#pragma once

// State shared by the roles of one store.

#include <memory>

#include "core/run/run.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// One store's connection and the state that its roles share. Used by one thread at a time.
struct session {
  /// Checks that `owner` is the stored incarnation of its node, inside a transaction: the guard of T1, T2, T6, T7 and of failures
  /// in T3. Errors: `fenced`.
  [[nodiscard]] core::result<void> check_current(const core::node_incarnation& owner) const;

  std::unique_ptr<connection> db;
  datetime_text dates;
  core::zone schedule_zone;
  /// Language of texts stored for users.
  core::language reader = core::language::en;
};

/// Returns the error for an ended incarnation.
[[nodiscard]] core::error incarnation_has_ended(const core::node_incarnation& incarnation);

} // namespace ringmaster::storage::sqlite
