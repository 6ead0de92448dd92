#pragma once

// Fires of an elastic job that are due: spec §9.4, elastic design §5 ("Instants"). Overruns are decided per item
// (`core/elastic/item_machine.hpp`): a fire in this plan may be missed for single items.

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/elastic/run_cause.hpp"
#include "core/ids.hpp"
#include "core/schedule/schedule.hpp"

namespace ringmaster::core::elastic {

/// Instants that are late by at most this fire in order.
inline constexpr milliseconds late_limit{5000};
/// Maximum number of fires of one job in one plan; those after it are planned at once by the next plan.
inline constexpr std::size_t fires_max = 64;
/// Maximum age of a missed instant that no other one follows.
inline constexpr milliseconds last_misfire_age{std::chrono::hours{24}};

struct misfire_options {
  bool misfire = true;
  /// Unset: one period of the schedule (spec §9.4, O5).
  std::optional<milliseconds> max_age = std::nullopt;
};

/// One fire for E4.
struct planned_fire {
  /// A `misfire` fire has the newest missed instant: a repetition after a hand-over finds its key (I4).
  fire_key key;
  /// True: the fire is stored as dropped (state 6), and no item runs.
  bool dropped = false;
  /// Number of instants that it stands for.
  std::size_t instants = 1;
  friend bool operator==(const planned_fire&, const planned_fire&) = default;
};

/// The fires of one job for E4, and the move of its schedule.
struct fire_plan {
  /// In order of their instants.
  std::vector<planned_fire> fires;
  /// Last planned instant: `ej_schedule.last_ms`.
  time_point last{};
  /// Next instant: `ej_schedule.next_ms`; unset: the schedule has ended.
  std::optional<time_point> next;
};

/// Plans the fires of a job whose next instant is `next`. Nothing is planned before its instant. If `next` is late by more than
/// `late_limit`, all missed instants become one fire: of source `misfire` if it is switched on and the newest instant is not too
/// old, else dropped. Otherwise each instant up to `now` is a fire of its own. `of` is used only for the jitter of the schedule.
[[nodiscard]] fire_plan plan_fires(const schedule& rule, time_point next, job_id of, time_point now,
                                   const misfire_options& options);

/// Returns the default of `misfire_max_age` for an instant: the time to the following instant, or `last_misfire_age` if there
/// is none.
[[nodiscard]] milliseconds misfire_max_age_of(const schedule& rule, time_point instant, job_id of);

} // namespace ringmaster::core::elastic
