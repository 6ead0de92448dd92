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

/// Of the mutant that decides about failures in a transaction of its own.
struct lost_decisions {
  /// Intents of the last record.
  std::vector<std::int64_t> last;
  std::set<std::int64_t> lost;
};

/// What a store without a rule may need beside the store behind it.
struct mutant_tools {
  lost_decisions decisions;
  /// The tables, for what no call of a store does.
  storage::sqlite::connection* tables = nullptr;
};

struct mutant {
  /// The rule's tag.
  std::string rule;
  /// A store without the rule in front of the real one; null: the store has it.
  std::function<std::unique_ptr<storage::store>(storage::store&, mutant_tools&)> store = nullptr;
  /// Changes what the transport says became of a request; null: nothing.
  std::function<void(const protocol::http_call&, protocol::http_result&)> answer = nullptr;
  /// `/log` is asked before `/idleBeat`.
  bool log_first = false;
  /// What is decided about a failure is lost with a process that ends when the failure is recorded.
  bool decides_apart = false;
  /// Requests leave whatever the deadline says.
  bool gate_always_open = false;
  /// Of shared mode.
  shared_rules shared = {};
};

[[nodiscard]] const std::vector<mutant>& all_mutants();
/// Those that leave out a guard of T1 to T7.
[[nodiscard]] const std::vector<mutant>& guard_mutants();
/// Those of shared mode.
[[nodiscard]] const std::vector<mutant>& shared_mutants();
[[nodiscard]] const mutant* find_mutant(const std::string& rule);

} // namespace ringmaster::simulation
