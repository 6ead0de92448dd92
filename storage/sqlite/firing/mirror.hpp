#pragma once

#include "storage/mirror_store.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// Synchronisation of XXL's trigger columns in native mode.
class mirror_role final : public mirror_store {
public:
  explicit mirror_role(session& own) : own_{own} {}

  core::result<mirror_step> sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::sqlite
