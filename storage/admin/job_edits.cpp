// Start, stop, manual trigger, removal.

#include "storage/admin/job_edits.hpp"

#include <utility>

#include "core/job/address_list.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/rules/schedule_repair.hpp"
#include "storage/admin/audit_row.hpp"
#include "storage/admin/job_writes.hpp"
#include "storage/admin/run_reads.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage {

namespace {

/// Returns the row to edit. Errors: `not_found`; `forbidden` when `by` does not have the permission in its group.
core::result<core::stored_job> find_for(admin_session& own, core::job_id job, core::group_right wanted,
                                        const core::principal& by) {
  auto known =
    own.query("SELECT job_group, $job_name, executor_param, executor_fail_retry_count, trigger_status FROM xxl_job_info"
              " WHERE id = ?", job);
  if (!known.next())
    return tl::unexpected{core::no_such_job(job)};
  core::stored_job found{job, known.id<core::group_id>(0), known.string(1), known.string(2), known.number32(3),
                   known.number(4) == 1};
  if (auto may = core::check_right(by, wanted, found.group); !may)
    return tl::unexpected{may.error()};
  return found;
}

struct begun_edit {
  core::cluster_mode mode;
  core::stored_job stored;
};

/// Begins an edit of a job. Errors: those of `begin_edit` and of `find_for`.
core::result<begun_edit> begin_edit_of(admin_session& own, core::job_id job, core::group_right wanted,
                                       const core::principal& by) {
  const auto mode = own.begin_edit();
  if (!mode)
    return tl::unexpected{mode.error()};
  return find_for(own, job, wanted, by).map([&](core::stored_job stored) { return begun_edit{*mode, std::move(stored)}; });
}

/// Returns the addresses of the group's list and the registered ones. Some tables compare names without case; the registry does
/// not.
std::vector<std::string> addresses_of(admin_session& own, core::group_id group) {
  std::vector<std::string> out;
  if (auto list = own.query("SELECT address_list FROM xxl_job_group WHERE id = ?", group); list.next())
    out = core::split_addresses(list.text(0));
  auto registered = own.query(
    "SELECT r.registry_value FROM xxl_job_registry r JOIN xxl_job_group g ON g.app_name = r.registry_key"
    " AND CAST(g.app_name AS $bytes) = CAST(r.registry_key AS $bytes)"
    " WHERE r.registry_group = 'EXECUTOR' AND g.id = ?",
    group);
  while (registered.next())
    out.push_back(registered.string(0));
  return out;
}

core::job_edit replan(admin_session& own, core::job_id job, core::cluster_mode mode, std::optional<core::time_point> next,
                             core::time_point now) {
  const auto next_ms = next ? core::to_ms(*next) : 0;
  const auto revision = next_revision(own);
  const bool shared = mode == core::cluster_mode::shared;
  if (shared)
    own.schedule().keep_last_instant(job, now);
  else
    doubt_last_instant(own, job, now);
  own.execute("UPDATE rm_schedule SET next_ms = ?, revision = ? WHERE job = ?", shared ? 0 : next_ms, revision, job);
  own.execute("UPDATE xxl_job_info SET trigger_status = ?, trigger_last_time = 0, trigger_next_time = ?, update_time = ?"
              " WHERE id = ?",
              next.has_value(), shared ? next_ms : own.schedule().shown_next(next_ms), std::string{own.dates().of(now)}, job);
  drop_reserved(own, job);
  return {job, next, 0};
}

} // namespace

core::result<core::job_edit> job_role::start(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto begun = begin_edit_of(own_, job, core::group_right::operate, by);
    if (!begun)
      return tl::unexpected{begun.error()};
    const auto& [mode, stored] = *begun;
    own_.schedule().hold_claims(job);
    const auto held = own_.schedule().find(job);
    if (!held)
      return tl::unexpected{core::no_such_job(job)};
    if (mode == core::cluster_mode::shared)
      if (auto known = core::check_shared(held->spec->timing); !known)
        return tl::unexpected{known.error()};
    const bool runs = own_.schedule().runs_by_its_schedule(stored, *held, mode);
    const auto next = core::next_of_start(*held, runs, own_.schedule().first_start(mode, now), own_.schedule_zone());
    if (!next)
      return tl::unexpected{next.error()};
    write_audit(own_, core::audit_of_job(by, core::audit_action::start, stored, now));
    own_.execute("DELETE FROM rm_stop WHERE job = ?", job);
    return next->planned ? replan(own_, job, mode, next->next, now) : core::job_edit{job, next->next, 0};
  });
}

core::result<core::job_edit> job_role::stop(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto begun = begin_edit_of(own_, job, core::group_right::operate, by);
    if (!begun)
      return tl::unexpected{begun.error()};
    const auto& [mode, stored] = *begun;
    own_.schedule().hold_claims(job);
    write_audit(own_, core::audit_of_job(by, core::audit_action::stop, stored, now));
    // The user who stopped it first is stored.
    if (stored.running)
      own_.execute("REPLACE INTO rm_stop (job, user_name, at_ms) VALUES (?, ?, ?)", job, by.name, now);
    else
      own_.execute("INSERT $or_ignore INTO rm_stop (job, user_name, at_ms) VALUES (?, ?, ?)", job, by.name, now);
    return replan(own_, job, mode, std::nullopt, now);
  });
}

core::result<core::job_edit> job_role::count_again(core::job_id job, core::time_point now, const core::principal& by) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto begun = begin_edit_of(own_, job, core::group_right::operate, by);
    if (!begun)
      return tl::unexpected{begun.error()};
    const auto& [mode, stored] = *begun;
    own_.schedule().hold_claims(job);
    const auto held = own_.schedule().find(job);
    if (!held)
      return tl::unexpected{core::no_such_job(job)};
    const auto repaired = core::repair_times(*held, own_.schedule().first_start(mode, now), own_.schedule_zone());
    if (!repaired)
      return tl::unexpected{repaired.error()};
    write_audit(own_, core::audit_of_job(by, core::audit_action::update, stored, now, repaired->changes));
    auto done = replan(own_, job, mode, repaired->times.next, now);
    own_.execute("UPDATE rm_schedule SET last_ms = ? WHERE job = ?", repaired->times.last, job);
    return done;
  });
}

core::result<core::intent> job_role::trigger(const core::manual_trigger& request, core::time_point now,
                                             const core::principal& by) {
  auto intent = core::intent_of(request);
  if (!intent)
    return intent;
  return own_.edit([&]() -> core::result<core::intent> {
    const auto stored = find_for(own_, request.job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    if (!intent->addresses.empty())
      if (auto may = core::check_addresses(by, intent->addresses, addresses_of(own_, stored->group)); !may)
        return tl::unexpected{may.error()};
    intent->retry_left = stored->retry_count;
    // The log row would hold a cut parameter, and a retry or a resend would use that.
    if (request.param)
      if (auto fits = core::check_param(*request.param, own_.facts().limits); !fits)
        return tl::unexpected{fits.error()};
    const auto audit =
      core::audit_of_job(by, core::audit_action::trigger, *stored, now, core::changes_of(request, stored->param));
    const auto kind = intent_kind_name(intent->kind);
    constexpr sql_text find_request{
      "SELECT id, param, addresses FROM rm_intent WHERE job = ? AND kind = ? AND fire_ms = 0 AND origin_log_id = ?"
      " AND shard = 0"};
    const auto exists = [&] { return own_.finds(find_request, intent->job, kind, intent->origin); };
    const bool is_new = own_.write_once(exists, [&] {
      intent->id = own_.insert<core::intent_id>(
        "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, addresses, retry_left, created_ms,"
        " user_name) VALUES (?, ?, 0, ?, 0, 0, ?, ?, ?, ?, ?)",
        kind, intent->job, intent->origin, intent->param, core::join_addresses(intent->addresses), intent->retry_left, now,
        audit.user_name);
      write_audit(own_, audit);
    });
    if (is_new)
      return *intent;
    auto asked = own_.query(find_request, intent->job, kind, intent->origin);
    if (!asked.next())
      return core::fail(core::errc::unavailable, "the run with this key is being deleted: try again");
    if (auto same = core::check_same_request(*intent, asked.optional_string(1), asked.text(2)); !same)
      return tl::unexpected{same.error()};
    intent->id = asked.id<core::intent_id>(0);
    return *intent;
  });
}

core::result<core::asked_runs> job_role::runs_of(core::intent_id intent, const core::principal& by) {
  return own_.read([&]() -> core::result<core::asked_runs> {
    core::request_trace found;
    // In this order: between the two reads it may be claimed, and then it has runs.
    if (auto request = own_.query("SELECT n.state = 0, COALESCE(j.job_group, 0) FROM rm_intent n"
                                  " LEFT JOIN xxl_job_info j ON j.id = n.job WHERE n.id = ? AND n.kind IN ('manual', 'api')",
                                  intent);
        request.next())
      found.take_request(request.number(0) != 0, request.id<core::group_id>(1));
    auto runs = own_.query("SELECT a.log_id, COALESCE(l.job_group, 0) FROM rm_asked_run a"
                           " LEFT JOIN xxl_job_log l ON l.id = a.log_id WHERE a.intent = ? ORDER BY a.log_id", intent);
    while (runs.next())
      found.take_run(runs.id<core::log_id>(0), runs.id<core::group_id>(1));
    return std::move(found).told_to(by, intent);
  });
}

core::result<core::job_edit> job_role::remove(core::job_id job, bool declared_too, core::time_point now,
                                              const core::principal& by, std::string_view seen) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto begun = begin_edit_of(own_, job, core::group_right::editor, by);
    if (!begun)
      return tl::unexpected{begun.error()};
    const auto& [mode, stored] = *begun;
    auto owner = own_.query("SELECT source FROM rm_job_ext WHERE job = ? AND job_key IS NOT NULL", job);
    if (!declared_too && owner.next())
      return tl::unexpected{core::is_declared(job, owner.text(0))};
    const auto was = held_record(own_, job, mode);
    if (auto as_seen = core::check_seen(was, job, seen); !as_seen)
      return tl::unexpected{as_seen.error()};
    write_audit(own_, core::audit_of_job(by, core::audit_action::remove, stored, now,
                                  was ? core::changes_of_removal(*was) : std::vector<core::audit_line>{}));
    (void) next_revision(own_);
    own_.execute("DELETE FROM xxl_job_info WHERE id = ?", job);
    own_.execute("DELETE FROM xxl_job_logglue WHERE job_id = ?", job);
    own_.execute("DELETE FROM rm_schedule WHERE job = ?", job);
    own_.execute("DELETE FROM rm_job_ext WHERE job = ?", job);
    own_.execute("DELETE FROM rm_stop WHERE job = ?", job);
    own_.execute("DELETE FROM rm_mirror WHERE job = ?", job);
    own_.execute("DELETE FROM rm_alarm_open WHERE job = ?", job);
    own_.execute("DELETE FROM rm_intent WHERE job = ? AND state = 0", job);
    return core::job_edit{job, std::nullopt, 0};
  });
}

core::result<core::log_removal> job_role::remove_logs(core::job_id job, core::log_id after, std::size_t limit) {
  return own_.edit([&]() -> core::result<core::log_removal> {
    core::log_removal out;
    std::vector<core::log_id> settled;
    std::size_t looked_at = 0;
    auto found = own_.query("SELECT id, trigger_code = 0 AND handle_code = 0 FROM xxl_job_log WHERE job_id = ? AND id > ?"
                            " ORDER BY id LIMIT ?", job, after, limit);
    for (; found.next(); ++looked_at) {
      out.after = found.id<core::log_id>(0);
      if (found.number(1) == 0)
        settled.push_back(*out.after);
    }
    remove_runs(own_, settled);
    out.removed = settled.size();
    if (looked_at < limit)
      out.after.reset();
    return out;
  });
}

} // namespace ringmaster::storage
