#include "storage/mysql/firing/intents.hpp"

#include <map>
#include <span>

#include <mysql/mysqld_error.h>

#include "core/job/address_list.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

std::int32_t shard_total(const core::intent& request) { return request.part.broadcast ? request.part.total : 0; }

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
  out.addresses = core::split_addresses(row.text(9));
  out.created_at = row.time_ms(10);
  return out;
}

constexpr const char* waiting_columns =
  "SELECT id, kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, addresses, created_ms";
constexpr const char* waiting_sizes = "SELECT COALESCE(LENGTH(param), 0) + COALESCE(LENGTH(addresses), 0)";
#define RINGMASTER_WAITING                                                                                                       \
  " FROM rm_intent FORCE INDEX (rm_intent_state) WHERE state = 0 AND created_ms <= ? AND created_ms >= ?"                        \
  " AND (created_ms > ? OR id > ?)"
#define RINGMASTER_OLDEST_FIRST " ORDER BY created_ms, id LIMIT ?"
constexpr const char* waiting_place = RINGMASTER_WAITING RINGMASTER_OLDEST_FIRST;
constexpr const char* waiting_instants = RINGMASTER_WAITING " AND kind IN ('cron', 'misfire')" RINGMASTER_OLDEST_FIRST;
#undef RINGMASTER_OLDEST_FIRST
#undef RINGMASTER_WAITING

/// Returns how many rows of the page fit together: the client holds a whole answer in memory, and a heartbeat waits for it.
std::size_t rows_within_bytes(connection& db, const core::intent_search& search) {
  std::size_t rows_found = 0;
  std::size_t bytes = 0;
  auto sizes = db.query({waiting_sizes, waiting_place}, search.created_before, search.after.created_at, search.after.created_at,
                        search.after.id, search.limit);
  while (sizes.next()) {
    bytes += static_cast<std::size_t>(sizes.number(0));
    if (rows_found > 0 && bytes > intents_page_bytes)
      break;
    ++rows_found;
  }
  return rows_found;
}

/// Reads the jobs of parents that this node does not have in memory, if there are consequences.
std::map<core::log_id, core::job> look_up_parents(session& own, const std::vector<core::log_id>& runs) {
  std::map<core::log_id, core::job> out;
  for (const auto part : padded_chunks(runs.size())) {
    auto& some = own.db.prepare("SELECT l.id, i.id, i.child_jobid, e.keep_logs FROM xxl_job_log l JOIN xxl_job_info i"
                                " ON i.id = l.job_id LEFT JOIN rm_job_ext e ON e.job = i.id"
                                " WHERE l.id IN ({?,}) AND (i.child_jobid <> '' OR e.keep_logs = 1)", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(runs[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      auto& parent = out[found.id<core::log_id>(0)];
      parent.id = found.id<core::job_id>(1);
      parent.child_jobs = found.text(2);
      parent.keep_logs = found.number(3) == 1;
    }
  }
  return out;
}

/// Returns the retry counts of the jobs that exist.
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

/// Returns the first id.
std::int64_t insert(session& own, std::span<const core::intent> requested, core::time_point now) {
  auto& some = own.db.prepare(
    "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, created_ms, addresses)"
    " VALUES {(?,?,?,?,?,?,?,?,?,?),}",
    requested.size());
  for (const auto& request : requested) {
    some.add(intent_kind_name(request.kind))
      .add(request.job)
      .add(request.fire_at)
      .add(request.origin)
      .add(request.part.index)
      .add(shard_total(request));
    some.add(request.param).add(request.retry_left).add(now).add(core::join_addresses(request.addresses));
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
    const auto found = parent.spec ? looked_up.end() : looked_up.find(parent.run);
    const auto* job = parent.spec ? parent.spec.get() : found != looked_up.end() ? &found->second : nullptr;
    if (!job)
      continue;
    if (job->keep_logs)
      out.logs.push_back({parent.run, job->id});
    if (!parent.succeeded || job->child_jobs.empty())
      continue;
    if (auto told = core::result_with_children(parent.message, *job, own.texts.reader, own.texts.tail))
      out.told.push_back({parent.run, std::move(*told)});
    const auto children = core::child_ids(*job);
    for (const auto child : children) {
      auto& request = out.children.emplace_back();
      request.job = child;
      request.origin = parent.run;
    }
    jobs.insert(jobs.end(), children.begin(), children.end());
  }
  const auto retries = retry_counts(own, sorted(std::span<const core::job_id>{jobs}));
  std::erase_if(out.children, [&](const core::intent& request) { return !retries.contains(request.job); });
  for (auto& request : out.children)
    request.retry_left = retries.at(request.job);
  return out;
}

void write_results(session& own, const std::vector<told_parent>& told) {
  const auto bytes_of = [&](std::size_t i) { return told[i].message.size(); };
  const auto cut = [](std::size_t size) { return padded_chunks(size, case_rows_max); };
  for (const auto part : chunks_within_bytes(told.size(), bytes_of, cut)) {
    auto& some = own.db.prepare("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_msg = CASE id {WHEN ? THEN ? }END"
                                " WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(told[part.at(i)].run).add(storable(told[part.at(i)].message));
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(told[part.at(i)].run);
    some.run();
  }
}

std::vector<core::intent> insert_intents(session& own, std::vector<core::intent> requested, core::time_point now) {
  std::vector<core::intent> out;
  const auto bytes_of = [&](std::size_t i) { return requested[i].param ? requested[i].param->size() : 0; };
  for (const auto part : chunks_within_bytes(requested.size(), bytes_of, exact_chunks)) {
    const auto some = std::span{requested}.subspan(part.begin, part.count);
    try {
      auto id = insert(own, some, now);
      for (auto& request : some) {
        request.id = core::intent_id{id};
        id += own.db.id_step();
        out.push_back(std::move(request));
      }
    } catch (const driver_error& failure) {
      // One of them already exists, e.g. a child that is named twice. The server has undone this statement only.
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      if (part.count == 1)
        continue;
      for (auto& request : some) {
        auto inserted = insert_intents(own, {std::move(request)}, now);
        std::move(inserted.begin(), inserted.end(), std::back_inserter(out));
      }
    }
  }
  return out;
}

core::result<std::vector<core::intent>> firing_role::waiting_intents(const core::intent_search& search) {
  return own_.db.read([&]() -> core::result<std::vector<core::intent>> {
    std::vector<core::intent> out;
    const auto rows_max = search.reserved_only ? search.limit : rows_within_bytes(own_.db, search);
    if (rows_max == 0)
      return out;
    const auto wanted = search.reserved_only ? sql{waiting_columns, waiting_instants} : sql{waiting_columns, waiting_place};
    auto found = own_.db.query(wanted, search.created_before, search.after.created_at, search.after.created_at, search.after.id,
                               rows_max);
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
