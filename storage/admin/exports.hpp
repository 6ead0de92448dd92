#pragma once

#include "storage/export_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Export of declared files, with or without our own tables.
class export_role final : public export_store {
public:
  explicit export_role(admin_session& own) : own_{own} {}

  core::result<void> look(const reader& read) override;
  /// In `declared_sources.cpp`.
  core::result<std::vector<core::declared_source>> sources() override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
