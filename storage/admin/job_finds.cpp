// Finds one job by its name, and the runs of edited jobs that have not been sent.

#include <optional>
#include <unordered_set>

#include "core/rules/job_edit_rules.hpp"
#include "storage/admin/job_edits.hpp"
#include "storage/rows/claim_items.hpp"

namespace ringmaster::storage {

namespace {

std::optional<core::job_id> find_id(admin_session& own, const core::job_name& name) {
  if (name.id)
    return name.id;
  auto found = own.query("SELECT i.id FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job"
                         " JOIN xxl_job_group g ON g.id = i.job_group WHERE g.app_name = ? AND x.job_key = ?"
                         " ORDER BY i.id LIMIT 1", name.group, name.key);
  return found.next() ? std::optional{found.id<core::job_id>(0)} : std::nullopt;
}

} // namespace

core::result<core::scheduled_job> job_role::find(const core::job_name& name) {
  return own_.read([&]() -> core::result<core::scheduled_job> {
    const auto id = find_id(own_, name);
    auto found = id ? own_.schedule().find(*id) : std::nullopt;
    if (!found)
      return tl::unexpected{core::no_such_job(name)};
    return std::move(*found);
  });
}

core::result<std::size_t> job_role::runs_on_their_way(std::span<const core::job_id> edited) {
  std::unordered_set<std::int32_t> wanted;
  for (const auto id : edited)
    wanted.insert(core::number(id));
  return own_.read([&]() -> core::result<std::size_t> {
    std::vector<core::log_id> claimed;
    auto claims = own_.query("SELECT first_log_id, items FROM rm_claim");
    while (claims.next())
      add_runs_of(wanted, claims.id<core::log_id>(0), claims.text(1), claimed);
    std::size_t open = 0;
    own_.query_in("SELECT id FROM xxl_job_log $by_primary_key WHERE id IN ({?,}) AND trigger_code = 0 AND handle_code = 0",
                  claimed, [&open](const sql_rows&) { ++open; });
    return open;
  });
}

} // namespace ringmaster::storage
