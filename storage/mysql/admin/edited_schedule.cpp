#include "storage/mysql/admin/edited_schedule.hpp"

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/jobs/jobs.hpp"

namespace ringmaster::storage::mysql {

void mysql_edited_schedule::hold_claims(core::job_id job) { mysql::hold_claims(own_.db, job); }

bool mysql_edited_schedule::hold(core::job_id job, core::cluster_mode mode) {
  if (!own_.db.query("SELECT 1 FROM xxl_job_info WHERE id = ?", job).next())
    return false;
  hold_claims(job);
  if (mode == core::cluster_mode::shared)
    lock_reserved(own_.db, {&job, 1});
  return own_.db.query("SELECT id FROM xxl_job_info FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE", job).next();
}

std::optional<core::scheduled_job> mysql_edited_schedule::find(core::job_id job) {
  auto found = select_jobs(own_, {&job, 1});
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

// The job runs, its time is not hidden after a takeover, and no other program has changed the schedule since the mirror's last
// check.
bool mysql_edited_schedule::runs_by_its_schedule(const core::stored_job& stored, const core::scheduled_job& held,
                                                 core::cluster_mode mode) {
  if (!stored.running || !held.next || core::to_ms(*held.next) == hidden_next_ms)
    return false;
  if (mode == core::cluster_mode::shared)
    return true;
  auto seen = own_.db.query("SELECT m.schedule_type, m.schedule_conf, i.schedule_type, COALESCE(i.schedule_conf, '')"
                            " FROM rm_mirror m JOIN xxl_job_info i ON i.id = m.job WHERE m.job = ?", stored.id);
  return !seen.next() || (seen.text(0) == seen.text(2) && seen.text(1) == seen.text(3));
}

core::time_point mysql_edited_schedule::first_start(core::cluster_mode mode, core::time_point now) {
  return mysql::first_start(own_.db, mode, now);
}

std::int64_t mysql_edited_schedule::shown_next(std::int64_t next_ms) { return mysql::shown_next(own_.db, next_ms); }

void mysql_edited_schedule::keep_last_instant(core::job_id job, core::time_point now) {
  mysql::keep_last_instant(own_.db, job, now);
}

} // namespace ringmaster::storage::mysql
