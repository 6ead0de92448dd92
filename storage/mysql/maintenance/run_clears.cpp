// Clearing of runs by users, in small steps.

#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"
#include "storage/mysql/runs/run_reads.hpp"
#include "storage/mysql/users/audit_row.hpp"
#include "storage/rules/run_clearing.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Removes runs of open claims from `ids`.
void leave_held(connection& db, std::vector<core::log_id>& ids) {
  if (!ids.empty())
    leave_out(ids, held_runs(db, {core::log_id{core::number(ids.front()) - 1}, ids.back()}));
}

/// Returns the number of removed log rows.
std::size_t remove(connection& db, const std::vector<core::log_id>& ids) {
  std::size_t removed = 0;
  for (const auto part : padded_chunks(ids.size())) {
    const auto run = [&](sql text) {
      auto& some = db.prepare(text, part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(ids[part.at(i)]);
      return static_cast<std::size_t>(some.run());
    };
    removed += run("DELETE FROM xxl_job_log WHERE id IN ({?,})");
    run("DELETE FROM rm_failed_run WHERE log_id IN ({?,})");
    run("DELETE FROM rm_asked_run WHERE log_id IN ({?,})");
    run("UPDATE rm_kept_log SET state = 2 WHERE log_id IN ({?,})");
  }
  return removed;
}

} // namespace

// The rows are determined before any lock is taken: no claim on an old row is created after that.
core::result<core::clear_step> run_role::clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                               std::size_t limit, const core::principal& by, core::time_point now) {
  if (!from)
    return begin_clear(search, by, now);
  auto found = own_.db.read([&]() -> core::result<clear_finding> {
    const auto terms = clear_terms_of(search, group_of(own_.db, search.job), by, own_.dates);
    if (!terms)
      return tl::unexpected{terms.error()};
    log_paths log{own_};
    auto finding = clear_next(log, *terms, *from, limit);
    leave_held(own_.db, finding.ids);
    return finding;
  });
  if (!found)
    return tl::unexpected{std::move(found.error())};
  if (found->ids.empty())
    return core::clear_step{0, found->next};
  return own_.db.transact([&]() -> core::result<core::clear_step> {
    return core::clear_step{remove(own_.db, found->ids), found->next};
  });
}

core::result<core::clear_step> run_role::begin_clear(const core::clear_search& search, const core::principal& by,
                                                     core::time_point now) {
  return own_.db.transact([&]() -> core::result<core::clear_step> {
    if (auto terms = clear_terms_of(search, group_of(own_.db, search.job), by, own_.dates); !terms)
      return tl::unexpected{terms.error()};
    log_paths log{own_};
    write_audit(own_.db, audit_of_clearing(search, by, own_.dates, now));
    return core::clear_step{0, clear_begin(log, search, own_.dates)};
  });
}

} // namespace ringmaster::storage::mysql
