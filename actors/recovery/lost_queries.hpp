#pragma once

// Reads of the store for lost_monitor; they run on a worker's thread.

#include <chrono>
#include <set>
#include <string>
#include <unordered_map>

#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// One page of open runs, and the timeouts of their jobs.
struct found_runs {
  core::open_page page;
  std::unordered_map<core::job_id, std::chrono::seconds> timeouts;
};

/// Returns the part of the log that a walk checks: from its beginning to the last run before `before`.
[[nodiscard]] core::result<core::log_range> log_before(storage::store& store, core::time_point before);
/// Returns the part of the log after the last run before `from`.
[[nodiscard]] core::result<core::log_range> log_since(storage::store& store, core::time_point from);
[[nodiscard]] core::result<found_runs> find_open_runs(storage::store& store, const core::open_search& search);
/// Returns the addresses of open runs since `from`, as far as a few pages show.
[[nodiscard]] core::result<std::set<std::string>> addresses_of_open(storage::store& store, core::open_search wanted,
                                                                    core::time_point from);

} // namespace ringmaster::actors
