#pragma once

#include "storage/export_store.hpp"

namespace ringmaster::storage::sqlite {

struct session;

/// Export of declared files (`exports.cpp`).
class exports final : public export_store {
public:
  explicit exports(session& session) : session_{session} {}

  core::result<void> look(const reader& read) override;

private:
  session& session_;
};

} // namespace ringmaster::storage::sqlite
