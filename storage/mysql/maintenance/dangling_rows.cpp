// Removal of Ringmaster's rows whose run, job, group, user or node is gone, because other programs delete, too.

#include <algorithm>

#include "storage/mysql/cluster/retired_incarnations.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// One kind of dangling row. It is found by a plain read, which sees both a row and its owner or neither, and deleted by its key.
struct orphans {
  sql find;
  sql remove;
};

/// `?`: maximum number. Of runs the oldest rows only: younger ones are removed by the age limit of the log.
constexpr orphans kinds[] = {
  {"SELECT log_id FROM rm_failed_run"
   " WHERE log_id < COALESCE((SELECT MIN(id) FROM xxl_job_log), 9223372036854775807) ORDER BY log_id LIMIT ?",
   "DELETE FROM rm_failed_run WHERE log_id IN ({?,})"},
  {"SELECT log_id FROM rm_asked_run"
   " WHERE log_id < COALESCE((SELECT MIN(id) FROM xxl_job_log), 9223372036854775807) ORDER BY log_id LIMIT ?",
   "DELETE FROM rm_asked_run WHERE log_id IN ({?,})"},
  {"SELECT a.log_id FROM rm_asked_run a FORCE INDEX (rm_asked_run_intent) LEFT JOIN rm_intent n ON n.id = a.intent"
   " LEFT JOIN xxl_job_log l ON l.id = a.log_id WHERE a.intent > 0 AND n.id IS NULL"
   " AND (a.addresses IS NULL OR l.id IS NULL OR l.handle_code <> 0 OR l.trigger_code NOT IN (0, 200)) LIMIT ?",
   "UPDATE rm_asked_run SET intent = 0, addresses = NULL WHERE log_id IN ({?,})"},
  {"SELECT log_id FROM rm_kept_log WHERE log_id < COALESCE((SELECT MIN(id) FROM xxl_job_log), 9223372036854775807)"
   " AND state < 2 ORDER BY log_id LIMIT ?",
   "UPDATE rm_kept_log SET state = 2 WHERE log_id IN ({?,})"},
  {"SELECT o.job FROM rm_alarm_open o LEFT JOIN xxl_job_info i ON i.id = o.job WHERE i.id IS NULL LIMIT ?",
   "DELETE FROM rm_alarm_open WHERE job IN ({?,})"},
  {"SELECT m.job FROM rm_mirror m LEFT JOIN xxl_job_info i ON i.id = m.job LEFT JOIN rm_schedule s ON s.job = m.job"
   " WHERE i.id IS NULL AND s.job IS NULL LIMIT ?",
   "DELETE FROM rm_mirror WHERE job IN ({?,})"},
  {"SELECT e.job FROM rm_job_ext e LEFT JOIN xxl_job_info i ON i.id = e.job WHERE i.id IS NULL LIMIT ?",
   "DELETE FROM rm_job_ext WHERE job IN ({?,})"},
  {"SELECT p.job FROM rm_stop p LEFT JOIN xxl_job_info i ON i.id = p.job WHERE i.id IS NULL LIMIT ?",
   "DELETE FROM rm_stop WHERE job IN ({?,})"},
  {"SELECT t.group_id FROM rm_group_token t LEFT JOIN xxl_job_group g ON g.id = t.group_id WHERE g.id IS NULL LIMIT ?",
   "DELETE FROM rm_group_token WHERE group_id IN ({?,})"},
  {"SELECT e.group_id FROM rm_group_ext e LEFT JOIN xxl_job_group g ON g.id = e.group_id WHERE g.id IS NULL LIMIT ?",
   "DELETE FROM rm_group_ext WHERE group_id IN ({?,})"},
  {"SELECT DISTINCT r.group_id FROM rm_group_right r LEFT JOIN xxl_job_group g ON g.id = r.group_id WHERE g.id IS NULL LIMIT ?",
   "DELETE FROM rm_group_right WHERE group_id IN ({?,})"},
  {"SELECT DISTINCT r.user_id FROM rm_group_right r LEFT JOIN xxl_job_user u ON u.id = r.user_id WHERE u.id IS NULL LIMIT ?",
   "DELETE FROM rm_group_right WHERE user_id IN ({?,})"},
  {"SELECT DISTINCT s.user_id FROM rm_session s LEFT JOIN xxl_job_user u ON u.id = s.user_id WHERE u.id IS NULL LIMIT ?",
   "DELETE FROM rm_session WHERE user_id IN ({?,})"},
  {"SELECT k.id FROM rm_api_key k LEFT JOIN xxl_job_user u ON u.id = k.user_id WHERE u.id IS NULL LIMIT ?",
   "DELETE FROM rm_api_key WHERE id IN ({?,})"},
  {"SELECT s.user_id FROM rm_user_settings s LEFT JOIN xxl_job_user u ON u.id = s.user_id WHERE u.id IS NULL LIMIT ?",
   "DELETE FROM rm_user_settings WHERE user_id IN ({?,})"},
};

std::size_t remove(connection& db, const orphans& kind, std::size_t limit) {
  std::vector<std::int64_t> keys;
  auto found = db.query(kind.find, limit);
  while (found.next())
    keys.push_back(found.number(0));
  for (const auto part : padded_chunks(keys.size())) {
    auto& some = db.prepare(kind.remove, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(keys[part.at(i)]);
    some.run();
  }
  return keys.size();
}

} // namespace

core::result<std::size_t> maintenance_role::forget_orphans(std::size_t limit) {
  std::size_t removed = 0;
  for (const auto& kind : kinds) {
    auto some = own_.db.transact([&]() -> core::result<std::size_t> { return remove(own_.db, kind, limit); });
    if (!some)
      return some;
    removed += *some;
  }
  auto nodes = forget_nodes(limit);
  return nodes ? core::result<std::size_t>{removed + *nodes} : nodes;
}

core::result<std::size_t> maintenance_role::purge_audits(core::time_point before, std::size_t limit) {
  return own_.db.transact([&]() -> core::result<std::size_t> {
    // Uses the index of the times and keys that no other transaction writes any more.
    return own_.db.execute("DELETE FROM rm_audit WHERE at_ms < ? ORDER BY at_ms LIMIT ?", before, limit);
  });
}

// An incarnation number is never reused, not even for a node of the same name: a frozen process of the old incarnation must not
// take a new incarnation for its own.
core::result<std::size_t> maintenance_role::forget_nodes(std::size_t limit) {
  return own_.db.transact([&]() -> core::result<std::size_t> {
    auto& db = own_.db;
    const auto floor = lock_retired_incarnations(db);
    auto highest = floor;
    std::size_t removed = 0;
    auto found = db.query("SELECT n.id, n.incarnation FROM rm_node n WHERE n.state <> 'up'"
                          " AND NOT EXISTS (SELECT 1 FROM rm_claim c WHERE c.node = n.id) ORDER BY n.id LIMIT ?", limit);
    while (found.next()) {
      if (db.execute("DELETE FROM rm_node WHERE id = ? AND incarnation = ? AND state <> 'up'", found.string(0), found.number(1))
          != 1)
        continue;
      db.execute("DELETE FROM rm_life WHERE node = ?", found.string(0));
      highest = std::max(highest, found.number(1));
      ++removed;
    }
    if (highest > floor)
      db.execute("UPDATE rm_edit SET counter = ? WHERE id = ?", highest, retired_incarnations);
    return removed;
  });
}

} // namespace ringmaster::storage::mysql
