#include "storage/mysql/firing/mirror.hpp"

#include <algorithm>
#include <iterator>

#include "core/rules/foreign_edits.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/rows/job_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Maximum number of jobs decided under locks in one transaction (claims and edits wait for it) and in one step (a heartbeat
/// waits for it).
constexpr std::size_t adopted_at_once = 20;
constexpr std::size_t adopted_a_step = 100;

constexpr const char* watched =
  "SELECT i.id, i.trigger_status, i.schedule_type, i.schedule_conf, i.update_time, i.trigger_next_time, i.trigger_last_time,"
  " s.job, s.next_ms, s.last_ms, s.revision, m.job, m.status, m.schedule_type, m.schedule_conf, m.update_time, m.revision,"
  " e.time_zone, e.interval_ms, e.start_at, e.end_at, e.jitter_ms"
  " FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_mirror m ON m.job = i.id"
  " LEFT JOIN rm_job_ext e ON e.job = i.id ";

std::vector<core::watched_job> read_all(rows row) {
  std::vector<core::watched_job> out;
  while (row.next()) {
    auto& job = out.emplace_back();
    job.id = row.id<core::job_id>(0);
    job.row = {row.number(1), row.string(2), row.string(3), row.string(4)};
    // A hidden time counts as none: the transaction that hid it did not know the job yet.
    job.row_next_ms = row.number(5) == hidden_next_ms ? 0 : row.number(5);
    job.row_last_ms = row.number(6);
    if (!row.is_null(7))
      job.planned = {row.number(8), row.number(9), row.number(10)};
    if (!row.is_null(11))
      job.seen = {{row.number(12), row.string(13), row.string(14), row.string(15)}, row.number(16)};
    job.timing = options_at(row, 17U);
  }
  return out;
}

/// Writes the read values with a guard. A next time that moves meanwhile is written in the next round. Runs in a transaction:
/// holds the mode row, so that no switch comes between its check and the write.
std::size_t refresh(connection& db, const std::vector<const core::watched_job*>& behind) {
  std::size_t written = 0;
  (void) db.query("SELECT mode FROM rm_mode WHERE id = 1 LOCK IN SHARE MODE").next();
  if (!may_show_schedule(db))
    return written;
  for (const auto part : padded_chunks(behind.size(), case_rows_max)) {
    auto& some = db.prepare("UPDATE xxl_job_info FORCE INDEX (PRIMARY) SET trigger_next_time = CASE id {WHEN ? THEN ? }END,"
                            " trigger_last_time = CASE id {WHEN ? THEN ? }END WHERE id IN ({?,}) AND trigger_status = 1",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(behind[part.at(i)]->id).add(behind[part.at(i)]->planned->next_ms);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(behind[part.at(i)]->id).add(behind[part.at(i)]->planned->last_ms);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(behind[part.at(i)]->id);
    written += some.run();
  }
  return written;
}

/// Remembers all given jobs in batches: the first round after a deploy sees all of its jobs for the first time.
void remember(connection& db, const std::vector<const core::watched_job*>& seen_first) {
  for (const auto part : padded_chunks(seen_first.size(), case_rows_max)) {
    auto& some = db.prepare(
      "REPLACE INTO rm_mirror (job, revision, status, schedule_type, schedule_conf, update_time) VALUES {(?,?,?,?,?,?),}",
      part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& job = *seen_first[part.at(i)];
      some.add(job.id).add(job.planned ? job.planned->revision : 0).add(job.row.status).add(job.row.schedule_type);
      some.add(job.row.schedule_conf).add(job.row.update_time);
    }
    some.run();
  }
}

/// The result of a transaction of adoptions.
struct adopted_jobs {
  std::vector<foreign_edit> edits;
  bool raised = false;
};

/// Repeats the decisions under the lock of all edits and that of the job's schedule.
class job_adoption {
public:
  job_adoption(session& own, core::schedule_rules& rules, core::time_point now)
    : own_{own}, db_{own.db}, rules_{rules}, now_{now} {}

  adopted_jobs run(std::span<const core::job_id> suspects) {
    if (!begins())
      return {};
    std::vector<core::watched_job*> raised;
    auto jobs = locked(suspects);
    for (auto& job : jobs) {
      const auto decided = core::decide_edit(job, now_, rules_);
      if (decided.only_raises())
        raised.push_back(&job);
      else if (decided.remember)
        adopt(job, decided);
    }
    raise(raised);
    return std::move(out_);
  }

  adopted_jobs forget(const std::vector<core::job_id>& gone) {
    if (!begins())
      return {};
    for (const auto id : gone) {
      if (db_.query("SELECT 1 FROM xxl_job_info WHERE id = ?", id).next())
        continue;
      db_.execute("DELETE FROM rm_schedule WHERE job = ?", id);
      db_.execute("DELETE FROM rm_job_ext WHERE job = ?", id);
      db_.execute("DELETE FROM rm_mirror WHERE job = ?", id);
      db_.execute("DELETE FROM rm_stop WHERE job = ?", id);
      out_.edits.push_back({id, "deleted"});
    }
    return std::move(out_);
  }

private:
  /// Returns false if the mode was switched since the check.
  bool begins() { return begin_edit(db_) == core::cluster_mode::native; }

  std::vector<core::watched_job> locked(std::span<const core::job_id> suspects) {
    std::vector<core::watched_job> out;
    for (const auto part : padded_chunks(suspects.size())) {
      auto& holding =
        db_.prepare("SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,}) ORDER BY job FOR UPDATE", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        holding.add(suspects[part.at(i)]);
      for (auto held = holding.select(); held.next();) {
      }
      auto& reading = db_.prepare({watched, "WHERE i.id IN ({?,}) ORDER BY i.id"}, part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        reading.add(suspects[part.at(i)]);
      auto read = read_all(reading.select());
      std::move(read.begin(), read.end(), std::back_inserter(out));
    }
    return out;
  }

  /// Gives all of them one revision: they were edited by Ringmaster since the last check.
  void raise(const std::vector<core::watched_job*>& jobs) {
    if (jobs.empty())
      return;
    out_.raised = true;
    const auto revision = own_.take_revisions(1);
    for (const auto part : padded_chunks(jobs.size())) {
      auto& some = db_.prepare("UPDATE rm_schedule FORCE INDEX (PRIMARY) SET revision = ? WHERE job IN ({?,})", part.rows);
      some.add(revision);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(jobs[part.at(i)]->id);
      some.run();
    }
    for (auto* job : jobs)
      job->planned->revision = revision;
    remember(db_, {jobs.begin(), jobs.end()});
  }

  void adopt(const core::watched_job& job, const core::edit_decision& decided) {
    auto row = job.row;
    if (decided.stop)
      row.status = 0;
    auto revision = job.planned ? job.planned->revision : 0;
    if (decided.raise) {
      out_.raised = true;
      db_.execute("UPDATE rm_edit SET counter = counter + 1 WHERE id = 1");
      if (auto counter = db_.query("SELECT counter FROM rm_edit WHERE id = 1"); counter.next())
        revision = counter.number(0);
      db_.execute("INSERT INTO rm_schedule (job, next_ms, last_ms, revision) VALUES (?, 0, ?, ?)"
                  " ON DUPLICATE KEY UPDATE revision = VALUES(revision)",
                  job.id, job.row_last_ms, revision);
    }
    if (decided.next_ms) {
      db_.execute("UPDATE rm_schedule SET next_ms = ? WHERE job = ?", *decided.next_ms, job.id);
      db_.execute("UPDATE xxl_job_info SET trigger_status = ?, trigger_next_time = ? WHERE id = ?", row.status,
                  shown_next(db_, *decided.next_ms), job.id);
      db_.execute("DELETE FROM rm_intent WHERE job = ? AND kind IN ('cron', 'misfire') AND state = 0", job.id);
    }
    if (row.status == 1)
      db_.execute("DELETE FROM rm_stop WHERE job = ?", job.id);
    db_.execute(
      "REPLACE INTO rm_mirror (job, revision, status, schedule_type, schedule_conf, update_time) VALUES (?, ?, ?, ?, ?, ?)",
      job.id, revision, row.status, row.schedule_type, row.schedule_conf, row.update_time);
    if (!decided.what.empty())
      out_.edits.push_back({job.id, decided.what});
  }

  session& own_;
  connection& db_;
  core::schedule_rules& rules_;
  const core::time_point now_;
  adopted_jobs out_;
};

std::vector<core::job_id> jobs_without_row(connection& db, std::size_t limit) {
  std::vector<core::job_id> out;
  auto row =
    db.query("SELECT s.job FROM rm_schedule s LEFT JOIN xxl_job_info i ON i.id = s.job WHERE i.id IS NULL LIMIT ?", limit);
  while (row.next())
    out.push_back(row.id<core::job_id>(0));
  return out;
}

core::result<void> adopt_all(session& own, std::span<const core::job_id> suspects, const std::vector<core::job_id>& gone,
                             core::schedule_rules& rules, core::time_point now, mirror_step& out) {
  auto step = [&](auto&& body) -> core::result<void> {
    auto some = own.db.transact([&]() -> core::result<adopted_jobs> { return body(job_adoption{own, rules, now}); });
    if (!some)
      return tl::unexpected{some.error()};
    std::move(some->edits.begin(), some->edits.end(), std::back_inserter(out.adopted));
    out.raised = out.raised || some->raised;
    return {};
  };
  for (; !suspects.empty(); suspects = suspects.subspan(std::min(adopted_at_once, suspects.size())))
    if (auto done =
          step([&](job_adoption&& some) { return some.run(suspects.first(std::min(adopted_at_once, suspects.size()))); });
        !done)
      return done;
  return gone.empty() ? core::result<void>{} : step([&](job_adoption&& some) { return some.forget(gone); });
}

} // namespace

core::result<mirror_step> mirror_role::sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) {
  auto& db = own_.db;
  core::schedule_rules rules{own_.schedule_zone};
  std::vector<core::job_id> suspects;
  std::vector<core::job_id> gone;
  std::vector<core::watched_job> page;
  std::vector<const core::watched_job*> behind;
  auto looked = db.read([&]() -> core::result<mirror_step> {
    suspects.clear();
    behind.clear();
    if (!may_show_schedule(db))
      return mirror_step{after};
    page = read_all(db.query({watched, "WHERE i.id > ? ORDER BY i.id LIMIT ?"}, after, limit));
    mirror_step out{page.empty() ? after : page.back().id, page.size() == limit};
    std::vector<const core::watched_job*> seen_first;
    for (const auto& job : page) {
      const auto decided = adopt ? core::decide_edit(job, now, rules) : core::edit_decision{};
      if (decided.only_remembers())
        seen_first.push_back(&job);
      else if (decided.remember) {
        suspects.push_back(job.id);
        continue;
      }
      if (job.mirror_is_behind())
        behind.push_back(&job);
    }
    remember(db, seen_first);
    gone = adopt && !out.more ? jobs_without_row(db, limit) : std::vector<core::job_id>{};
    return out;
  });
  if (!looked)
    return looked;
  if (!behind.empty()) {
    const auto written = db.transact([&]() -> core::result<std::size_t> { return refresh(db, behind); });
    if (!written)
      return tl::unexpected{written.error()};
    looked->refreshed = *written;
  }
  if (suspects.size() > adopted_a_step) {
    suspects.resize(adopted_a_step);
    gone.clear();
    looked->last = suspects.back();
    looked->more = true;
  }
  if (auto done = adopt_all(own_, suspects, gone, rules, now, *looked); !done) {
    if (looked->adopted.empty() && !looked->raised)
      return tl::unexpected{done.error()};
    // Adopted edits are reported; the rest follows at the next check.
    looked->last = after;
    looked->more = true;
  }
  return looked;
}

} // namespace ringmaster::storage::mysql
