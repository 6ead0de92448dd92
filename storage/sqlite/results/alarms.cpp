#include "storage/sqlite/results/alarms.hpp"

#include <algorithm>

#include "core/cluster/slot_map.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_orphaned_alarms[] =
  "SELECT i.id, i.job, i.origin_log_id, i.shard, i.created_ms FROM rm_intent i "
  "LEFT JOIN rm_node n ON n.id = i.node AND n.incarnation = i.incarnation AND n.state = 'up' "
  "WHERE i.state = 3 AND (n.id IS NULL OR (?1 AND i.node = ?2 AND i.incarnation = ?3)) ORDER BY i.created_ms, i.id LIMIT ?4";
constexpr char list_waiting_alarms[] =
  "SELECT id, job, origin_log_id, shard, created_ms FROM rm_intent WHERE state = 2 "
  "AND created_ms <= ?1 ORDER BY created_ms, id";
constexpr char list_serving_nodes[] = "SELECT id FROM rm_node WHERE state = 'up' AND serves = 1";
constexpr char take_one[] = "UPDATE rm_intent SET state = 3, node = ?2, incarnation = ?3 WHERE id = ?1";
constexpr char find_mine[] =
  "SELECT job, origin_log_id, shard FROM rm_intent WHERE id = ?1 AND state = 3 AND node = ?2 AND incarnation = ?3";
constexpr char settle_alarm_status[] = "UPDATE xxl_job_log SET alarm_status = ?2 WHERE id = ?1 AND alarm_status = -1";
constexpr char delete_intent[] = "DELETE FROM rm_intent WHERE id = ?1";
constexpr char await_recovery[] = "INSERT INTO rm_alarm_open (job, log_id) VALUES (?1, ?2) "
                                  "ON CONFLICT (job) DO UPDATE SET log_id = max(log_id, excluded.log_id)";
constexpr char list_open_alarms[] = "SELECT job, log_id FROM rm_alarm_open WHERE job > ?1 ORDER BY job LIMIT ?2";
constexpr char find_success[] =
  "SELECT id FROM xxl_job_log INDEXED BY I_jobid WHERE job_id = ?1 AND id > ?2 AND handle_code = 200 ORDER BY id LIMIT 1";
constexpr char delete_open[] = "DELETE FROM rm_alarm_open WHERE job = ?1 AND log_id = ?2";

using taken_alarms = core::result<std::vector<core::pending_alarm>>;

core::pending_alarm read_alarm(const statement& row) {
  core::pending_alarm out;
  out.id = row.id<core::intent_id>(0);
  out.job = row.id<core::job_id>(1);
  out.origin = row.id<core::log_id>(2);
  out.kind = alarm_kind_of(row.small(3));
  out.since = row.time_ms(4);
  return out;
}

core::slot_set slots_of(connection& db, const core::node_incarnation& owner) {
  std::vector<std::string> live;
  auto listing = db.prepare(list_serving_nodes);
  listing.with();
  while (listing.step())
    live.emplace_back(listing.text(0));
  return core::slots_of(owner.node, live);
}

/// Returns the alarms that `owner` may take now.
std::vector<core::pending_alarm> look(connection& db, const core::node_incarnation& owner, bool again, core::time_point now,
                                      std::size_t limit) {
  std::vector<core::pending_alarm> out;
  {
    auto listing = db.prepare(list_orphaned_alarms);
    listing.with(again, owner.node, owner.incarnation, limit);
    while (listing.step())
      out.push_back(read_alarm(listing));
  }
  const auto slots = slots_of(db, owner);
  auto listing = db.prepare(list_waiting_alarms);
  listing.with(now);
  while (out.size() < limit && listing.step()) {
    auto alarm = read_alarm(listing);
    if (slots.test(core::slot_of(alarm.job)) || alarm.since <= now - alarm_affinity)
      out.push_back(std::move(alarm));
  }
  return out;
}

struct recovered_job {
  core::job_id job{};
  core::log_id failed{};
  core::log_id succeeded{};
};

/// Checks some jobs, and returns the last of them; 0 when there are no more.
std::pair<std::vector<recovered_job>, core::job_id> look_for_successes(connection& db, core::job_id after, std::size_t limit) {
  std::vector<recovered_job> open;
  {
    auto listing = db.prepare(list_open_alarms);
    listing.with(after, limit);
    while (listing.step())
      open.push_back({listing.id<core::job_id>(0), listing.id<core::log_id>(1), {}});
  }
  const auto last = open.size() < limit ? core::job_id{} : open.back().job;
  for (auto& one : open) {
    auto reading = db.prepare(find_success);
    if (reading.with(one.job, one.failed).step())
      one.succeeded = reading.id<core::log_id>(0);
  }
  std::erase_if(open, [](const recovered_job& one) { return one.succeeded == core::log_id{}; });
  return {std::move(open), last};
}

} // namespace

// Reads without the lock on the one writer, because it runs often and mostly finds nothing to take.
taken_alarms alarm_role::take(const core::node_incarnation& owner, bool again, core::time_point now, std::size_t limit) {
  auto found = within(*own_.db, transaction_kind::read, [&](connection& db) -> taken_alarms {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    return look(db, owner, again, now, limit);
  });
  if (!found || found->empty())
    return found;
  auto taken = within(*own_.db, transaction_kind::write, [&](connection& db) -> taken_alarms {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    auto out = look(db, owner, again, now, limit);
    alarm_reading about{db};
    for (auto& alarm : out) {
      db.run(take_one, std::get<core::intent_id>(alarm.id), owner.node, owner.incarnation);
      alarm.about = about.find(alarm.job);
    }
    return out;
  });
  if (!taken)
    return taken;
  std::vector<core::log_id> ids;
  for (const auto& alarm : *taken)
    ids.push_back(alarm.origin);
  auto rows = logs_.rows(ids);
  if (!rows)
    return tl::unexpected{rows.error()};
  for (auto& alarm : *taken) {
    const auto row = std::find_if(rows->begin(), rows->end(), [&](const auto& each) { return each.id == alarm.origin; });
    if (row != rows->end())
      alarm.run = *row;
  }
  return taken;
}

core::result<void> alarm_role::finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    for (const auto& end : ends) {
      const auto id = std::get<core::intent_id>(end.id);
      core::job_id job{};
      core::log_id run{};
      bool failure = false;
      {
        auto reading = db.prepare(find_mine);
        if (!reading.with(id, owner.node, owner.incarnation).step())
          continue;
        job = reading.id<core::job_id>(0);
        run = reading.id<core::log_id>(1);
        failure = alarm_kind_of(reading.small(2)) == core::alarm_kind::failure;
      }
      if (failure)
        db.run(settle_alarm_status, run, end.status);
      if (failure && end.await_recovery)
        db.run(await_recovery, job, run);
      db.run(delete_intent, id);
    }
    return {};
  });
}

core::result<std::size_t> alarm_role::find_recoveries(core::time_point now, std::size_t limit) {
  using looked = std::pair<std::vector<recovered_job>, core::job_id>;
  auto found = within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<looked> {
    return look_for_successes(db, recovery_, limit);
  });
  if (!found)
    return tl::unexpected{found.error()};
  std::size_t made = 0;
  if (!found->first.empty()) {
    auto written = within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
      std::size_t count = 0;
      for (const auto& one : found->first) {
        if (db.run(delete_open, one.job, one.failed) != 1)
          continue;
        insert_alarm(db, one.job, one.succeeded, core::alarm_kind::recovery, now);
        ++count;
      }
      return count;
    });
    if (!written)
      return written;
    made = *written;
  }
  recovery_ = found->second;
  return made;
}

} // namespace ringmaster::storage::sqlite
