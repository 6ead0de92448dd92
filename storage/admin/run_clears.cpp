// Clearing of runs by users, in small steps.

#include "storage/admin/audit_row.hpp"
#include "storage/admin/run_reads.hpp"
#include "storage/rules/run_clearing.hpp"

namespace ringmaster::storage {

namespace {

/// Removes runs of open claims from `ids`.
void leave_held(admin_session& own, std::vector<core::log_id>& ids) {
  if (!ids.empty())
    leave_out(ids, own.held_runs({core::log_id{core::number(ids.front()) - 1}, ids.back()}));
}

} // namespace

std::size_t remove_runs(admin_session& own, std::span<const core::log_id> ids) {
  return own.execute_in({"DELETE FROM xxl_job_log WHERE id IN ({?,})", "DELETE FROM rm_failed_run WHERE log_id IN ({?,})",
                         "DELETE FROM rm_asked_run WHERE log_id IN ({?,})",
                         "UPDATE rm_kept_log SET state = 2 WHERE log_id IN ({?,})"},
                        ids);
}

// The rows are determined before any lock is taken: no claim on an old row is created after that.
core::result<core::clear_step> run_role::clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                               std::size_t limit, const core::principal& by, core::time_point now) {
  if (!from)
    return begin_clear(search, by, now);
  auto found = own_.read([&]() -> core::result<clear_finding> {
    const auto terms = clear_terms_of(search, group_of(own_, search.job), by, own_.dates());
    if (!terms)
      return tl::unexpected{terms.error()};
    auto finding = clear_next(own_.log_paths(), *terms, *from, limit);
    leave_held(own_, finding.ids);
    return finding;
  });
  if (!found)
    return tl::unexpected{std::move(found.error())};
  if (found->ids.empty())
    return core::clear_step{0, found->next};
  return own_.edit([&]() -> core::result<core::clear_step> {
    return core::clear_step{remove_runs(own_, found->ids), found->next};
  });
}

core::result<core::clear_step> run_role::begin_clear(const core::clear_search& search, const core::principal& by,
                                                     core::time_point now) {
  return own_.edit([&]() -> core::result<core::clear_step> {
    if (auto terms = clear_terms_of(search, group_of(own_, search.job), by, own_.dates()); !terms)
      return tl::unexpected{terms.error()};
    write_audit(own_, audit_of_clearing(search, by, own_.dates(), now));
    return core::clear_step{0, clear_begin(own_.log_paths(), search, own_.dates())};
  });
}

} // namespace ringmaster::storage
