// E14: results that a node without the slot has heard.

#include <algorithm>
#include <map>

#include "storage/elastic/elastic_role.hpp"

namespace ringmaster::storage {

core::result<void> elastic_role::deliver(const core::node_incarnation& owner,
                                         std::span<const core::elastic::inbox_row> results) {
  for (const auto& each : results)
    if (each.outcome.size() > core::elastic::outcome_bytes)
      return core::fail(core::errc::too_large, "the result of run " + std::to_string(core::number(each.run)) + " is too long");
  return own_.edit([&]() -> core::result<void> {
    if (auto current = own_.check_current(owner); !current)
      return current;
    std::map<core::elastic::item_run_id, const core::elastic::inbox_row*> sorted;
    std::vector<core::elastic::item_run_id> runs;
    for (const auto& each : results)
      if (sorted.emplace(each.run, &each).second)
        runs.push_back(each.run);
    std::sort(runs.begin(), runs.end());
    // A run that has ended needs no other result.
    std::vector<sql_value> values;
    own_.query_in("SELECT id FROM ej_run WHERE id IN ({?,}) AND state = 1", runs, [&](const sql_rows& row) {
      const auto found = sorted.extract(row.id<core::elastic::item_run_id>(0));
      if (found.empty())
        return;
      for (const auto& value :
           {value_of(found.key()), value_of(found.mapped()->fence), sql_value{sql_bytes{found.mapped()->outcome}}})
        values.push_back(value);
    });
    own_.execute_rows("INSERT $or_ignore INTO ej_inbox (run, fence, outcome) VALUES {(?, ?, ?),}", values, 3);
    return {};
  });
}

} // namespace ringmaster::storage
