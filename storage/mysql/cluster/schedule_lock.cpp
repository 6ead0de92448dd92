#include "storage/mysql/cluster/schedule_lock.hpp"

#include "core/schedule/last_instant.hpp"
#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

core::result<void> lock_schedule(connection& db) {
  if (db.query("SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE").next())
    return {};
  return core::fail(core::errc::unsupported,
                    "the table xxl_job_lock has no row schedule_lock, so two schedulers could fire the same jobs; "
                    "run: INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')");
}

core::result<core::mode_state> read_mode(connection& db) {
  // An announcement without a switch is ignored after a minute, by the server's clock that also stamped it.
  auto row =
    db.query("SELECT mode, COALESCE(wanted, mode) <> mode AND wanted_at > UNIX_TIMESTAMP() - 60 FROM rm_mode WHERE id = 1");
  const bool there = row.next();
  const auto mode = there ? core::find_cluster_mode(row.text(0)) : std::nullopt;
  if (mode)
    return core::mode_state{*mode, row.number(1) == 1};
  return core::fail(core::errc::unsupported,
                    (there ? "rm_mode.mode is \"" + row.string(0) + "\"" : std::string{"rm_mode has no row"})
                      + ", so the mode is unknown; run: REPLACE INTO rm_mode (id, mode) VALUES (1, 'native'), or 'shared' "
                        "if Java admins work on this database");
}

bool is_native(connection& db) {
  const auto read = read_mode(db);
  return read && read->mode == core::cluster_mode::native;
}

bool may_show_schedule(connection& db) {
  return db.query("SELECT 1 FROM rm_mode WHERE id = 1 AND mode = 'native' AND wanted_at < UNIX_TIMESTAMP() - 60").next();
}

std::int64_t shown_next(connection& db, std::int64_t next_ms) {
  return next_ms == 0 || may_show_schedule(db) ? next_ms : hidden_next_ms;
}

core::time_point first_start(connection& db, core::cluster_mode mode, core::time_point now) {
  constexpr core::milliseconds in_memory{5000};
  return mode == core::cluster_mode::shared || !may_show_schedule(db) ? now + in_memory : now;
}

core::result<core::cluster_mode> begin_edit(connection& db) {
  for (;;) {
    const auto read = read_mode(db);
    if (!read)
      return tl::unexpected{read.error()};
    const auto seen = read->mode;
    if (seen == core::cluster_mode::shared)
      if (auto locked = lock_schedule(db); !locked)
        return tl::unexpected{locked.error()};
    auto row = db.query("SELECT mode FROM rm_mode WHERE id = 1 LOCK IN SHARE MODE");
    const bool as_seen = row.next() && core::find_cluster_mode(row.text(0)) == seen;
    if (as_seen) {
      (void) db.query("SELECT counter FROM rm_edit WHERE id = 1 FOR UPDATE").next();
      return seen;
    }
    db.start_over(); // The mode was switched in between; a second switch within one edit does not happen.
  }
}

std::vector<core::job_id> running_with_options(connection& db) {
  std::vector<core::job_id> out;
  auto found = db.query("SELECT i.id FROM rm_job_ext e JOIN xxl_job_info i ON i.id = e.job WHERE i.trigger_status = 1 AND "
                        RINGMASTER_HAS_OPTIONS " ORDER BY i.id");
  while (found.next())
    out.push_back(found.id<core::job_id>(0));
  return out;
}

void hold_claims(connection& db, core::job_id job) {
  auto held = db.query("SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job = ? FOR UPDATE", job);
  if (!held.next())
    db.execute("INSERT IGNORE INTO rm_schedule (job) VALUES (?)", job);
}

void lock_reserved(connection& db, std::span<const core::job_id> jobs) {
  std::vector<core::intent_id> reserved;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = db.prepare("SELECT id FROM rm_intent FORCE INDEX (rm_intent_once) WHERE job IN ({?,})"
                            " AND kind IN ('cron', 'misfire') AND state = 0", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      reserved.push_back(found.id<core::intent_id>(0));
  }
  reserved = sorted(std::span<const core::intent_id>{reserved});
  for (const auto part : padded_chunks(reserved.size())) {
    auto& some = db.prepare("SELECT id FROM rm_intent FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND state = 0 ORDER BY id"
                            " FOR UPDATE", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(reserved[part.at(i)]);
    (void) some.select();
  }
}

void keep_last_instant(connection& db, core::job_id job, core::time_point now) {
  const auto limit = now + core::implausibly_ahead;
  db.execute("UPDATE rm_schedule SET last_ms = GREATEST(IF(last_ms > ?, ?, last_ms),"
             " (SELECT IF(trigger_last_time > ?, ?, trigger_last_time) FROM xxl_job_info WHERE id = ?)) WHERE job = ?",
             limit, now, limit, now, job, job);
}

} // namespace ringmaster::storage::mysql
