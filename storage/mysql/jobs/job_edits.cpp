// Start, stop, manual trigger, removal.

#include "storage/mysql/jobs/job_edits.hpp"

#include <mysql/mysqld_error.h>

#include "core/job/address_list.hpp"
#include "core/rules/column_limits.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/rules/schedule_repair.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/jobs/job_writes.hpp"
#include "storage/mysql/jobs/jobs.hpp"
#include "storage/mysql/users/audit_row.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Returns the row to edit. Errors: `not_found`; `forbidden` when `by` does not have the permission in its group.
core::result<core::stored_job> find_for(connection& db, core::job_id job, core::group_right wanted, const core::principal& by) {
  auto known =
    db.query("SELECT job_group, $job_name, executor_param, executor_fail_retry_count, trigger_status FROM xxl_job_info"
             " WHERE id = ?", job);
  if (!known.next())
    return tl::unexpected{core::no_such_job(job)};
  core::stored_job found{job, known.id<core::group_id>(0), known.string(1), known.string(2), known.number32(3),
                   known.number(4) == 1};
  if (auto may = core::check_right(by, wanted, found.group); !may)
    return tl::unexpected{may.error()};
  return found;
}

/// Returns the addresses of the group's list and the registered ones. Some tables compare names without case; the registry does
/// not.
std::vector<std::string> addresses_of(connection& db, core::group_id group) {
  std::vector<std::string> out;
  if (auto list = db.query("SELECT address_list FROM xxl_job_group WHERE id = ?", group); list.next())
    out = core::split_addresses(list.text(0));
  auto registered = db.query("SELECT r.registry_value FROM xxl_job_registry r JOIN xxl_job_group g ON g.app_name = r.registry_key"
                             " AND CAST(g.app_name AS BINARY) = CAST(r.registry_key AS BINARY)"
                             " WHERE r.registry_group = 'EXECUTOR' AND g.id = ?", group);
  while (registered.next())
    out.push_back(registered.string(0));
  return out;
}

/// Returns whether the next time comes from the job's present schedule: the job runs, its time is not hidden after a takeover,
/// and no other program has changed the schedule since the mirror's last check.
bool runs_by_its_schedule(connection& db, const core::stored_job& stored, const core::scheduled_job& held,
                          core::cluster_mode mode) {
  if (!stored.running || !held.next || core::to_ms(*held.next) == hidden_next_ms)
    return false;
  if (mode == core::cluster_mode::shared)
    return true;
  auto seen = db.query("SELECT m.schedule_type, m.schedule_conf, i.schedule_type, COALESCE(i.schedule_conf, '') FROM rm_mirror m"
                       " JOIN xxl_job_info i ON i.id = m.job WHERE m.job = ?", stored.id);
  return !seen.next() || (seen.text(0) == seen.text(2) && seen.text(1) == seen.text(3));
}

core::job_edit schedule_anew(session& own, core::job_id job, core::cluster_mode mode, std::optional<core::time_point> next,
                             core::time_point now) {
  const auto next_ms = next ? core::to_ms(*next) : 0;
  const auto revision = own.take_revisions(1);
  const bool shared = mode == core::cluster_mode::shared;
  if (shared)
    keep_last_instant(own.db, job, now);
  else
    doubt_last_instant(own.db, job, now);
  own.db.execute("UPDATE rm_schedule SET next_ms = ?, revision = ? WHERE job = ?", shared ? 0 : next_ms, revision, job);
  own.db.execute("UPDATE xxl_job_info SET trigger_status = ?, trigger_last_time = 0, trigger_next_time = ?, update_time = ?"
                 " WHERE id = ?",
                 next.has_value(), shared ? next_ms : shown_next(own.db, next_ms), std::string{own.dates.of(now)}, job);
  own.db.execute("DELETE FROM rm_intent WHERE job = ? AND kind IN ('cron', 'misfire') AND state = 0", job);
  return {job, next, 0};
}

} // namespace

core::result<core::job_edit> job_role::start(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.db.transact([&]() -> core::result<core::job_edit> {
    const auto mode = begin_edit(own_.db);
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto stored = find_for(own_.db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    hold_claims(own_.db, job);
    const auto held = select_jobs(own_, {&job, 1});
    if (held.empty())
      return tl::unexpected{core::no_such_job(job)};
    if (*mode == core::cluster_mode::shared)
      if (auto known = core::check_shared(held.front().spec->timing); !known)
        return tl::unexpected{known.error()};
    const bool runs = runs_by_its_schedule(own_.db, *stored, held.front(), *mode);
    const auto next = core::next_of_start(held.front(), runs, first_start(own_.db, *mode, now), own_.schedule_zone);
    if (!next)
      return tl::unexpected{next.error()};
    write_audit(own_.db, core::audit_of_job(by, core::audit_action::start, *stored, now));
    own_.db.execute("DELETE FROM rm_stop WHERE job = ?", job);
    return next->planned ? schedule_anew(own_, job, *mode, next->next, now) : core::job_edit{job, next->next, 0};
  });
}

core::result<core::job_edit> job_role::stop(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.db.transact([&]() -> core::result<core::job_edit> {
    const auto mode = begin_edit(own_.db);
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto stored = find_for(own_.db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    hold_claims(own_.db, job);
    write_audit(own_.db, core::audit_of_job(by, core::audit_action::stop, *stored, now));
    // The user who stopped it first is stored.
    if (stored->running)
      own_.db.execute("REPLACE INTO rm_stop (job, user_name, at_ms) VALUES (?, ?, ?)", job, by.name, now);
    else
      own_.db.execute("INSERT IGNORE INTO rm_stop (job, user_name, at_ms) VALUES (?, ?, ?)", job, by.name, now);
    return schedule_anew(own_, job, *mode, std::nullopt, now);
  });
}

core::result<core::job_edit> job_role::count_again(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.db.transact([&]() -> core::result<core::job_edit> {
    const auto mode = begin_edit(own_.db);
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto stored = find_for(own_.db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    hold_claims(own_.db, job);
    const auto held = select_jobs(own_, {&job, 1});
    if (held.empty())
      return tl::unexpected{core::no_such_job(job)};
    const auto repaired = core::repair_times(held.front(), first_start(own_.db, *mode, now), own_.schedule_zone);
    if (!repaired)
      return tl::unexpected{repaired.error()};
    write_audit(own_.db, core::audit_of_job(by, core::audit_action::update, *stored, now, repaired->changes));
    auto done = schedule_anew(own_, job, *mode, repaired->times.next, now);
    own_.db.execute("UPDATE rm_schedule SET last_ms = ? WHERE job = ?", repaired->times.last, job);
    return done;
  });
}

core::result<core::intent> job_role::trigger(const core::manual_trigger& request, core::time_point now,
                                             const core::principal& by) {
  auto intent = core::intent_of(request);
  if (!intent)
    return intent;
  return own_.db.transact([&]() -> core::result<core::intent> {
    const auto stored = find_for(own_.db, request.job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    if (!intent->addresses.empty())
      if (auto may = core::check_addresses(by, intent->addresses, addresses_of(own_.db, stored->group)); !may)
        return tl::unexpected{may.error()};
    intent->retry_left = stored->retry_count;
    // The log row would hold a cut parameter, and a retry or a resend would use that.
    if (request.param)
      if (auto fits = core::check_param(*request.param, own_.shape.limits); !fits)
        return tl::unexpected{fits.error()};
    const auto kind = intent_kind_name(intent->kind);
    try {
      intent->id = own_.db.insert<core::intent_id>(
        "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, addresses, retry_left, created_ms)"
        " VALUES (?, ?, 0, ?, 0, 0, ?, ?, ?, ?)",
        kind, intent->job, intent->origin, intent->param, core::join_addresses(intent->addresses), intent->retry_left, now);
      write_audit(own_.db,
                  core::audit_of_job(by, core::audit_action::trigger, *stored, now, core::changes_of(request, stored->param)));
    } catch (const driver_error& failure) {
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      auto asked = own_.db.query(
        "SELECT id, param, addresses FROM rm_intent WHERE job = ? AND kind = ? AND fire_ms = 0 AND origin_log_id = ?"
        " AND shard = 0", intent->job, kind, intent->origin);
      if (!asked.next())
        return core::fail(core::errc::unavailable, "the run with this key is being deleted: try again");
      if (auto same = core::check_same_request(*intent, asked.optional_string(1), asked.text(2)); !same)
        return tl::unexpected{same.error()};
      intent->id = asked.id<core::intent_id>(0);
    }
    return *intent;
  });
}

core::result<core::asked_runs> job_role::runs_of(core::intent_id intent, const core::principal& by) {
  return own_.db.read([&]() -> core::result<core::asked_runs> {
    core::request_trace found;
    // In this order: between the two reads it may be claimed, and then it has runs.
    if (auto request = own_.db.query("SELECT n.state = 0, COALESCE(j.job_group, 0) FROM rm_intent n"
                                  " LEFT JOIN xxl_job_info j ON j.id = n.job WHERE n.id = ? AND n.kind IN ('manual', 'api')",
                                  intent);
        request.next())
      found.take_request(request.number(0) != 0, request.id<core::group_id>(1));
    auto runs = own_.db.query("SELECT a.log_id, COALESCE(l.job_group, 0) FROM rm_asked_run a"
                              " LEFT JOIN xxl_job_log l ON l.id = a.log_id WHERE a.intent = ? ORDER BY a.log_id", intent);
    while (runs.next())
      found.take_run(runs.id<core::log_id>(0), runs.id<core::group_id>(1));
    return std::move(found).told_to(by, intent);
  });
}

core::result<core::job_edit> job_role::remove(core::job_id job, bool declared_too, core::time_point now,
                                              const core::principal& by, std::string_view seen) {
  return own_.db.transact([&]() -> core::result<core::job_edit> {
    const auto mode = begin_edit(own_.db);
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto stored = find_for(own_.db, job, core::group_right::editor, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    auto owner = own_.db.query("SELECT source FROM rm_job_ext WHERE job = ? AND job_key IS NOT NULL", job);
    if (!declared_too && owner.next())
      return tl::unexpected{core::is_declared(job, owner.text(0))};
    const auto was = hold(own_, job, *mode);
    if (auto as_seen = core::check_seen(was, job, seen); !as_seen)
      return tl::unexpected{as_seen.error()};
    write_audit(own_.db, core::audit_of_job(by, core::audit_action::remove, *stored, now,
                                  was ? core::changes_of_removal(*was) : std::vector<std::string>{}));
    (void) own_.take_revisions(1);
    own_.db.execute("DELETE FROM xxl_job_info WHERE id = ?", job);
    own_.db.execute("DELETE FROM xxl_job_logglue WHERE job_id = ?", job);
    own_.db.execute("DELETE FROM rm_schedule WHERE job = ?", job);
    own_.db.execute("DELETE FROM rm_job_ext WHERE job = ?", job);
    own_.db.execute("DELETE FROM rm_stop WHERE job = ?", job);
    own_.db.execute("DELETE FROM rm_mirror WHERE job = ?", job);
    own_.db.execute("DELETE FROM rm_alarm_open WHERE job = ?", job);
    own_.db.execute("DELETE FROM rm_intent WHERE job = ? AND state = 0", job);
    return core::job_edit{job, std::nullopt, 0};
  });
}

core::result<core::log_removal> job_role::remove_logs(core::job_id job, core::log_id after, std::size_t limit) {
  return own_.db.transact([&]() -> core::result<core::log_removal> {
    core::log_removal out;
    std::vector<core::log_id> settled;
    std::size_t looked_at = 0;
    auto found = own_.db.query("SELECT id, trigger_code = 0 AND handle_code = 0 FROM xxl_job_log WHERE job_id = ? AND id > ?"
                               " ORDER BY id LIMIT ?", job, after, limit);
    for (; found.next(); ++looked_at) {
      out.after = found.id<core::log_id>(0);
      if (found.number(1) == 0)
        settled.push_back(*out.after);
    }
    for (const auto part : padded_chunks(settled.size())) {
      for (const auto text : {sql{"DELETE FROM xxl_job_log WHERE id IN ({?,})"},
                              sql{"DELETE FROM rm_failed_run WHERE log_id IN ({?,})"},
                              sql{"DELETE FROM rm_asked_run WHERE log_id IN ({?,})"},
                              sql{"UPDATE rm_kept_log SET state = 2 WHERE log_id IN ({?,})"}}) {
        auto& some = own_.db.prepare(text, part.rows);
        for (std::size_t i = 0; i < part.rows; ++i)
          some.add(settled[part.at(i)]);
        some.run();
      }
    }
    out.removed = settled.size();
    if (looked_at < limit)
      out.after.reset();
    return out;
  });
}

} // namespace ringmaster::storage::mysql
