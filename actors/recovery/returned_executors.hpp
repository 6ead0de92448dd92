#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"

namespace ringmaster::actors {

/// Executors that answered after a suspicion, and the search for their open runs. Invariant: one search and one read at a time,
/// and an executor is in the queue, in the search, or with the caller of `failed`, which must ask it again. Part of the state of
/// lost_monitor, which reads the store.
class returned_executors {
public:
  /// Maximum of executors in one search.
  static constexpr std::size_t per_search_max = 64;

  void add(const std::string& address) { queue_.insert(address); }

  /// Begins a search with the read of its range; returns false if one is under way or no executor is in the queue.
  [[nodiscard]] bool begin();
  void begun(const core::log_range& range);
  /// Returns the section to read now; unset while there is none. Ends the search if all of it was read.
  [[nodiscard]] std::optional<core::open_search> next();
  /// Takes the last id that was read.
  void found(core::log_id through);
  /// Ends the search because the store did not answer. Returns its executors.
  [[nodiscard]] std::vector<std::string> failed();
  void clear();

private:
  std::unordered_set<std::string> queue_;
  std::optional<core::open_search> search_;
  bool reading_ = false;
};

} // namespace ringmaster::actors
