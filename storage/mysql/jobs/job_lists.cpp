// Jobs and runs for people.

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "storage/editing/job_edit_rules.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/jobs/job_edits.hpp"
#include "storage/mysql/jobs/jobs.hpp"
#include "storage/mysql/runs/logs.hpp"

namespace ringmaster::storage::mysql {

namespace {

std::vector<core::job_card> cards_of(session& own, std::span<const core::job_id> ids) {
  std::vector<core::job_card> out;
  std::unordered_map<std::int64_t, std::size_t> position;
  for (auto& job : select_jobs(own, ids)) {
    position[core::number(job.spec->id)] = out.size();
    auto& card = out.emplace_back();
    card.spec = std::move(job.spec);
    card.next = job.next;
    card.last = job.last;
  }
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = own.db.prepare(
      "SELECT i.id, i.$job_name, i.author, i.alarm_email, i.schedule_type, i.trigger_status, g.app_name, x.job_key, x.source"
      " FROM xxl_job_info i LEFT JOIN xxl_job_group g ON g.id = i.job_group LEFT JOIN rm_job_ext x ON x.job = i.id"
      " WHERE i.id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    for (auto row = some.select(); row.next();) {
      const auto at = position.find(row.number(0));
      if (at == position.end())
        continue; // added between the two reads
      auto& card = out[at->second];
      card.name = row.text(1);
      card.author = row.text(2);
      card.alarm_email = row.text(3);
      card.schedule_type = row.text(4);
      card.running = row.number(5) == 1;
      card.group = row.text(6);
      card.key = row.text(7);
      card.source = row.text(8);
    }
  }
  return out;
}

std::vector<core::log_id> newest_first(session& own, const core::run_filter& filter) {
  const auto before = filter.before.value_or(core::log_id{std::numeric_limits<std::int64_t>::max()});
  auto found =
    filter.failed && filter.job
      ? own.db.query("SELECT log_id FROM rm_failed_run WHERE log_id < ? AND job = ? ORDER BY log_id DESC LIMIT ?", before,
                     *filter.job, filter.limit)
    : filter.failed
      ? own.db.query("SELECT log_id FROM rm_failed_run WHERE log_id < ? ORDER BY log_id DESC LIMIT ?", before, filter.limit)
    : filter.job ? own.db.query("SELECT id FROM xxl_job_log WHERE id < ? AND job_id = ? ORDER BY id DESC LIMIT ?", before,
                                *filter.job, filter.limit)
                 : own.db.query("SELECT id FROM xxl_job_log WHERE id < ? ORDER BY id DESC LIMIT ?", before, filter.limit);
  std::vector<core::log_id> out;
  while (found.next())
    out.push_back(found.id<core::log_id>(0));
  return out;
}

} // namespace

core::result<std::vector<core::job_card>> job_role::list(const core::job_filter& filter) {
  return own_.db.read([&]() -> core::result<std::vector<core::job_card>> {
    std::vector<core::job_id> ids;
    auto found = own_.db.query("SELECT i.id FROM xxl_job_info i LEFT JOIN xxl_job_group g ON g.id = i.job_group"
                               " WHERE i.id > ? AND (? = 0 OR g.app_name = ?) AND (? = 0 OR (i.trigger_status = 1) = ?)"
                               " ORDER BY i.id LIMIT ?",
                               filter.after, filter.group.has_value(), filter.group.value_or(""), filter.running.has_value(),
                               filter.running.value_or(false), filter.limit);
    while (found.next())
      ids.push_back(found.id<core::job_id>(0));
    return cards_of(own_, ids);
  });
}

core::result<core::job_card> job_role::find(const core::job_name& name) {
  return own_.db.read([&]() -> core::result<core::job_card> {
    auto id = name.id;
    if (!id)
      if (auto found = own_.db.query("SELECT i.id FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job"
                                     " JOIN xxl_job_group g ON g.id = i.job_group WHERE g.app_name = ? AND x.job_key = ?"
                                     " ORDER BY i.id LIMIT 1", name.group, name.key);
          found.next())
        id = found.id<core::job_id>(0);
    auto cards = id ? cards_of(own_, {&*id, 1}) : std::vector<core::job_card>{};
    if (cards.empty())
      return tl::unexpected{no_such_job(name)};
    return std::move(cards.front());
  });
}

core::result<std::vector<core::log_row>> job_role::latest_runs(const core::run_filter& filter) {
  auto ids = own_.db.read([&]() -> core::result<std::vector<core::log_id>> { return newest_first(own_, filter); });
  if (!ids)
    return tl::unexpected{ids.error()};
  auto rows = log_role{own_}.rows(*ids);
  if (rows)
    std::reverse(rows->begin(), rows->end());
  return rows;
}

core::result<std::size_t> job_role::runs_on_their_way(std::span<const core::job_id> edited) {
  std::unordered_set<std::int32_t> wanted;
  for (const auto id : edited)
    wanted.insert(core::number(id));
  return own_.db.read([&]() -> core::result<std::size_t> {
    std::vector<core::log_id> claimed;
    auto claims = own_.db.query("SELECT first_log_id, items FROM rm_claim");
    while (claims.next())
      add_runs_of(wanted, claims.id<core::log_id>(0), claims.text(1), claimed);
    std::size_t open = 0;
    for (const auto part : padded_chunks(claimed.size())) {
      auto& some = own_.db.prepare(
        "SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND trigger_code = 0 AND handle_code = 0",
        part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(claimed[part.at(i)]);
      for (auto found = some.select(); found.next();)
        ++open;
    }
    return open;
  });
}

} // namespace ringmaster::storage::mysql
