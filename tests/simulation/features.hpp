#pragma once

// Features of random histories in addition to crashes, pauses, lost answers and edits of declared jobs. Each is a switch.

#include <cstdint>
#include <string>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

enum class feature : std::uint8_t {
  /// A gateway answers in place of the executor.
  foreign_answers,
  /// Two processes behind one address that was entered manually, or that registered itself.
  typed_replicas,
  registered_replicas,
  /// A database that is restored from a copy issues log ids again.
  ids_again,
  /// A clock that is minutes to days ahead for a moment.
  clock_jumps,
  /// A process may start at such a moment, and trust its clock until it has read other clocks.
  jumps_at_start,
  /// Manual start, stop, update, removal and run.
  hand_edits,
  /// Fixed rates, intervals below a second, jitter, an end.
  rates,
  /// Thousands of intents of an executor that stands still, scaled down.
  backlogs,
  /// Rows that another transaction holds.
  locked_rows,
  /// An executor that registered itself loses runs, and the history continues until they are found.
  lost_runs,
  /// Executors with native links: runs, questions and results go over links that are cut now and then, or over HTTP.
  native_links,
};

/// Returns whether random histories have the feature. Features whose findings are not fixed yet are off, unless
/// RINGMASTER_SIMULATION_WITH names them (separated by commas; `all`; a leading `-` switches one off).
[[nodiscard]] bool is_on(feature one);

/// Adds features to a random history, by its seed alone; the rest of the history stays unchanged.
void add_features(history& to);

[[nodiscard]] std::string describe_features(const history& all);

} // namespace ringmaster::simulation
