#pragma once

#include <cstdint>

namespace ringmaster::core {

/// Things in the store that the periodic polls of a node would find, all from one read. A flag may be set although its poll finds
/// nothing, but not the other way round.
struct pending_work {
  /// As in `cluster_view`.
  std::int64_t revision = 0;
  /// Intents wait to be claimed.
  bool has_intents = false;
  /// Alarms wait, or were taken by an incarnation that has ended.
  bool has_alarms = false;
  /// There are claims of ended incarnations.
  bool has_orphans = false;
  /// There are claims of the asking incarnation.
  bool has_claims = false;
  /// The inbox of elastic jobs has results.
  bool has_results = false;

  bool operator==(const pending_work&) const = default;
};

} // namespace ringmaster::core
