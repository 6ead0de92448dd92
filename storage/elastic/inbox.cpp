// E14: results that a node without the slot has heard, until its coordinator has applied them.

#include <algorithm>
#include <map>

#include "core/elastic/heard_result.hpp"
#include "storage/elastic/elastic_role.hpp"

namespace ringmaster::storage {

core::result<void> elastic_role::deliver(const core::node_incarnation& owner, const core::elastic::host_process& host,
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
    // The lock makes the end of a run wait for its row, or this call see the end: no row stays behind.
    std::vector<sql_value> values;
    own_.query_in(
      "SELECT id, fence, host, host_inc, state FROM ej_run WHERE id IN ({?,}) ORDER BY id $for_update", runs,
      [&](const sql_rows& row) {
        const auto found = sorted.extract(row.id<core::elastic::item_run_id>(0));
        const core::elastic::host_process of{row.id<core::elastic::host_number>(2), row.id<core::elastic::host_incarnation>(3)};
        // A run that has ended needs no other result, and a host ends only its own runs. Those of its former process it can
        // neither refuse nor give up, but it has the results of their bodies.
        if (found.empty() || row.number(4) != 1 || row.id<core::elastic::fence_number>(1) != found.mapped()->fence)
          return;
        if (of != host && (of.host != host.host || !core::elastic::is_result_of_body(found.mapped()->outcome)))
          return;
        for (const auto& value :
             {value_of(found.key()), value_of(found.mapped()->fence), sql_value{sql_bytes{found.mapped()->outcome}}})
          values.push_back(value);
      });
    own_.execute_rows("INSERT $or_ignore INTO ej_inbox (run, fence, outcome) VALUES {(?, ?, ?),}", values, 3);
    return {};
  });
}

core::result<std::vector<core::elastic::elastic_job_id>> elastic_role::jobs_with_results(std::size_t limit) {
  return own_.read([&]() -> core::result<std::vector<core::elastic::elastic_job_id>> {
    std::vector<core::elastic::elastic_job_id> out;
    // In this order: the inbox is small, and there may be a hundred thousand items.
    auto rows = own_.query(
      "SELECT DISTINCT i.job FROM ej_inbox b CROSS JOIN ej_run r ON r.id = b.run CROSS JOIN ej_item i ON i.job = r.job"
      " AND i.item = r.item WHERE i.run = b.run AND i.fence = b.fence AND i.state = 1 ORDER BY i.job LIMIT ?",
      limit);
    while (rows.next())
      out.push_back(rows.id<core::elastic::elastic_job_id>(0));
    return out;
  });
}

} // namespace ringmaster::storage
