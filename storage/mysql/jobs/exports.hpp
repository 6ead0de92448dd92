#pragma once

#include "storage/export_store.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Export of declared files, with or without our own tables.
class export_role final : public export_store {
public:
  explicit export_role(session& own) : own_{own} {}

  core::result<void> look(const reader& read) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::mysql
