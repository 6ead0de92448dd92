#pragma once

// Commands that work on the store of the configuration themselves, beside a server or without one.

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

/// Makes and migrates nothing. Errors: those of the configuration and of `database::open`.
[[nodiscard]] core::result<opened_store> open_store(const config_options& options);

/// Waits until no run of these jobs is on its way, at most a second; returns how many are (firing protocol §7), or nothing if the
/// store could not say then. The edit is durable in any case.
[[nodiscard]] std::optional<std::size_t> wait_for_runs(storage::store& store, std::span<const core::job_id> jobs);

} // namespace ringmaster::apps
