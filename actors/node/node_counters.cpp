#include "actors/node/node_counters.hpp"

#include "actors/firing/run_counter.hpp"

namespace ringmaster::actors {

node_counters::node_counters(caf::actor_system& system)
  : triggers_{system}, store_{system}, recovery_{system}, run_ends_{run_end_counters(system)} {}

core::counter_totals node_counters::totals() const {
  return {triggers_.sent_runs(), failed_runs_in(*run_ends_), store_.stored_results(), triggers_.lateness()};
}

core::node_load node_counters::load() const {
  core::node_load out;
  out.lanes = triggers_.lanes();
  out.claims_open = store_.open_claims();
  out.undecided = recovery_.undecided->value();
  out.store_waiting = store_.waiting_rows();
  return out;
}

} // namespace ringmaster::actors
