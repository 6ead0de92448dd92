// Switch of the mode: `takeover` and `--back`.

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/mysql/cluster/cluster.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/shared/reservations.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::cluster_mode;

constexpr auto look_every = std::chrono::milliseconds{100};
/// The next time of a running job without one, or with a hidden one: due long ago.
constexpr std::int64_t no_next_ms = 1;

/// Hides all next times. In native mode `xxl_job_info` is not the schedule of any program. A Java admin that gets the lock
/// nevertheless, e.g. between a switch and the guard, must find nothing due there: every next time is in the year 9999.
void hide_schedule(connection& db) {
  db.execute("UPDATE xxl_job_info SET trigger_next_time = ? WHERE trigger_status = 1", hidden_next_ms);
}

/// Shows jobs that are still hidden and have no next time of ours: another program started or added them, and no node has seen
/// them yet. The next planner treats them as running jobs without a next time, by their misfire policy.
void show_strangers(connection& db) {
  db.execute("UPDATE xxl_job_info SET trigger_next_time = 0 WHERE trigger_status = 1 AND trigger_next_time = ?", hidden_next_ms);
}

/// Adds an index for due jobs, needed once Java's table is the schedule again. A separate statement, because it commits.
void add_due_index(connection& db) {
  auto found = db.query("SELECT 1 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
                        " AND TABLE_NAME = 'xxl_job_info' AND INDEX_NAME = 'rm_due'");
  if (!found.next())
    db.command("ALTER TABLE xxl_job_info ADD INDEX rm_due (trigger_status, trigger_next_time)");
}

/// The last taken instant of each job; S5 keeps them for 10 s.
#define RINGMASTER_TAKEN                                                                                                         \
  "(SELECT job, MAX(fire_ms) AS last_ms FROM rm_intent WHERE state = 1 AND kind IN ('cron', 'misfire') GROUP BY job)"

/// Moves schedules past taken instants. A console that saved an old row may have put such instants back. Only the keys of their
/// intents refuse them, and claims of a native schedule do not use these keys. Expects `rm_schedule` as it was just copied.
void pass_taken_instants(connection& db, rule_cache& rules) {
  struct taken {
    core::job_id job{};
    core::time_point last{};
    std::string type;
    std::string conf;
  };
  db.execute("UPDATE rm_schedule s JOIN " RINGMASTER_TAKEN " t ON t.job = s.job SET s.last_ms = GREATEST(s.last_ms, t.last_ms)");
  std::vector<taken> put_back;
  auto found = db.query("SELECT s.job, t.last_ms, i.schedule_type, COALESCE(i.schedule_conf, '') FROM rm_schedule s"
                        " JOIN " RINGMASTER_TAKEN " t ON t.job = s.job JOIN xxl_job_info i ON i.id = s.job"
                        " WHERE s.next_ms > 0 AND s.next_ms <= t.last_ms");
  while (found.next())
    put_back.push_back({found.id<core::job_id>(0), found.time_ms(1), found.string(2), found.string(3)});
  for (const auto& one : put_back) {
    const auto rule = rules.find(one.type, one.conf);
    if (!rule)
      continue; // no scheduler plans it
    const auto next = (*rule)->next(one.last);
    db.execute("UPDATE rm_schedule SET next_ms = ? WHERE job = ?", next ? core::to_ms(*next) : 0, one.job);
    if (!next) // same state as after T1s for a schedule that ended
      db.execute("UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = ?, trigger_next_time = 0 WHERE id = ?",
                 one.last, one.job);
  }
}

#undef RINGMASTER_TAKEN

/// Copies `xxl_job_info` to `rm_schedule`. A running job without a next time is due at once: its misfire policy decides.
std::size_t copy_from_jobs(session& own, rule_cache& rules) {
  auto& db = own.db;
  const auto revision = own.take_revisions(1);
  db.execute("DELETE s FROM rm_schedule s LEFT JOIN xxl_job_info i ON i.id = s.job WHERE i.id IS NULL");
  db.execute("INSERT IGNORE INTO rm_schedule (job) SELECT id FROM xxl_job_info");
  // The first check of these rows. Read before the schedule, so that an edit by another program between the two is noticed.
  db.execute("DELETE FROM rm_mirror");
  db.execute("INSERT INTO rm_mirror (job, revision, status, schedule_type, schedule_conf, update_time)"
             " SELECT id, ?, trigger_status, COALESCE(schedule_type, ''), COALESCE(schedule_conf, ''),"
             " COALESCE(CAST(update_time AS CHAR), '') FROM xxl_job_info", revision);
  const auto copied = static_cast<std::size_t>(
    db.execute("UPDATE rm_schedule s JOIN xxl_job_info i ON i.id = s.job"
               " SET s.next_ms = CASE WHEN i.trigger_status <> 1 THEN 0 WHEN i.trigger_next_time = ? THEN ?"
               " ELSE GREATEST(i.trigger_next_time, ?) END,"
               " s.last_ms = GREATEST(s.last_ms, i.trigger_last_time), s.revision = ?",
               hidden_next_ms, no_next_ms, no_next_ms, revision));
  pass_taken_instants(db, rules);
  // Deletes reserved instants that are due in the schedule again, where no key refuses them.
  db.execute("DELETE n FROM rm_intent n JOIN rm_schedule s ON s.job = n.job WHERE n.kind IN ('cron', 'misfire')"
             " AND n.state = 0 AND s.next_ms > 0 AND n.fire_ms >= s.next_ms");
  return copied;
}

/// Copies `rm_schedule` to `xxl_job_info`; the next times of `rm_schedule` are unused from then on. The status comes from
/// `xxl_job_info`: an edit by another program that the mirror has not checked yet counts.
std::size_t copy_to_jobs(connection& db) {
  auto copied = static_cast<std::size_t>(
    db.execute("UPDATE xxl_job_info i JOIN rm_schedule s ON s.job = i.id SET i.trigger_last_time = s.last_ms,"
               " i.trigger_next_time = s.next_ms WHERE i.trigger_status = 1 AND s.next_ms <> 0"));
  copied += static_cast<std::size_t>(
    db.execute("UPDATE xxl_job_info SET trigger_last_time = 0, trigger_next_time = 0 WHERE trigger_status = 0"));
  show_strangers(db);
  db.execute("UPDATE rm_schedule SET next_ms = 0");
  return copied;
}

/// Rejects jobs with schedule options, which Java admins would fire by their columns alone.
core::result<void> check_options(connection& db) {
  const auto jobs = running_with_options(db);
  if (jobs.empty())
    return {};
  return core::fail(core::errc::conflict, options_refused(jobs) + "; stop them or remove the options, then switch");
}

/// Takes the locks that claims in shared mode take before they check their incarnation, in the same order: if the switch locked
/// the nodes first, it and a claim would wait for each other.
void lock_shared_schedule(connection& db) {
  (void) db.query("SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) ORDER BY job FOR UPDATE");
  std::vector<core::intent_id> waiting;
  auto found = db.query("SELECT id FROM rm_intent WHERE state = 0 AND kind IN ('cron', 'misfire')");
  while (found.next())
    waiting.push_back(found.id<core::intent_id>(0));
  waiting = sorted(std::span<const core::intent_id>{waiting});
  for (const auto part : padded_chunks(waiting.size())) {
    auto& some =
      db.prepare("SELECT id FROM rm_intent FORCE INDEX (PRIMARY) WHERE id IN ({?,}) ORDER BY id FOR UPDATE", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(waiting[part.at(i)]);
    (void) some.select();
  }
}

core::result<core::mode_switch> switch_under_lock(session& own, rule_cache& rules, cluster_mode to) {
  auto& db = own.db;
  core::mode_switch out;
  if (auto locked = lock_schedule(db); !locked)
    return tl::unexpected{locked.error()};
  auto row = db.query("SELECT mode FROM rm_mode WHERE id = 1 FOR UPDATE");
  if (!row.next())
    return core::fail(core::errc::unsupported, "the database has no mode row; run `ringmaster migrate`");
  if (core::find_cluster_mode(row.text(0)) == to) {
    db.execute("UPDATE rm_mode SET wanted = NULL WHERE id = 1");
    return out;
  }
  (void) db.query("SELECT counter FROM rm_edit WHERE id = 1 FOR UPDATE").next();
  if (auto fits = to == cluster_mode::shared ? check_options(db) : core::result<void>{}; !fits)
    return tl::unexpected{fits.error()};
  out.changed = true;
  if (to == cluster_mode::native)
    lock_shared_schedule(db);
  // Waits for the claims in progress; none of these incarnations claims again. Their processes may be sending until they are
  // notified, so adopters wait (`incarnation_end::cut_short`).
  db.execute("UPDATE rm_life SET cut = GREATEST(cut, incarnation), incarnation = 0 WHERE incarnation <> 0");
  out.nodes_fenced = static_cast<std::size_t>(
    db.execute("UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced' WHERE state = 'up'"));
  if (to == cluster_mode::native) {
    out.jobs_copied = copy_from_jobs(own, rules);
    hide_schedule(db);
  } else {
    out.jobs_copied = copy_to_jobs(db);
    out.instants_put_back = put_instants_back(db, rules, {});
  }
  db.execute("UPDATE rm_mode SET mode = ?, wanted = NULL WHERE id = 1", core::stored_name(to));
  return out;
}

/// Announces the requested mode, so that the guard releases the lock. Does not take the lock, which the guard holds. `already`:
/// there is nothing to do.
core::result<void> announce(connection& db, cluster_mode to, bool& already) {
  auto prepared = db.read([&]() -> core::result<void> {
    const auto present = read_mode(db);
    if (!present)
      return tl::unexpected{present.error()};
    if (to != cluster_mode::shared || present->mode == to)
      return {};
    if (auto fits = check_options(db); !fits)
      return fits;
    add_due_index(db);
    return {};
  });
  if (!prepared)
    return prepared;
  return db.transact([&]() -> core::result<void> {
    auto row = db.query("SELECT mode FROM rm_mode WHERE id = 1 FOR UPDATE");
    already = row.next() && core::find_cluster_mode(row.text(0)) == to;
    if (already) {
      db.execute("UPDATE rm_mode SET wanted = NULL WHERE id = 1");
      return {};
    }
    // The guard releases the lock before the switch gets it, and a Java admin may be first in the queue. Transactions that show a
    // time hold the mode row, and see the announcement from here on.
    if (to == cluster_mode::shared)
      hide_schedule(db);
    db.execute("UPDATE rm_mode SET wanted = ?, wanted_at = UNIX_TIMESTAMP() WHERE id = 1", core::stored_name(to));
    return {};
  });
}

/// Withdraws a failed switch. This alone makes the guard return; until then, and for the rest of the minute, a Java admin that
/// has the lock finds nothing due. If this write is lost, too, the announcement expires after that minute.
void withdraw(connection& db, cluster_mode to) {
  static_cast<void>(db.read([&]() -> core::result<void> {
    db.execute("UPDATE rm_mode SET wanted = NULL WHERE id = 1 AND wanted = ?", core::stored_name(to));
    return {};
  }));
}

} // namespace

core::result<core::mode_switch> reservation_role::switch_mode(cluster_mode to, core::milliseconds patience) {
  using clock = std::chrono::steady_clock;
  bool already = false;
  const auto announced = announce(own_.db, to, already);
  if (!announced)
    return tl::unexpected{announced.error()};
  if (already)
    return core::mode_switch{};
  cluster_role nodes{own_};
  bool ended = false;
  for (const auto begun = clock::now();;) {
    auto done = own_.db.transact([&] { return switch_under_lock(own_, rules_, to); });
    const auto waited = clock::now() - begun;
    if (done)
      return done;
    if (done.error().code != core::errc::unavailable || (ended && waited > 3 * patience)) {
      withdraw(own_.db, to);
      return done;
    }
    if (waited > patience && !std::exchange(ended, true))
      nodes.end_all_connections();
    std::this_thread::sleep_for(look_every);
  }
}

} // namespace ringmaster::storage::mysql
