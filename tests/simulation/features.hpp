#pragma once

// What random histories hold beside crashes, pauses, lost answers and edits of declared jobs. Each is a switch.

#include <cstdint>
#include <string>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

enum class feature : std::uint8_t {
  /// A gateway answers in the executor's place.
  foreign_answers,
  /// Two processes behind one address that was typed in, or that registered itself.
  typed_replicas,
  registered_replicas,
  /// A database that is restored from a copy gives out log ids again.
  ids_again,
  /// A clock that is minutes to days ahead for a moment.
  clock_jumps,
  /// A process may start in such a moment, and take it for the truth until it has heard other clocks.
  jumps_at_start,
  /// Start, stop, update, remove and run by hand.
  hand_edits,
  /// Fixed rates, intervals below a second, jitter, an end.
  rates,
  /// Thousands of intents of an executor that stands still, scaled down.
  backlogs,
  /// Rows that somebody else holds.
  locked_rows,
  /// An executor that registered itself loses runs, and the run goes on until that is found out.
  lost_runs,
  /// Executors that dial in: runs, questions and results go over links that are cut now and then, or over HTTP.
  native_links,
};

/// Whether random histories have it: those whose findings are not mended yet have not, unless RINGMASTER_SIMULATION_WITH names
/// them (separated by commas; `all`; or, with a `-` in front, leaves one out).
[[nodiscard]] bool is_on(feature one);

/// Adds features to a random history, by its seed alone; what the history had stays as it was.
void add_features(history& to);

[[nodiscard]] std::string describe_features(const history& all);

} // namespace ringmaster::simulation
