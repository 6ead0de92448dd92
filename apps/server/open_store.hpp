#pragma once

// Direct access to the configured store, for commands that work with or without a running server.

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "apps/server/assembly.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

struct opened_store {
  assembled what;
  std::unique_ptr<storage::database> database;
  std::unique_ptr<storage::store> store;
};

/// Opens the store without creating or migrating it. Errors: those of the configuration and of `database::open`.
[[nodiscard]] core::result<opened_store> open_store(const config_options& options);

/// Waits until no run of these jobs is being sent, at most a second. Returns how many still are (firing protocol §7), or nullopt
/// if the store did not answer. The edit is durable in any case.
[[nodiscard]] std::optional<std::size_t> wait_for_runs(storage::store& store, std::span<const core::job_id> jobs);

} // namespace ringmaster::apps
