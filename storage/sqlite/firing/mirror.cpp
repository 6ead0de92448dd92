// Synchronisation of XXL's trigger columns in native mode: everything in one write transaction.

#include "storage/sqlite/firing/mirror.hpp"

#include "core/rules/foreign_edits.hpp"
#include "storage/rows/job_row.hpp"
#include "storage/sqlite/firing/edit_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char watched[] =
  "SELECT i.id, i.trigger_status, i.schedule_type, i.schedule_conf, i.update_time, i.trigger_next_time, i.trigger_last_time, "
  "s.job IS NULL, s.next_ms, s.last_ms, s.revision, m.job IS NULL, m.status, m.schedule_type, m.schedule_conf, m.update_time, "
  "m.revision, e.time_zone, e.interval_ms, e.start_at, e.end_at, e.jitter_ms FROM xxl_job_info i "
  "LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_mirror m ON m.job = i.id LEFT JOIN rm_job_ext e ON e.job = i.id "
  "WHERE i.id > ?1 ORDER BY i.id LIMIT ?2";
constexpr char list_gone[] =
  "SELECT s.job FROM rm_schedule s LEFT JOIN xxl_job_info i ON i.id = s.job WHERE i.id IS NULL LIMIT ?1";
constexpr char write_mirror[] = "UPDATE xxl_job_info SET trigger_next_time = ?2, trigger_last_time = ?3 WHERE id = ?1";
constexpr char ensure_seen_schedule[] =
  "INSERT OR IGNORE INTO rm_schedule (job, next_ms, last_ms, revision) VALUES (?1, 0, ?2, 0)";
constexpr char write_switch[] = "UPDATE xxl_job_info SET trigger_status = ?2, trigger_next_time = ?3 WHERE id = ?1";
constexpr char remember[] = "INSERT OR REPLACE INTO rm_mirror (job, revision, status, schedule_type, schedule_conf, update_time) "
                            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

core::watched_job read_watched_job(const statement& row) {
  core::watched_job job;
  job.id = row.id<core::job_id>(0);
  job.row = {row.number(1), std::string{row.text(2)}, std::string{row.text(3)}, std::string{row.text(4)}};
  job.row_next_ms = row.number(5);
  job.row_last_ms = row.number(6);
  if (row.number(7) == 0)
    job.planned = {row.number(8), row.number(9), row.number(10)};
  if (row.number(11) == 0)
    job.seen = {{row.number(12), std::string{row.text(13)}, std::string{row.text(14)}, std::string{row.text(15)}},
                row.number(16)};
  job.timing = options_at(row, 17);
  return job;
}

class mirror_sync {
public:
  mirror_sync(session& own, core::time_point now) : db_{*own.db}, rules_{own.schedule_zone}, now_{now} {}

  mirror_step run(core::job_id after, std::size_t limit, bool adopts) {
    std::vector<core::watched_job> page;
    {
      auto listing = db_.prepare(watched);
      listing.with(after, limit);
      while (listing.step())
        page.push_back(read_watched_job(listing));
    }
    mirror_step out{page.empty() ? after : page.back().id, page.size() == limit};
    for (const auto& job : page) {
      if (adopts && adopt(job, out))
        continue;
      if (job.mirror_is_behind()) {
        db_.run(write_mirror, job.id, job.planned->next_ms, job.planned->last_ms);
        ++out.refreshed;
      }
    }
    if (adopts && !out.more)
      forget(limit, out);
    return out;
  }

private:
  std::int64_t next_revision() {
    db_.run(raise_edits);
    auto reading = db_.prepare(read_edits);
    return reading.with().step() ? reading.number(0) : 0;
  }

  bool adopt(const core::watched_job& job, mirror_step& out) {
    const auto decided = core::decide_edit(job, now_, rules_);
    if (!decided.remember)
      return false;
    auto row = job.row;
    if (decided.stop)
      row.status = 0;
    auto revision = job.planned ? job.planned->revision : 0;
    if (decided.raise) {
      out.raised = true;
      revision = next_revision();
      db_.run(ensure_seen_schedule, job.id, job.row_last_ms);
      db_.run(touch_schedule, job.id, revision);
    }
    if (decided.next_ms) {
      db_.run(write_next, job.id, *decided.next_ms);
      db_.run(write_switch, job.id, row.status, *decided.next_ms);
      db_.run(delete_waiting_cron, job.id);
    }
    if (row.status == 1)
      db_.run(delete_stop, job.id);
    db_.run(remember, job.id, revision, row.status, row.schedule_type, row.schedule_conf, row.update_time);
    if (!decided.what.empty())
      out.adopted.push_back({job.id, decided.what});
    return true;
  }

  void forget(std::size_t limit, mirror_step& out) {
    std::vector<core::job_id> gone;
    {
      auto listing = db_.prepare(list_gone);
      listing.with(limit);
      while (listing.step())
        gone.push_back(listing.id<core::job_id>(0));
    }
    for (const auto id : gone) {
      for (const char* sql : {"DELETE FROM rm_schedule WHERE job = ?1", "DELETE FROM rm_job_ext WHERE job = ?1",
                              "DELETE FROM rm_mirror WHERE job = ?1", "DELETE FROM rm_stop WHERE job = ?1"})
        db_.run(sql, id);
      out.adopted.push_back({id, "deleted"});
    }
  }

  connection& db_;
  core::schedule_rules rules_;
  const core::time_point now_;
};

} // namespace

core::result<mirror_step> mirror_role::sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) {
  return within(*own_.db, transaction_kind::write,
                [&](connection&) -> core::result<mirror_step> { return mirror_sync{own_, now}.run(after, limit, adopt); });
}

} // namespace ringmaster::storage::sqlite
