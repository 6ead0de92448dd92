#pragma once

// Rules of elastic jobs that a run leaves out: a simulation that finds nothing proves something only if it finds known defects.
// There is no switch in the product: the network or the store in front of the real one behaves as if the rule did not exist.

#include <string_view>
#include <vector>

#include "tests/simulation/elastic/provoked_history.hpp"

namespace ringmaster::simulation::elastic {

struct mutant {
  std::string_view name;
  /// Behaviour without the rule.
  std::string_view without;

  // The network.
  bool close_is_death = false;
  bool any_node_extends = false;
  bool longer_lease = false;
  bool receipt_first = false;
  bool old_epochs = false;
  bool empty_inventory = false;
  bool one_folder = false;
  bool gate_open = false;
  bool any_process = false;
  // The store.
  bool grants_always = false;
  bool any_keeper = false;
  bool fires_again = false;
  bool keeps_missed = false;
  bool enables_at_adoption = false;
  bool any_epoch = false;

  /// Adds faults that need the rule. Null: random histories are enough.
  provocation provoke = nullptr;
};

/// Returns all mutants.
[[nodiscard]] const std::vector<mutant>& mutants();

} // namespace ringmaster::simulation::elastic
