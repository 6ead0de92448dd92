#include "storage/mysql/intents.hpp"

#include <map>
#include <span>

#include <mysql/mysqld_error.h>

#include "storage/claim_rules.hpp"
#include "storage/mysql/batches.hpp"
#include "storage/mysql/firing.hpp"
#include "storage/registry_text.hpp"

namespace ringmaster::storage::mysql {

namespace {

std::int32_t shard_total(const core::intent& wish) { return wish.part.broadcast ? wish.part.total : 0; }

core::intent read_intent(const rows& row) {
  core::intent out;
  out.id = row.id<core::intent_id>(0);
  out.kind = find_intent_kind(row.text(1));
  out.job = row.id<core::job_id>(2);
  out.fire_at = row.time_ms(3);
  out.origin = row.id<core::log_id>(4);
  if (const auto total = row.number32(6); total > 0)
    out.part = {row.number32(5), total, true};
  out.param = row.optional_string(7);
  out.retry_left = row.number32(8);
  out.addresses = split_addresses(row.text(9));
  return out;
}

/// What of a parent's job counts here.
struct parent_job {
  core::job_id id{};
  std::vector<core::job_id> children;
  bool keeps_log = false;
};

/// Of parents whose job this node does not have in memory, if anything follows.
std::map<core::log_id, parent_job> look_up_parents(session& own, const std::vector<core::log_id>& runs) {
  std::map<core::log_id, parent_job> out;
  for (const auto part : padded_chunks(runs.size())) {
    auto& some = own.db.prepare("SELECT l.id, i.id, i.child_jobid, e.keep_logs FROM xxl_job_log l JOIN xxl_job_info i"
                                " ON i.id = l.job_id LEFT JOIN rm_job_ext e ON e.job = i.id"
                                " WHERE l.id IN ({?,}) AND (i.child_jobid <> '' OR e.keep_logs = 1)", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(runs[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      core::job parent;
      parent.id = found.id<core::job_id>(1);
      parent.child_jobs = found.text(2);
      out[found.id<core::log_id>(0)] = {parent.id, core::child_ids(parent), found.number(3) == 1};
    }
  }
  return out;
}

/// Retry counts of the jobs that exist.
std::map<core::job_id, std::int32_t> retry_counts(session& own, const std::vector<core::job_id>& jobs) {
  std::map<core::job_id, std::int32_t> out;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = own.db.prepare("SELECT id, executor_fail_retry_count FROM xxl_job_info WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      out[found.id<core::job_id>(0)] = found.number32(1);
  }
  return out;
}

/// The first id.
std::int64_t insert(session& own, std::span<const core::intent> wishes, core::time_point now) {
  auto& some = own.db.prepare(
    "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, created_ms, addresses)"
    " VALUES {(?,?,?,?,?,?,?,?,?,?),}",
    wishes.size());
  for (const auto& wish : wishes) {
    some.add(intent_kind_name(wish.kind))
      .add(wish.job)
      .add(wish.fire_at)
      .add(wish.origin)
      .add(wish.part.index)
      .add(shard_total(wish));
    some.add(wish.param).add(wish.retry_left).add(now).add(join_addresses(wish.addresses));
  }
  some.run();
  return some.first_id();
}

} // namespace

consequences consequences_of(session& own, const std::vector<finished_parent>& parents) {
  std::vector<core::log_id> unknown;
  for (const auto& parent : parents)
    if (!parent.spec)
      unknown.push_back(parent.run);
  const auto looked_up = look_up_parents(own, unknown);

  consequences out;
  std::vector<core::job_id> jobs;
  for (const auto& parent : parents) {
    parent_job job;
    if (parent.spec)
      job = {parent.spec->id, core::child_ids(*parent.spec), parent.spec->keep_logs};
    else if (const auto found = looked_up.find(parent.run); found != looked_up.end())
      job = found->second;
    if (job.keeps_log)
      out.logs.push_back({parent.run, job.id});
    if (!parent.succeeded)
      continue;
    for (const auto child : job.children) {
      auto& wish = out.children.emplace_back();
      wish.job = child;
      wish.origin = parent.run;
    }
    jobs.insert(jobs.end(), job.children.begin(), job.children.end());
  }
  const auto retries = retry_counts(own, sorted(std::span<const core::job_id>{jobs}));
  std::erase_if(out.children, [&](const core::intent& wish) { return !retries.contains(wish.job); });
  for (auto& wish : out.children)
    wish.retry_left = retries.at(wish.job);
  return out;
}

std::vector<core::intent> insert_intents(session& own, std::vector<core::intent> wishes, core::time_point now) {
  std::vector<core::intent> out;
  const auto bytes_of = [&](std::size_t i) { return wishes[i].param ? wishes[i].param->size() : 0; };
  for (const auto part : chunks_within_bytes(wishes.size(), bytes_of, exact_chunks)) {
    const auto some = std::span{wishes}.subspan(part.begin, part.count);
    try {
      auto id = insert(own, some, now);
      for (auto& wish : some) {
        wish.id = core::intent_id{id};
        id += own.db.id_step();
        out.push_back(std::move(wish));
      }
    } catch (const driver_error& failure) {
      // One of them is there already: a child that is named twice, say. The server has undone this statement alone.
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      if (part.count == 1)
        continue;
      for (auto& wish : some) {
        auto inserted = insert_intents(own, {std::move(wish)}, now);
        std::move(inserted.begin(), inserted.end(), std::back_inserter(out));
      }
    }
  }
  return out;
}

core::result<std::vector<core::intent>> firing_role::waiting_intents(core::time_point created_before, std::size_t limit) {
  return own_.db.read([&]() -> core::result<std::vector<core::intent>> {
    std::vector<core::intent> out;
    auto found = own_.db.query(
      "SELECT id, kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, addresses FROM rm_intent"
      " WHERE state = 0 AND created_ms <= ? ORDER BY created_ms, id LIMIT ?",
      created_before, limit);
    while (found.next())
      out.push_back(read_intent(found));
    return out;
  });
}

std::size_t delete_intents(connection& db, std::span<const core::intent_id> intents) {
  std::size_t deleted = 0;
  const auto ids = sorted(intents);
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = db.prepare("DELETE FROM rm_intent WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    deleted += some.run();
  }
  return deleted;
}

} // namespace ringmaster::storage::mysql
