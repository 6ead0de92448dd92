#pragma once

#include <functional>
#include <span>
#include <vector>

#include "storage/mysql/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// Executor groups and registrations.
class registry_role final : public registry_store {
public:
  explicit registry_role(session& own) : own_{own} {}

  core::result<core::registry_state> read() override;
  core::result<void> write(const core::registry_batch& batch, core::time_point now) override;

private:
  using row_writer = std::function<void(std::span<const core::registration>)>;

  /// Writes rows in transactions of some hundred, in the order in which every node locks them, so that no node waits long for
  /// another.
  core::result<void> in_parts(std::vector<core::registration> rows, const row_writer& write);

  void renew(std::span<const core::registration> renewed);
  void write_tokens(std::span<const core::registration> tokens);

  session& own_;
};

} // namespace ringmaster::storage::mysql
