#pragma once

// Reasons and ends of item runs, with the numbers of their columns (elastic design §2).

#include <cstdint>
#include <string_view>

#include "core/elastic/elastic_ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Reason of an item run: `ej_run.source`.
enum class run_source : std::uint8_t { normal = 0, misfire = 1, failover = 2, manual = 3 };

/// Returns ElasticJob's name: `NORMAL_TRIGGER`, `MISFIRE`, `FAILOVER`, `MANUAL`.
[[nodiscard]] constexpr std::string_view to_string(run_source source) noexcept {
  switch (source) {
  case run_source::normal: return "NORMAL_TRIGGER";
  case run_source::misfire: return "MISFIRE";
  case run_source::failover: return "FAILOVER";
  case run_source::manual: return "MANUAL";
  }
  return "NORMAL_TRIGGER";
}

/// Name of a fire within its job (I4). `source` is never `failover`.
struct fire_key {
  time_point at{};
  run_source source = run_source::normal;
  /// Request that asked for it; 0 for a fire of the schedule.
  request_id request{};
  friend bool operator==(const fire_key&, const fire_key&) = default;
};

/// Reason of one run, and the fire that it belongs to. A takeover keeps the fire of the lost run.
struct run_cause {
  run_source source = run_source::normal;
  fire_key fire;
  friend bool operator==(const run_cause&, const run_cause&) = default;
};

/// End of an item run, as in `ej_run.state`.
enum class item_run_end : std::uint8_t {
  finished = 2,
  error = 3,
  /// Its host died, fenced itself, refused the run or does not know it.
  lost = 4,
  killed = 5,
  /// Taken over too often, or it ignored cancel and kill.
  failed = 6,
};

/// Stored state of an item: `ej_item.state`.
enum class stored_item_state : std::uint8_t { idle = 0, open = 1, wanted = 2 };

} // namespace ringmaster::core::elastic
