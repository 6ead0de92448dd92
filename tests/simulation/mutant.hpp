#pragma once

// The firing protocol with one rule left out: stores and answers that behave as if the rule did not exist.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocol/http.hpp"
#include "storage/store.hpp"
#include "tests/simulation/shared_schedule.hpp"

namespace ringmaster::simulation {

class world;

/// State of the mutant that decides about failures in a transaction of its own.
struct lost_decisions {
  /// Intents of the last record.
  std::vector<std::int64_t> last;
  std::set<std::int64_t> lost;
};

/// Objects that a store without a rule may need in addition to the store behind it.
struct mutant_tools {
  lost_decisions decisions;
  /// The tables, for changes that no store call makes.
  storage::sqlite::connection* tables = nullptr;
};

struct mutant {
  /// The rule's tag.
  std::string rule;
  /// Makes a store without the rule in front of the real one; null: the store has the rule.
  std::function<std::unique_ptr<storage::store>(storage::store&, mutant_tools&)> store = nullptr;
  /// Changes the transport's outcome of a request; null: no change.
  std::function<void(const protocol::http_call&, protocol::http_result&)> answer = nullptr;
  /// `/log` is asked before `/idleBeat`.
  bool log_first = false;
  /// A decision about a failure is lost with a process that ends when the failure is recorded.
  bool decides_apart = false;
  /// Requests are sent whatever the deadline says, or runs over native links.
  bool gate_always_open = false;
  bool link_gate_always_open = false;
  /// Rule of shared mode.
  shared_rules shared = {};
  /// Invariant that must be the first to be found broken; empty: any.
  std::string breaks = {};
};

[[nodiscard]] const std::vector<mutant>& all_mutants();
/// Returns the mutants that leave out a check of the deadline or a guard of T1 to T7.
[[nodiscard]] const std::vector<mutant>& guard_mutants();
/// Returns the mutants of nodes that come and go.
[[nodiscard]] const std::vector<mutant>& slot_mutants();
/// Returns the mutants of shared mode.
[[nodiscard]] const std::vector<mutant>& shared_mutants();
[[nodiscard]] const mutant* find_mutant(const std::string& rule);

} // namespace ringmaster::simulation
