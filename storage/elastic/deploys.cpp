#include "storage/elastic/deploys.hpp"

#include "storage/elastic/elastic_edits.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// Jobs that one statement reads.
constexpr std::size_t held_at_once = 1000;

core::result<void> end_declaration(admin_session& own, const elastic_deploy& work, const core::elastic_job_write& write) {
  auto held = hold_elastic_job(own, *write.edit.id, core::group_right::editor, work.by);
  if (!held)
    return tl::unexpected{held.error()};
  if (!write.ends_later)
    return remove_held(own, *held, work.by, &work.source, work.now).map([](const auto&) {});
  own.execute("UPDATE ej_job SET content_hash = ? WHERE id = ?", core::pruned_hash, held->id);
  return switch_status(own, std::move(*held), elastic::job_status::shut_down, work.now, work.by).map([](const auto&) {});
}

core::result<void> write_declaration(admin_session& own, const elastic_deploy& work, const core::elastic_job_write& write) {
  auto edit = write.edit;
  edit.what.group = write.group.id ? *write.group.id : work.groups[write.group.position];
  const auto done = put_applied(own, edit, work.now, work.by);
  if (!done)
    return tl::unexpected{done.error()};
  if (!write.status)
    return {};
  auto held = hold_elastic_job(own, done->id, core::group_right::editor, work.by);
  if (!held)
    return tl::unexpected{held.error()};
  return switch_status(own, std::move(*held), *write.status, work.now, work.by).map([](const auto&) {});
}

} // namespace

std::vector<core::held_elastic_job> held_elastic_jobs(admin_session& own, const core::declared_set& declared) {
  std::vector<core::held_elastic_job> out;
  for (elastic::elastic_job_id after{};;) {
    auto rows = elastic_jobs_after(own, after, held_at_once);
    const bool more = rows.size() == held_at_once;
    for (auto& row : rows) {
      after = row.id;
      const bool busy = core::is_pruned(row, declared)
                        && own.finds("SELECT 1 FROM ej_item WHERE job = ? AND state <> 0 LIMIT 1", row.id);
      out.push_back({std::move(row), busy});
    }
    if (!more)
      return out;
  }
}

core::result<void> write_elastic_plan(admin_session& own, const elastic_deploy& work) {
  for (const auto& write : work.plan.writes) {
    const bool ends = write.kind == core::change_kind::remove || write.ends_later;
    if (auto done = ends ? end_declaration(own, work, write) : write_declaration(own, work, write); !done)
      return done;
  }
  return {};
}

} // namespace ringmaster::storage
