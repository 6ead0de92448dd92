// Removal of Ringmaster's rows whose run, job, group, user or node is gone, because other programs delete, too.

#include <algorithm>

#include "storage/rows/retired_incarnations.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"

namespace ringmaster::storage::sqlite {

namespace {

/// ?1: maximum number of each kind. Of runs the oldest rows only: younger ones are removed by the age limit of the log.
constexpr const char* kinds[] = {
  "DELETE FROM rm_failed_run WHERE log_id IN (SELECT log_id FROM rm_failed_run "
  "WHERE log_id < coalesce((SELECT min(id) FROM xxl_job_log), 9223372036854775807) ORDER BY log_id LIMIT ?1)",
  "DELETE FROM rm_asked_run WHERE log_id IN (SELECT log_id FROM rm_asked_run "
  "WHERE log_id < coalesce((SELECT min(id) FROM xxl_job_log), 9223372036854775807) ORDER BY log_id LIMIT ?1)",
  "UPDATE rm_asked_run SET intent = 0, addresses = NULL WHERE log_id IN (SELECT log_id FROM rm_asked_run "
  "WHERE intent > 0 AND intent NOT IN (SELECT id FROM rm_intent) AND (addresses IS NULL OR NOT EXISTS (SELECT 1 "
  "FROM xxl_job_log l WHERE l.id = log_id AND l.handle_code = 0 AND l.trigger_code IN (0, 200))) LIMIT ?1)",
  "UPDATE rm_kept_log SET state = 2 WHERE log_id IN (SELECT log_id FROM rm_kept_log "
  "WHERE log_id < coalesce((SELECT min(id) FROM xxl_job_log), 9223372036854775807) AND state < 2 ORDER BY log_id LIMIT ?1)",
  "DELETE FROM rm_alarm_open WHERE job IN (SELECT job FROM rm_alarm_open WHERE job NOT IN (SELECT id FROM xxl_job_info) "
  "LIMIT ?1)",
  "DELETE FROM rm_mirror WHERE job IN (SELECT job FROM rm_mirror WHERE job NOT IN (SELECT id FROM xxl_job_info) "
  "AND job NOT IN (SELECT job FROM rm_schedule) LIMIT ?1)",
  "DELETE FROM rm_job_ext WHERE job IN (SELECT job FROM rm_job_ext WHERE job NOT IN (SELECT id FROM xxl_job_info) LIMIT ?1)",
  "DELETE FROM rm_stop WHERE job IN (SELECT job FROM rm_stop WHERE job NOT IN (SELECT id FROM xxl_job_info) LIMIT ?1)",
  "DELETE FROM rm_group_token WHERE group_id IN (SELECT group_id FROM rm_group_token WHERE group_id NOT IN "
  "(SELECT id FROM xxl_job_group) LIMIT ?1)",
  "DELETE FROM rm_group_ext WHERE group_id IN (SELECT group_id FROM rm_group_ext WHERE group_id NOT IN "
  "(SELECT id FROM xxl_job_group) LIMIT ?1)",
  "DELETE FROM rm_group_right WHERE group_id IN (SELECT DISTINCT group_id FROM rm_group_right WHERE group_id NOT IN "
  "(SELECT id FROM xxl_job_group) LIMIT ?1)",
  "DELETE FROM rm_group_right WHERE user_id IN (SELECT DISTINCT user_id FROM rm_group_right WHERE user_id NOT IN "
  "(SELECT id FROM xxl_job_user) LIMIT ?1)",
  "DELETE FROM rm_session WHERE user_id IN (SELECT DISTINCT user_id FROM rm_session WHERE user_id NOT IN "
  "(SELECT id FROM xxl_job_user) LIMIT ?1)",
  "DELETE FROM rm_api_key WHERE id IN (SELECT id FROM rm_api_key WHERE user_id NOT IN (SELECT id FROM xxl_job_user) LIMIT ?1)",
  "DELETE FROM rm_user_settings WHERE user_id IN (SELECT user_id FROM rm_user_settings WHERE user_id NOT IN "
  "(SELECT id FROM xxl_job_user) LIMIT ?1)",
};

constexpr char list_ended[] = "SELECT id, incarnation FROM rm_node WHERE state <> 'up' "
                              "AND id NOT IN (SELECT node FROM rm_claim) ORDER BY id LIMIT ?1";
constexpr char purge_record[] =
  "DELETE FROM rm_audit WHERE id IN (SELECT id FROM rm_audit WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)";
constexpr char delete_node[] = "DELETE FROM rm_node WHERE id = ?1";
constexpr char delete_incarnation[] = "DELETE FROM rm_life WHERE node = ?1";
constexpr char keep_lives[] = "INSERT INTO rm_edit (id, counter) VALUES (?1, ?2) "
                              "ON CONFLICT (id) DO UPDATE SET counter = max(counter, excluded.counter)";

/// An incarnation number is never reused, not even for a node of the same name.
std::size_t forget_nodes(connection& db, std::size_t limit) {
  std::vector<std::string> ended;
  std::int64_t highest = 0;
  auto listing = db.prepare(list_ended);
  listing.with(limit);
  while (listing.step()) {
    ended.emplace_back(listing.text(0));
    highest = std::max(highest, listing.number(1));
  }
  for (const auto& node : ended) {
    db.run(delete_node, node);
    db.run(delete_incarnation, node);
  }
  if (!ended.empty())
    db.run(keep_lives, retired_incarnations, highest);
  return ended.size();
}

} // namespace

core::result<std::size_t> maintenance_role::forget_orphans(std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
    std::size_t removed = forget_nodes(db, limit);
    for (const char* kind : kinds)
      removed += static_cast<std::size_t>(db.run(kind, limit));
    return removed;
  });
}

core::result<std::size_t> maintenance_role::purge_audits(core::time_point before, std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
    return static_cast<std::size_t>(db.run(purge_record, before, limit));
  });
}

} // namespace ringmaster::storage::sqlite
