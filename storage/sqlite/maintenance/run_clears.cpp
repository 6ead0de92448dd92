// Clearing of runs by users, in small steps.

#include "storage/rules/run_clearing.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"
#include "storage/sqlite/runs/run_reads.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr const char* run_removals[] = {
  "DELETE FROM rm_failed_run WHERE log_id = ?1",
  "DELETE FROM rm_asked_run WHERE log_id = ?1",
  "UPDATE rm_kept_log SET state = 2 WHERE log_id = ?1",
};
constexpr char remove_run[] = "DELETE FROM xxl_job_log WHERE id = ?1";

/// Removes runs of open claims from `ids`.
void leave_held(connection& db, std::vector<core::log_id>& ids) {
  if (!ids.empty())
    leave_out(ids, held_runs(db, {core::log_id{core::number(ids.front()) - 1}, ids.back()}));
}

} // namespace

// The rows are determined before the one writer is locked: no claim on an old row is created after that.
core::result<core::clear_step> run_role::clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                               std::size_t limit, const core::principal& by, core::time_point now) {
  if (!from)
    return begin_clear(search, by, now);
  auto found = within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<clear_finding> {
    const auto terms = clear_terms_of(search, group_of(db, search.job), by, own_.dates);
    if (!terms)
      return tl::unexpected{terms.error()};
    log_paths log{db};
    auto finding = clear_next(log, *terms, *from, limit);
    leave_held(db, finding.ids);
    return finding;
  });
  if (!found)
    return tl::unexpected{std::move(found.error())};
  if (found->ids.empty())
    return core::clear_step{0, found->next};
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::clear_step> {
    core::clear_step done{0, found->next};
    for (const auto id : found->ids) {
      done.removed += static_cast<std::size_t>(db.run(remove_run, id));
      for (const char* sql : run_removals)
        db.run(sql, id);
    }
    return done;
  });
}

core::result<core::clear_step> run_role::begin_clear(const core::clear_search& search, const core::principal& by,
                                                     core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::clear_step> {
    if (auto terms = clear_terms_of(search, group_of(db, search.job), by, own_.dates); !terms)
      return tl::unexpected{terms.error()};
    log_paths log{db};
    write_audit(db, audit_of_clearing(search, by, own_.dates, now));
    return core::clear_step{0, clear_begin(log, search, own_.dates)};
  });
}

} // namespace ringmaster::storage::sqlite
