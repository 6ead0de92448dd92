// Removal of old runs, fires and plans. Rows are chosen without locks: none of them changes any more.

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;
using core::time_point;

/// Rows that a step removes, by their keys.
struct old_rows {
  std::vector<sql_value> runs;
  std::vector<sql_value> fires;
  std::vector<sql_value> plans;
  elastic::purge_done done;
};

/// An open run stays, and so does one that an item still names: the item waits for its takeover.
old_rows old_runs_after(admin_session& own, time_point before, const elastic::purge_place& from, std::size_t limit) {
  old_rows out;
  out.done.next = from;
  std::size_t read = 0;
  time_point last{};
  auto rows = own.query("SELECT r.id, r.granted_ms, r.state, COALESCE(i.state, 0) FROM ej_run r LEFT JOIN ej_item i"
                        " ON i.job = r.job AND i.item = r.item AND i.run = r.id WHERE r.id > ? ORDER BY r.id LIMIT ?",
                        from.run, limit);
  for (; rows.next(); ++read) {
    last = rows.time_ms(1);
    out.done.next.run = rows.id<elastic::item_run_id>(0);
    if (last < before && rows.number(2) != 1 && rows.number(3) == 0)
      out.runs.push_back(rows.number(0));
  }
  out.done.removed = out.runs.size();
  out.done.complete = read < limit || last >= before + run_disorder;
  return out;
}

/// Plans before that of the oldest fire, and before the newest plan.
void find_old_plans(admin_session& own, elastic::elastic_job_id job, time_point before, std::size_t limit, old_rows& out) {
  auto newest = own.query("SELECT COALESCE(MAX(version), 0) FROM ej_plan WHERE job = ?", job);
  auto first_kept = newest.next() ? newest.number(0) : 0;
  auto oldest = own.query("SELECT plan_version FROM ej_fire WHERE job = ? ORDER BY fire_ms, source, request LIMIT 1", job);
  if (oldest.next())
    first_kept = std::min(first_kept, oldest.number(0));
  auto rows = own.query("SELECT version FROM ej_plan WHERE job = ? AND version < ? AND at_ms < ? ORDER BY version LIMIT ?", job,
                        first_kept, before, limit);
  while (rows.next())
    out.plans.insert(out.plans.end(), {value_of(job), rows.number(0)});
}

/// The last planned fire of a job stays, and so does a fire with an open barrier.
old_rows old_fires_from(admin_session& own, time_point before, const elastic::purge_place& from, std::size_t limit) {
  old_rows out;
  out.done.next = from;
  elastic::elastic_job_id job{};
  {
    auto jobs = own.query("SELECT j.id, COALESCE(s.last_ms, 0) FROM ej_job j LEFT JOIN ej_schedule s ON s.job = j.id"
                          " WHERE j.id >= ? ORDER BY j.id LIMIT 1",
                          from.job);
    if (!jobs.next()) {
      out.done.complete = true;
      return out;
    }
    job = jobs.id<elastic::elastic_job_id>(0);
    if (jobs.number(1) > 0)
      before = std::min(before, jobs.time_ms(1));
  }
  const auto begin = job == from.job ? from.fire : time_point{};
  std::size_t read = 0;
  time_point last{};
  {
    auto rows = own.query("SELECT fire_ms, source, request, state FROM ej_fire WHERE job = ? AND fire_ms >= ? AND fire_ms < ?"
                          " ORDER BY fire_ms, source, request LIMIT ?",
                          job, begin, before, limit);
    for (; rows.next(); ++read) {
      last = rows.time_ms(0);
      if (rows.number(3) == 0 || rows.number(3) > 4)
        out.fires.insert(out.fires.end(), {value_of(job), rows.number(0), rows.number(1), rows.number(2)});
    }
  }
  out.done.removed = out.fires.size() / 4;
  if (read == limit || !out.fires.empty()) {
    // Rows that stay must not hold the walk up. Plans are looked for once the fires are gone.
    out.done.next = {from.run, job, out.fires.empty() ? last + core::milliseconds{1} : last};
    return out;
  }
  find_old_plans(own, job, before, limit, out);
  const bool more = out.plans.size() / 2 == limit;
  out.done.next = {from.run, more ? job : elastic::elastic_job_id{core::number(job) + 1}, more ? before : time_point{}};
  return out;
}

core::result<elastic::purge_done> remove_rows(admin_session& own, old_rows&& old) {
  if (old.runs.empty() && old.fires.empty() && old.plans.empty())
    return old.done;
  return own.edit([&]() -> core::result<elastic::purge_done> {
    own.execute_rows("DELETE FROM ej_fire WHERE $is_four(job, fire_ms, source, request)", old.fires, 4);
    own.execute_rows("DELETE FROM ej_run WHERE $is_id(id)", old.runs, 1);
    own.execute_rows("DELETE FROM ej_inbox WHERE $is_id(run)", old.runs, 1);
    own.execute_rows("DELETE FROM ej_plan WHERE $is_pair(job, version)", old.plans, 2);
    return old.done;
  });
}

} // namespace

core::result<elastic::purge_done> elastic_role::purge_runs(time_point before, const elastic::purge_place& from,
                                                           std::size_t limit) {
  auto old = own_.read_together(
    [&]() -> core::result<old_rows> { return old_runs_after(own_, before, from, std::max<std::size_t>(limit, 1)); });
  if (!old)
    return tl::unexpected{std::move(old.error())};
  return remove_rows(own_, std::move(*old));
}

core::result<elastic::purge_done> elastic_role::purge_fires(time_point before, const elastic::purge_place& from,
                                                            std::size_t limit) {
  auto old = own_.read_together(
    [&]() -> core::result<old_rows> { return old_fires_from(own_, before, from, std::max<std::size_t>(limit, 1)); });
  if (!old)
    return tl::unexpected{std::move(old.error())};
  return remove_rows(own_, std::move(*old));
}

} // namespace ringmaster::storage
