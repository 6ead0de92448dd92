// Removal of old runs in small steps.

#include <algorithm>
#include <limits>

#include "core/maintenance/log_ranges.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"
#include "storage/mysql/schema/partitions.hpp"
#include "storage/rows/claim_items.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Returns the range of one step.
core::log_range next_stretch(connection& db, const core::purge_step& step) {
  auto range = core::cut(step.range, maintenance_store::ids_per_call);
  auto found = db.query("SELECT COUNT(*), MAX(id) FROM (SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY)"
                        " WHERE id > ? AND id <= ? ORDER BY id LIMIT ?) AS oldest",
                        range.after, range.through, step.limit);
  if (found.next() && static_cast<std::size_t>(found.number(0)) == step.limit)
    range.through = found.id<core::log_id>(1);
  return range;
}

/// Drops a partition. Empty without the privilege to change tables: old runs are then removed one by one.
std::optional<std::chrono::microseconds> try_drop(connection& db, const core::log_range& part) {
  try {
    return drop_part(db, part);
  } catch (const driver_error& failure) {
    if (failure.connection_lost() || failure.worth_repeating())
      throw;
    return std::nullopt;
  }
}

} // namespace

std::vector<core::log_id> held_runs(connection& db, const core::log_range& range) {
  std::vector<core::log_id> ids;
  auto claims = db.query("SELECT first_log_id, items FROM rm_claim WHERE first_log_id <= ?", range.through);
  while (claims.next())
    if (auto items = unpack(claims.id<core::log_id>(0), claims.text(1)))
      for (const auto& item : *items)
        if (item.id > range.after && item.id <= range.through)
          ids.push_back(item.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The rows are determined before any lock is taken. No claim on an old row is created after that: claims are written with their
// rows and only change owners. The range also has a lower bound; without it each step would read the deleted rows of the earlier
// steps.
core::result<core::purge_outcome> maintenance_role::purge(const core::purge_step& step) {
  if (auto part = drop_next_part(step); !part || *part)
    return part ? core::result<core::purge_outcome>{**part} : tl::unexpected{part.error()};
  std::vector<core::log_id> kept;
  auto range = own_.db.read([&]() -> core::result<core::log_range> {
    auto found = next_stretch(own_.db, step);
    kept = held_runs(own_.db, found);
    return found;
  });
  if (!range)
    return tl::unexpected{std::move(range.error())};
  std::chrono::steady_clock::time_point began;
  auto outcome = own_.db.transact([&]() -> core::result<core::purge_outcome> {
    began = std::chrono::steady_clock::now();
    core::purge_outcome done{0, range->through, {}};
    const std::string before{own_.dates.of(step.before)};
    for (const auto& part : core::without(*range, kept))
      done.removed += static_cast<std::size_t>(own_.db.execute(
        "DELETE l FROM xxl_job_log l FORCE INDEX (PRIMARY) WHERE l.id > ? AND l.id <= ? AND l.trigger_time <= ?", part.after,
        part.through, before));
    // Includes rows that other programs deleted.
    own_.db.execute("DELETE FROM rm_failed_run WHERE log_id > ? AND log_id <= ?"
                    " AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_failed_run.log_id)",
                    range->after, range->through);
    own_.db.execute("DELETE FROM rm_asked_run WHERE log_id > ? AND log_id <= ?"
                    " AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_asked_run.log_id)",
                    range->after, range->through);
    own_.db.execute("UPDATE rm_kept_log SET state = 2 WHERE log_id > ? AND log_id <= ? AND state < 2"
                    " AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = rm_kept_log.log_id)",
                    range->after, range->through);
    return done;
  });
  if (outcome)
    outcome->took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  return outcome;
}

// A partition is marked as kept until it has been dropped. After any failure, even a lost connection, the purge therefore
// continues with the steps that remove rows.
core::result<std::optional<core::purge_outcome>> maintenance_role::drop_next_part(const core::purge_step& step) {
  using dropped_outcome = std::optional<core::purge_outcome>;
  if (step.range.after < kept_part_ && step.before == kept_before_)
    return dropped_outcome{}; // a partition is checked once per purge
  kept_before_ = step.before;
  return own_.db.read([&]() -> core::result<dropped_outcome> {
    const auto part = next_part(log_parts(own_.db), step.range.after);
    kept_part_ = part ? part->through : core::log_id{std::numeric_limits<std::int64_t>::max()};
    if (!part || part->through > step.range.through)
      return dropped_outcome{};
    if (emptied_part_ != part->through) {
      const auto runs = count_if_all_old(own_, *part, step.before);
      if (!runs)
        return dropped_outcome{};
      emptied_part_ = part->through;
      emptied_runs_ = *runs;
    }
    // Dependent rows of its runs are removed first, in steps as short as all others: there may be a million.
    const auto began = std::chrono::steady_clock::now();
    const auto left = [&](std::uint64_t removed) { return removed == step.limit; };
    if (left(own_.db.execute("DELETE FROM rm_failed_run WHERE log_id > ? AND log_id <= ? ORDER BY log_id LIMIT ?", part->after,
                             part->through, step.limit))
        || left(own_.db.execute("DELETE FROM rm_asked_run WHERE log_id > ? AND log_id <= ? ORDER BY log_id LIMIT ?", part->after,
                                part->through, step.limit))
        || left(own_.db.execute("UPDATE rm_kept_log SET state = 2 WHERE log_id > ? AND log_id <= ? AND state < 2"
                                " ORDER BY log_id LIMIT ?", part->after, part->through, step.limit))) {
      kept_part_ = {};
      const auto took = std::chrono::steady_clock::now() - began;
      return dropped_outcome{{0, step.range.after, std::chrono::duration_cast<std::chrono::microseconds>(took)}};
    }
    const auto locked = try_drop(own_.db, *part);
    if (!locked)
      return dropped_outcome{};
    kept_part_ = {};
    return dropped_outcome{{emptied_runs_, part->through, *locked}};
  });
}

core::result<void> maintenance_role::make_room() {
  return own_.db.read([&]() -> core::result<void> {
    add_parts(own_.db);
    return {};
  });
}

} // namespace ringmaster::storage::mysql
