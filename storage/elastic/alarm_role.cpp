// Alarms of elastic jobs: rows of `ej_alarm` until they are finished. State 2 waits, state 3 is taken by an incarnation of a
// node, as in `rm_intent`.

#include "storage/elastic/alarm_role.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/cluster/slot_map.hpp"
#include "storage/elastic/alarm_rows.hpp"
#include "storage/rows/alarm_book.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;
using pending_alarms = std::vector<core::pending_alarm>;

core::pending_alarm alarm_in(const sql_rows& row) {
  core::pending_alarm out;
  out.id = row.id<elastic::elastic_alarm_id>(0);
  auto& what = out.elastic.emplace();
  if (const auto cause = row.number(1); cause != 0)
    what.cause = elastic::alarm_cause{static_cast<std::uint8_t>(cause)};
  else
    out.kind = core::alarm_kind::recovery;
  what.job = row.id<elastic::elastic_job_id>(2);
  what.item = row.id<elastic::item_number>(3);
  what.run = row.id<elastic::item_run_id>(4);
  what.fire = row.time_ms(5);
  what.amount = row.number(6);
  out.since = row.time_ms(7);
  return out;
}

/// Returns `1` for each slot of `owner`, as the nodes that serve share them.
std::string own_slots(admin_session& own, const core::node_incarnation& owner) {
  std::vector<std::string> live;
  for (auto found = own.query("SELECT id FROM rm_node WHERE state = 'up' AND serves = 1"); found.next();)
    live.push_back(found.string(0));
  const auto slots = core::slots_of(owner.node, live);
  std::string out(core::slot_count, '0');
  for (std::size_t slot = 0; slot < core::slot_count; ++slot)
    if (slots.test(slot))
      out[slot] = '1';
  return out;
}

/// An alarm that `owner` may take, and the incarnation that had taken it.
struct candidate {
  core::pending_alarm alarm;
  std::int64_t state = alarm_waits;
  std::optional<std::string> node;
  std::int64_t incarnation = 0;
};

std::vector<candidate> look(admin_session& own, const core::node_incarnation& owner, bool again, core::time_point now,
                            std::size_t limit) {
  std::vector<candidate> out;
  auto orphans = own.query(
    "SELECT a.id, a.cause, a.job, a.item, a.run, a.fire_ms, a.amount, a.at_ms, a.node, a.incarnation"
    " FROM ej_alarm a"
    " LEFT JOIN rm_node n ON n.id = a.node AND n.incarnation = a.incarnation AND n.state = 'up'"
    " WHERE a.state = 3 AND (n.id IS NULL OR (? = 1 AND a.node = ? AND a.incarnation = ?))"
    " ORDER BY a.at_ms, a.id LIMIT ?",
    again, owner.node, owner.incarnation, limit);
  while (orphans.next())
    out.push_back({alarm_in(orphans), alarm_taken, orphans.optional_string(8), orphans.number(9)});
  if (out.size() >= limit)
    return out;
  const auto slots = own_slots(own, owner);
  auto waiting = own.query(
    "SELECT id, cause, job, item, run, fire_ms, amount, at_ms FROM ej_alarm WHERE state = 2 AND at_ms <= ?"
    " AND (SUBSTR(?, (job & 255) + 1, 1) = '1' OR at_ms <= ?) ORDER BY at_ms, id LIMIT ?",
    now, slots, now - alarm_affinity, limit - out.size());
  while (waiting.next())
    out.push_back({alarm_in(waiting), alarm_waits, std::nullopt, 0});
  return out;
}

/// Takes the alarm, unless another node was faster.
bool take_one(admin_session& own, const core::node_incarnation& owner, const candidate& one) {
  if (one.state == alarm_waits)
    return own.execute("UPDATE ej_alarm SET state = 3, node = ?, incarnation = ? WHERE id = ? AND state = 2", owner.node,
                       owner.incarnation, core::number(one.alarm.id)) == 1;
  if (one.node == owner.node && one.incarnation == owner.incarnation)
    return true;
  return own.execute("UPDATE ej_alarm SET node = ?, incarnation = ? WHERE id = ? AND state = 3 AND node = ? AND incarnation = ?",
                     owner.node, owner.incarnation, core::number(one.alarm.id), one.node, one.incarnation) == 1;
}

void add_runs(admin_session& own, pending_alarms& alarms) {
  std::vector<elastic::item_run_id> runs;
  std::multimap<elastic::item_run_id, core::elastic_alarm*> of_run;
  for (auto& alarm : alarms)
    if (core::number(alarm.elastic->run) != 0) {
      if (!of_run.contains(alarm.elastic->run))
        runs.push_back(alarm.elastic->run);
      of_run.emplace(alarm.elastic->run, &*alarm.elastic);
    }
  own.query_in(
    "SELECT r.id, r.fire_ms, r.attempt, r.message, h.id FROM ej_run r LEFT JOIN ej_node h ON h.num = r.host"
    " WHERE r.id IN ({?,})",
    runs, [&](const sql_rows& row) {
      const auto [first, last] = of_run.equal_range(row.id<elastic::item_run_id>(0));
      for (auto at = first; at != last; ++at) {
        auto& what = *at->second;
        what.fire = row.time_ms(1);
        what.attempt = row.number32(2);
        what.message = row.string(3);
        what.host = row.string(4);
      }
    });
}

void add_jobs(admin_session& own, pending_alarms& alarms) {
  std::vector<elastic::elastic_job_id> jobs;
  for (const auto& alarm : alarms)
    jobs.push_back(alarm.elastic->job);
  const auto known = alarmed_elastic_jobs(own, std::move(jobs));
  for (auto& alarm : alarms)
    if (const auto about = known.find(alarm.elastic->job); about != known.end())
      alarm.about = about->second;
}

} // namespace

// An error after the ordinary alarms were taken leaves them taken: the caller asks for them again.
core::result<pending_alarms> all_alarms_role::take(const core::node_incarnation& owner, bool again, core::time_point now,
                                                   std::size_t limit) {
  auto taken = ordinary_.take(owner, again, now, limit);
  if (!taken)
    return taken;
  auto more = take_elastic(owner, again, now, limit);
  if (!more)
    return more;
  std::move(more->begin(), more->end(), std::back_inserter(*taken));
  return taken;
}

// Reads without the lock of a writer first, because it runs often and mostly finds nothing to take.
core::result<pending_alarms> all_alarms_role::take_elastic(const core::node_incarnation& owner, bool again, core::time_point now,
                                                           std::size_t limit) {
  auto any = own_.read([&]() -> core::result<bool> { return !look(own_, owner, again, now, 1).empty(); });
  if (!any)
    return tl::unexpected{any.error()};
  if (!*any)
    return pending_alarms{};
  return own_.edit([&]() -> core::result<pending_alarms> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    pending_alarms out;
    for (auto& one : look(own_, owner, again, now, limit))
      if (take_one(own_, owner, one))
        out.push_back(std::move(one.alarm));
    add_jobs(own_, out);
    add_runs(own_, out);
    return out;
  });
}

core::result<void> all_alarms_role::finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) {
  std::vector<core::alarm_end> ordinary;
  std::map<elastic::elastic_alarm_id, core::alarm_end> others;
  std::vector<elastic::elastic_alarm_id> ids;
  for (const auto& end : ends)
    if (const auto* id = std::get_if<elastic::elastic_alarm_id>(&end.id)) {
      if (others.emplace(*id, end).second)
        ids.push_back(*id);
    } else {
      ordinary.push_back(end);
    }
  if (!ordinary.empty())
    if (auto finished = ordinary_.finish(owner, ordinary); !finished)
      return finished;
  if (ids.empty())
    return {};
  std::sort(ids.begin(), ids.end());
  return own_.edit([&]() -> core::result<void> {
    // The sending node's clock is not known here; a recovery has the time of the last alarm that it follows.
    std::vector<elastic::elastic_alarm_id> mine;
    std::vector<std::pair<core::alarm_end, core::pending_alarm>> found;
    core::time_point last{};
    own_.query_in(
      "SELECT id, cause, job, item, run, fire_ms, amount, at_ms, node, incarnation FROM ej_alarm WHERE id IN ({?,})"
      " AND state = 3 ORDER BY id",
      ids, [&](const sql_rows& row) {
        if (row.text(8) != owner.node || row.number(9) != owner.incarnation)
          return;
        mine.push_back(row.id<elastic::elastic_alarm_id>(0));
        found.emplace_back(others.at(mine.back()), alarm_in(row));
        last = std::max(last, found.back().second.since);
      });
    alarm_rows rows{own_, last};
    for (const auto& [end, alarm] : found)
      if (alarm.kind == core::alarm_kind::failure)
        rows.finish({alarm.elastic->job, alarm.elastic->item}, alarm.since, end.await_recovery);
    rows.write();
    own_.execute_in({"DELETE FROM ej_alarm WHERE id IN ({?,})"}, std::span<const elastic::elastic_alarm_id>{mine});
    return {};
  });
}

core::result<core::failure_sweep> all_alarms_role::sweep(core::time_point now, bool follow_open, std::size_t limit) {
  return ordinary_.sweep(now, follow_open, limit);
}

core::result<std::size_t> all_alarms_role::find_recoveries(core::time_point now, std::size_t limit) {
  return ordinary_.find_recoveries(now, limit);
}

} // namespace ringmaster::storage
