// Finds one job by its name, and the runs of edited jobs that have not been sent.

#include <unordered_set>

#include "core/rules/job_edit_rules.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/jobs/job_edits.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char find_id[] = "SELECT i.id FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job "
                           "JOIN xxl_job_group g ON g.id = i.job_group WHERE g.app_name = ?1 AND x.job_key = ?2 "
                           "ORDER BY i.id LIMIT 1";
constexpr char find_open[] = "SELECT 1 FROM xxl_job_log WHERE id = ?1 AND trigger_code = 0 AND handle_code = 0";

} // namespace

core::result<core::scheduled_job> job_role::find(const core::job_name& name) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::scheduled_job> {
    auto id = name.id;
    if (!id)
      if (auto searching = db.prepare(find_id); searching.with(name.group, name.key).step())
        id = searching.id<core::job_id>(0);
    auto found = id ? find_job(own_, *id) : std::nullopt;
    if (!found)
      return tl::unexpected{core::no_such_job(name)};
    return std::move(*found);
  });
}

core::result<std::size_t> job_role::runs_on_their_way(std::span<const core::job_id> edited) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::size_t> {
    std::unordered_set<std::int32_t> wanted;
    for (auto id : edited)
      wanted.insert(core::number(id));
    std::vector<core::log_id> claimed;
    auto claims = db.prepare(list_open_claims);
    claims.with();
    while (claims.step())
      add_runs_of(wanted, claims.id<core::log_id>(0), claims.text(1), claimed);
    std::size_t open = 0;
    auto looking = db.prepare(find_open);
    for (auto id : claimed)
      open += looking.with(id).step() ? 1 : 0;
    return open;
  });
}

} // namespace ringmaster::storage::sqlite
