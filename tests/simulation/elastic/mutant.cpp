#include "tests/simulation/elastic/mutant.hpp"

namespace ringmaster::simulation::elastic {

const std::vector<mutant>& mutants() {
  static const std::vector<mutant> made{
    {.name = "nofence", .without = "a grant is written whatever the item's row says", .grants_always = true},
    {.name = "closeisdeath",
     .without = "the end of a link counts as a proof that the host's process has ended",
     .close_is_death = true},
    {.name = "oldkeeper", .without = "the acknowledgement of any node extends the lease", .any_node_extends = true},
    {.name = "nomargin", .without = "a host's lease lasts longer than its keeper waits", .longer_lease = true},
    {.name = "receiptfirst", .without = "a result has its receipt before it is stored", .receipt_first = true},
    {.name = "oldepochgrant",
     .without = "a host takes grants of an earlier coordinator of the slot",
     .old_epochs = true,
     .provoke = provoke_late_grants},
    {.name = "otherprocess",
     .without = "a host takes grants for an earlier process",
     .any_process = true,
     .provoke = provoke_grants_to_ended_process},
    {.name = "noinventory", .without = "a host that is asked for its runs names none", .empty_inventory = true},
    {.name = "foldersame",
     .without = "a newer process with another folder counts as proof",
     .one_folder = true,
     .provoke = provoke_second_process},
    {.name = "gateopen", .without = "a node acknowledges and grants whatever its deadline says", .gate_open = true},
    {.name = "anykeeper",
     .without = "a node that is not the keeper may say that a host is silent",
     .any_keeper = true,
     .provoke = provoke_late_verdicts},
    {.name = "firetwice", .without = "the next coordinator fires the last instant again", .fires_again = true},
    {.name = "missforever", .without = "a compensation does not clear the mark", .keeps_missed = true},
    {.name = "enabledbyrestart", .without = "a new coordinator enables all items", .enables_at_adoption = true},
    {.name = "noepoch",
     .without = "a coordinator writes under the epoch of another one",
     .any_epoch = true,
     .provoke = provoke_late_transactions}};
  return made;
}

} // namespace ringmaster::simulation::elastic
