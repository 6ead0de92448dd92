#include "storage/mysql/results/alarms.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/cluster/slot_map.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/firing/intents.hpp"

namespace ringmaster::storage::mysql {

namespace {

core::pending_alarm read_alarm(const rows& row) {
  core::pending_alarm out;
  out.id = row.id<core::intent_id>(0);
  out.job = row.id<core::job_id>(1);
  out.origin = row.id<core::log_id>(2);
  out.kind = alarm_kind_of(row.number32(3));
  out.since = row.time_ms(4);
  return out;
}

/// Returns `1` for each slot of `owner`, as the nodes that serve share them.
std::string slots_of(connection& db, const core::node_incarnation& owner) {
  std::vector<std::string> live;
  for (auto found = db.query("SELECT id FROM rm_node WHERE state = 'up' AND serves = 1"); found.next();)
    live.push_back(found.string(0));
  const auto slots = core::slots_of(owner.node, live);
  std::string out(core::slot_count, '0');
  for (std::size_t slot = 0; slot < core::slot_count; ++slot)
    if (slots.test(slot))
      out[slot] = '1';
  return out;
}

/// Takes alarms inside a transaction that holds the owner's node row.
class taking {
public:
  taking(session& own, const core::node_incarnation& owner, bool again, core::time_point now, std::size_t limit)
    : db_{own.db}, owner_{owner}, again_{again}, now_{now}, limit_{limit} {}

  std::vector<core::pending_alarm> run() {
    take_orphans();
    take_waiting();
    return std::move(taken_);
  }

private:
  void take_orphans() {
    auto found = db_.query("SELECT i.id, i.job, i.origin_log_id, i.shard, i.created_ms FROM rm_intent i"
                           " LEFT JOIN rm_node n ON n.id = i.node AND n.incarnation = i.incarnation AND n.state = 'up'"
                           " WHERE i.state = 3 AND (n.id IS NULL OR (? AND i.node = ? AND i.incarnation = ?))"
                           " ORDER BY i.created_ms, i.id LIMIT ?",
                           again_, owner_.node, owner_.incarnation, limit_);
    std::vector<core::pending_alarm> orphans;
    while (found.next())
      orphans.push_back(read_alarm(found));
    for (const auto& alarm : orphans) {
      const auto id = std::get<core::intent_id>(alarm.id);
      // Another node may have been first; the alarm's owner is then a live incarnation. The intent is locked first, and the nodes
      // are read without a lock: an UPDATE with a join would lock the rows that heartbeats write.
      (void)db_.query("SELECT id FROM rm_intent WHERE id = ? FOR UPDATE", id).next();
      const bool orphaned = db_
                              .query(
                                "SELECT 1 FROM rm_intent i LEFT JOIN rm_node n ON n.id = i.node AND n.incarnation = i.incarnation"
                                " AND n.state = 'up' WHERE i.id = ? AND i.state = 3 AND n.id IS NULL",
                                id)
                              .next();
      const auto changed = orphaned ? db_.execute("UPDATE rm_intent SET node = ?, incarnation = ? WHERE id = ? AND state = 3",
                                                  owner_.node, owner_.incarnation, id)
                                    : std::uint64_t{0};
      if (changed == 1 || (again_ && is_mine(id)))
        taken_.push_back(alarm);
    }
  }

  bool is_mine(core::intent_id alarm) {
    return db_
      .query("SELECT 1 FROM rm_intent WHERE id = ? AND state = 3 AND node = ? AND incarnation = ?", alarm, owner_.node,
             owner_.incarnation)
      .next();
  }

  void take_waiting() {
    if (taken_.size() >= limit_)
      return;
    const auto slots = slots_of(db_, owner_);
    auto found = db_.query("SELECT id, job, origin_log_id, shard, created_ms FROM rm_intent WHERE state = 2 AND created_ms <= ?"
                           " AND (SUBSTRING(?, (job & 255) + 1, 1) = '1' OR created_ms <= ?)"
                           " ORDER BY created_ms, id LIMIT ? FOR UPDATE",
                           now_, slots, now_ - alarm_affinity, limit_ - taken_.size());
    std::vector<core::pending_alarm> waiting;
    while (found.next())
      waiting.push_back(read_alarm(found));
    for (const auto part : padded_chunks(waiting.size())) {
      auto& some = db_.prepare("UPDATE rm_intent SET state = 3, node = ?, incarnation = ? WHERE state = 2 AND id IN ({?,})",
                               part.rows);
      some.add(owner_.node).add(owner_.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(std::get<core::intent_id>(waiting[part.at(i)].id));
      some.run();
    }
    taken_.insert(taken_.end(), waiting.begin(), waiting.end());
  }

  connection& db_;
  const core::node_incarnation& owner_;
  const bool again_;
  const core::time_point now_;
  const std::size_t limit_;
  std::vector<core::pending_alarm> taken_;
};

/// An alarm that this node took and now ends.
struct ending {
  core::alarm_end end;
  core::pending_alarm alarm;
};

std::vector<ending> lock_ended(connection& db, const core::node_incarnation& owner, std::span<const core::alarm_end> ends) {
  std::map<core::intent_id, core::alarm_end> by_id;
  std::vector<core::intent_id> ids;
  for (const auto& end : ends) {
    ids.push_back(std::get<core::intent_id>(end.id));
    by_id.emplace(ids.back(), end);
  }
  std::vector<ending> out;
  ids = sorted(std::span<const core::intent_id>{ids});
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = db.prepare("SELECT id, job, origin_log_id, shard, created_ms FROM rm_intent FORCE INDEX (PRIMARY)"
                            " WHERE state = 3 AND node = ? AND incarnation = ? AND id IN ({?,}) ORDER BY id FOR UPDATE",
                            part.rows);
    some.add(owner.node).add(owner.incarnation);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      auto alarm = read_alarm(found);
      out.push_back({by_id.at(std::get<core::intent_id>(alarm.id)), std::move(alarm)});
    }
  }
  return out;
}

void write_status(connection& db, const std::vector<ending>& all, std::int32_t status) {
  std::vector<core::log_id> runs;
  for (const auto& one : all)
    if (one.end.status == status && one.alarm.kind == core::alarm_kind::failure)
      runs.push_back(one.alarm.origin);
  runs = sorted(std::span<const core::log_id>{runs});
  for (const auto part : padded_chunks(runs.size())) {
    auto& some = db.prepare(
      "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET alarm_status = ? WHERE alarm_status = -1 AND id IN ({?,})", part.rows);
    some.add(status);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(runs[part.at(i)]);
    some.run();
  }
}

void await_recoveries(connection& db, const std::vector<ending>& all) {
  std::map<core::job_id, core::log_id> last; // in the order of the rows
  for (const auto& one : all)
    if (one.end.await_recovery && one.alarm.kind == core::alarm_kind::failure)
      last[one.alarm.job] = std::max(last[one.alarm.job], one.alarm.origin);
  const std::vector<std::pair<core::job_id, core::log_id>> open{last.begin(), last.end()};
  for (const auto part : exact_chunks(open.size())) {
    auto& some = db.prepare("INSERT INTO rm_alarm_open (job, log_id) VALUES {(?,?),}"
                            " ON DUPLICATE KEY UPDATE log_id = GREATEST(log_id, VALUES(log_id))",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(open[part.at(i)].first).add(open[part.at(i)].second);
    some.run();
  }
}

void remove(connection& db, const std::vector<ending>& all) {
  std::vector<core::intent_id> ids;
  for (const auto& each : all)
    ids.push_back(std::get<core::intent_id>(each.alarm.id));
  delete_intents(db, ids);
}

} // namespace

core::result<std::vector<core::pending_alarm>> alarm_role::take(const core::node_incarnation& owner, bool again,
                                                                core::time_point now, std::size_t limit) {
  using taken_alarms = core::result<std::vector<core::pending_alarm>>;
  // Nodes ask often, and mostly there is no alarm: one statement says so.
  auto any = own_.is_true("SELECT EXISTS (SELECT 1 FROM rm_intent WHERE state IN (2, 3)) OR " RINGMASTER_HAS_ENDED, owner.node,
                          owner.incarnation);
  if (!any)
    return tl::unexpected{std::move(any.error())};
  if (!*any)
    return std::vector<core::pending_alarm>{};
  auto taken = own_.db.transact([&]() -> taken_alarms {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    return taking{own_, owner, again, now, limit}.run();
  });
  if (!taken || taken->empty())
    return taken;
  std::vector<core::log_id> ids;
  std::vector<core::job_id> jobs;
  for (const auto& alarm : *taken) {
    ids.push_back(alarm.origin);
    jobs.push_back(alarm.job);
  }
  auto found = logs_.rows(ids);
  if (!found)
    return tl::unexpected{found.error()};
  return own_.db.read([&]() -> taken_alarms {
    const auto book = read_alarm_book(own_, jobs);
    auto out = *taken;
    for (auto& alarm : out) {
      alarm.about = book.find(alarm.job);
      const auto row = std::find_if(found->begin(), found->end(), [&](const auto& each) { return each.id == alarm.origin; });
      if (row != found->end())
        alarm.run = *row;
    }
    return out;
  });
}

core::result<void> alarm_role::finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) {
  return own_.db.transact([&]() -> core::result<void> {
    const auto all = lock_ended(own_.db, owner, ends);
    for (const auto status : {core::alarm_status::not_needed, core::alarm_status::sent, core::alarm_status::failed})
      write_status(own_.db, all, status);
    await_recoveries(own_.db, all);
    remove(own_.db, all);
    return {};
  });
}

core::result<std::size_t> alarm_role::find_recoveries(core::time_point now, std::size_t limit) {
  auto& db = own_.db;
  return db.transact([&]() -> core::result<std::size_t> {
    const auto found = own_.shape.log_by_job ? ask_by_job(limit) : look_through_log();
    std::vector<new_alarm> recovered;
    for (const auto& one : found)
      if (db.execute("DELETE FROM rm_alarm_open WHERE job = ? AND log_id = ?", one.job, one.failed) == 1)
        recovered.push_back({one.job, one.success, core::alarm_kind::recovery});
    insert_alarms(own_, recovered, now);
    return recovered.size();
  });
}

std::vector<alarm_role::recovery> alarm_role::ask_by_job(std::size_t limit) {
  auto& db = own_.db;
  std::vector<recovery> open;
  for (auto found = db.query("SELECT job, log_id FROM rm_alarm_open WHERE job > ? ORDER BY job LIMIT ?", recovery_, limit);
       found.next();)
    open.push_back({found.id<core::job_id>(0), found.id<core::log_id>(1), {}});
  recovery_ = open.size() < limit ? core::job_id{} : open.back().job;
  for (auto& one : open)
    if (auto success = db.query("SELECT id FROM xxl_job_log WHERE job_id = ? AND id > ? AND handle_code = 200"
                                " ORDER BY id LIMIT 1", one.job, one.failed);
        success.next())
      one.success = success.id<core::log_id>(0);
  std::erase_if(open, [](const recovery& one) { return one.success == core::log_id{}; });
  return open;
}

// Without an index on the job each query would read the log to its end. Therefore it reads the newest runs, where nearly all
// recoveries are, and one more stretch: from the oldest open alarm on, step by step to the end and then again, because results
// arrive late and alarms are opened after the success that ends them.
std::vector<alarm_role::recovery> alarm_role::look_through_log() {
  std::int64_t oldest = 0, newest = 0;
  {
    auto row = own_.db.query("SELECT COALESCE(MIN(log_id), -1), (SELECT COALESCE(MAX(id), 0) FROM xxl_job_log)"
                             " FROM rm_alarm_open");
    if (!row.next() || row.number(0) < 0)
      return {};
    oldest = row.number(0);
    newest = row.number(1);
  }
  const auto recent = std::max(oldest, newest - recovery_ids_per_look);
  auto found = successes({core::log_id{recent}, core::log_id{newest}});
  if (recent == oldest)
    return found;
  auto from = std::max(oldest, core::number(walked_));
  if (from >= recent)
    from = oldest;
  const auto through = std::min(from + recovery_ids_per_look, recent);
  for (const auto& one : successes({core::log_id{from}, core::log_id{through}}))
    found.push_back(one); // for a job found twice, the second one finds its row deleted
  walked_ = core::log_id{through};
  return found;
}

std::vector<alarm_role::recovery> alarm_role::successes(const core::log_range& range) {
  std::vector<recovery> out;
  for (auto found = own_.db.query("SELECT l.job_id, o.log_id, MIN(l.id) FROM xxl_job_log l FORCE INDEX (PRIMARY)"
                                  " STRAIGHT_JOIN rm_alarm_open o ON o.job = l.job_id AND o.log_id < l.id"
                                  " WHERE l.id > ? AND l.id <= ? AND l.handle_code = 200 GROUP BY l.job_id, o.log_id",
                                  range.after, range.through);
       found.next();)
    out.push_back({found.id<core::job_id>(0), found.id<core::log_id>(1), found.id<core::log_id>(2)});
  return out;
}

} // namespace ringmaster::storage::mysql
