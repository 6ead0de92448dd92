// Removal of old runs in small steps.

#include <algorithm>

#include "core/maintenance/log_ranges.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_run_ids[] = "SELECT id FROM xxl_job_log WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3";
constexpr char list_claims_up_to[] = "SELECT first_log_id, items FROM rm_claim WHERE first_log_id <= ?1";
constexpr char remove_runs[] = "DELETE FROM xxl_job_log WHERE id > ?1 AND id <= ?2 AND trigger_time <= ?3";
// Includes rows that other programs deleted.
constexpr char remove_failed[] = "DELETE FROM rm_failed_run WHERE log_id > ?1 AND log_id <= ?2 "
                                 "AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_failed_run.log_id)";
constexpr char remove_asked[] = "DELETE FROM rm_asked_run WHERE log_id > ?1 AND log_id <= ?2 "
                                "AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_asked_run.log_id)";
constexpr char remove_kept[] = "UPDATE rm_kept_log SET state = 2 WHERE log_id > ?1 AND log_id <= ?2 AND state < 2 "
                               "AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_kept_log.log_id)";

/// Returns the range of one step.
core::log_range next_stretch(connection& db, const core::purge_step& step) {
  auto range = core::cut(step.range, maintenance_store::ids_per_call);
  auto listing = db.prepare(list_run_ids);
  listing.with(range.after, range.through, step.limit);
  std::size_t count = 0;
  auto last = range.after;
  for (; listing.step(); ++count)
    last = listing.id<core::log_id>(0);
  if (count == step.limit)
    range.through = last;
  return range;
}

} // namespace

std::vector<core::log_id> held_runs(connection& db, const core::log_range& range) {
  std::vector<core::log_id> ids;
  auto listing = db.prepare(list_claims_up_to);
  listing.with(range.through);
  while (listing.step())
    if (auto items = unpack(listing.id<core::log_id>(0), listing.text(1)))
      for (const auto& item : *items)
        if (item.id > range.after && item.id <= range.through)
          ids.push_back(item.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The rows are determined before the one writer is locked. No claim on an old row is created after that: claims are written with
// their rows and only change owners.
core::result<core::purge_outcome> maintenance_role::purge(const core::purge_step& step) {
  std::vector<core::log_id> kept;
  auto range = within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::log_range> {
    auto found = next_stretch(db, step);
    kept = held_runs(db, found);
    return found;
  });
  if (!range)
    return tl::unexpected{std::move(range.error())};
  std::chrono::steady_clock::time_point locked;
  auto outcome = within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::purge_outcome> {
    locked = std::chrono::steady_clock::now();
    core::purge_outcome done{0, range->through, {}};
    const auto before = own_.dates.of(step.before);
    for (const auto& part : core::without(*range, kept))
      done.removed += static_cast<std::size_t>(db.run(remove_runs, part.after, part.through, before));
    db.run(remove_failed, range->after, range->through);
    db.run(remove_asked, range->after, range->through);
    db.run(remove_kept, range->after, range->through);
    return done;
  });
  if (outcome)
    outcome->took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - locked);
  return outcome;
}

} // namespace ringmaster::storage::sqlite
