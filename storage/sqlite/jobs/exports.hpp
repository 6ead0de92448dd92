#pragma once

#include "storage/export_store.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// Export of declared files.
class export_role final : public export_store {
public:
  explicit export_role(session& own) : own_{own} {}

  core::result<void> look(const reader& read) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::sqlite
