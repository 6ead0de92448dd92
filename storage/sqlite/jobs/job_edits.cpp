// Start, stop, manual trigger, removal. SQLite's one write lock replaces the lock on `rm_edit`.

#include "storage/sqlite/jobs/job_edits.hpp"

#include "core/job/address_list.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/rules/schedule_repair.hpp"
#include "core/schedule/last_instant.hpp"
#include "storage/rows/claim_values.hpp"
#include "storage/sqlite/firing/edit_sql.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/jobs/job_writes.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char write_edited_next[] =
  "UPDATE rm_schedule SET next_ms = ?2, revision = (SELECT counter FROM rm_edit WHERE id = 1) WHERE job = ?1";
constexpr char write_repaired_last[] = "UPDATE rm_schedule SET last_ms = ?2 WHERE job = ?1";
constexpr char mirror_switch[] =
  "UPDATE xxl_job_info SET trigger_status = ?2, trigger_last_time = 0, trigger_next_time = ?3, "
  "update_time = ?4 WHERE id = ?1";
constexpr char write_stop[] = "INSERT OR REPLACE INTO rm_stop (job, user_name, at_ms) VALUES (?1, ?2, ?3)";
/// The user who stopped it first is stored.
constexpr char keep_stop[] = "INSERT OR IGNORE INTO rm_stop (job, user_name, at_ms) VALUES (?1, ?2, ?3)";
constexpr char find_stored[] =
  "SELECT job_group, job_desc, executor_param, executor_fail_retry_count, trigger_status FROM xxl_job_info "
  "WHERE id = ?1";
constexpr char list_addresses[] = "SELECT address_list FROM xxl_job_group WHERE id = ?1";
constexpr char list_registered[] = "SELECT r.registry_value FROM xxl_job_registry r JOIN xxl_job_group g ON g.app_name = "
                                   "r.registry_key WHERE r.registry_group = 'EXECUTOR' AND g.id = ?1";
constexpr char insert_asked_intent[] =
  "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, addresses, retry_left, created_ms) "
  "VALUES (?1, ?2, 0, ?3, 0, 0, ?4, ?5, ?6, ?7)";
constexpr char find_intent[] =
  "SELECT id, param, addresses FROM rm_intent WHERE job = ?1 AND kind = ?2 AND fire_ms = 0 AND origin_log_id = ?3 AND shard = 0";
constexpr char find_wish[] = "SELECT n.state = 0, coalesce(j.job_group, 0) FROM rm_intent n LEFT JOIN xxl_job_info j "
                             "ON j.id = n.job WHERE n.id = ?1 AND n.kind IN ('manual', 'api')";
constexpr char find_asked[] = "SELECT a.log_id, coalesce(l.job_group, 0) FROM rm_asked_run a LEFT JOIN xxl_job_log l "
                              "ON l.id = a.log_id WHERE a.intent = ?1 ORDER BY a.log_id";
constexpr char find_owner[] = "SELECT source FROM rm_job_ext WHERE job = ?1 AND job_key IS NOT NULL";
constexpr const char* removals[] = {
  "DELETE FROM xxl_job_info WHERE id = ?1",      "DELETE FROM xxl_job_logglue WHERE job_id = ?1",
  "DELETE FROM rm_schedule WHERE job = ?1",      "DELETE FROM rm_job_ext WHERE job = ?1",
  "DELETE FROM rm_mirror WHERE job = ?1",        "DELETE FROM rm_alarm_open WHERE job = ?1",
  "DELETE FROM rm_stop WHERE job = ?1",
  "DELETE FROM rm_intent WHERE job = ?1 AND state = 0",
};
constexpr char list_log[] = "SELECT id, trigger_code = 0 AND handle_code = 0 FROM xxl_job_log WHERE job_id = ?1 AND id > ?2 "
                            "ORDER BY id LIMIT ?3";
constexpr const char* row_removals[] = {
  "DELETE FROM xxl_job_log WHERE id = ?1 AND (trigger_code <> 0 OR handle_code <> 0)",
  "DELETE FROM rm_failed_run WHERE log_id = ?1",
  "DELETE FROM rm_asked_run WHERE log_id = ?1",
  "UPDATE rm_kept_log SET state = 2 WHERE log_id = ?1",
};

/// Returns the row to edit. Errors: `not_found`; `forbidden` when `by` does not have the permission in its group.
core::result<core::stored_job> find_for(connection& db, core::job_id job, core::group_right wanted, const core::principal& by) {
  auto known = db.prepare(find_stored);
  if (!known.with(job).step())
    return tl::unexpected{core::no_such_job(job)};
  core::stored_job found{job, known.id<core::group_id>(0), std::string{known.text(1)}, std::string{known.text(2)}, known.small(3),
                   known.number(4) == 1};
  if (auto may = core::check_right(by, wanted, found.group); !may)
    return tl::unexpected{may.error()};
  return found;
}

/// Returns the addresses of the group's list and the registered ones.
std::vector<std::string> addresses_of(connection& db, core::group_id group) {
  std::vector<std::string> out;
  if (auto list = db.prepare(list_addresses); list.with(group).step())
    out = core::split_addresses(list.text(0));
  auto registered = db.prepare(list_registered);
  registered.with(group);
  while (registered.step())
    out.emplace_back(registered.text(0));
  return out;
}

core::result<core::job_edit> schedule_anew(session& own, core::job_id job, std::optional<core::time_point> next,
                                           core::time_point now) {
  auto& db = *own.db;
  const auto next_ms = next ? core::to_ms(*next) : 0;
  db.run(raise_edits);
  db.run(ensure_schedule, job);
  db.run(write_edited_next, job, next_ms);
  db.run(doubt_last, job, now + core::implausibly_ahead, now);
  db.run(mirror_switch, job, next.has_value(), next_ms, own.dates.of(now));
  db.run(delete_waiting_cron, job);
  return core::job_edit{job, next, 0};
}

} // namespace

core::result<core::job_edit> job_role::start(core::job_id job, core::time_point now, const core::principal& by) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto stored = find_for(db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    const auto held = find_job(own_, job);
    if (!held)
      return tl::unexpected{core::no_such_job(job)};
    const auto next = core::next_of_start(*held, stored->running, now, own_.schedule_zone);
    if (!next)
      return tl::unexpected{next.error()};
    write_audit(db, core::audit_of_job(by, core::audit_action::start, *stored, now));
    db.run(delete_stop, job);
    return next->planned ? schedule_anew(own_, job, next->next, now) : core::job_edit{job, next->next, 0};
  });
}

core::result<core::job_edit> job_role::stop(core::job_id job, core::time_point now, const core::principal& by) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto stored = find_for(db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    write_audit(db, core::audit_of_job(by, core::audit_action::stop, *stored, now));
    db.run(stored->running ? write_stop : keep_stop, job, by.name, now);
    return schedule_anew(own_, job, std::nullopt, now);
  });
}

core::result<core::job_edit> job_role::count_again(core::job_id job, core::time_point now, const core::principal& by) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto stored = find_for(db, job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    const auto held = find_job(own_, job);
    if (!held)
      return tl::unexpected{core::no_such_job(job)};
    const auto repaired = core::repair_times(*held, now, own_.schedule_zone);
    if (!repaired)
      return tl::unexpected{repaired.error()};
    write_audit(db, core::audit_of_job(by, core::audit_action::update, *stored, now, repaired->changes));
    auto done = schedule_anew(own_, job, repaired->times.next, now);
    db.run(write_repaired_last, job, repaired->times.last);
    return done;
  });
}

core::result<core::intent> job_role::trigger(const core::manual_trigger& request, core::time_point now,
                                             const core::principal& by) {
  auto intent = core::intent_of(request);
  if (!intent)
    return intent;
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::intent> {
    const auto stored = find_for(db, request.job, core::group_right::operate, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    if (!intent->addresses.empty())
      if (auto may = core::check_addresses(by, intent->addresses, addresses_of(db, stored->group)); !may)
        return tl::unexpected{may.error()};
    intent->retry_left = stored->retry_count;
    const auto kind = intent_kind_name(intent->kind);
    auto asked = db.prepare(find_intent);
    if (asked.with(intent->job, kind, intent->origin).step()) {
      if (auto same = core::check_same_request(*intent, asked.optional_text(1), asked.text(2)); !same)
        return tl::unexpected{same.error()};
      intent->id = asked.id<core::intent_id>(0);
      return *intent;
    }
    db.run(insert_asked_intent, kind, intent->job, intent->origin, intent->param, core::join_addresses(intent->addresses),
           intent->retry_left, now);
    intent->id = core::intent_id{db.last_id()};
    write_audit(db, core::audit_of_job(by, core::audit_action::trigger, *stored, now, core::changes_of(request, stored->param)));
    return *intent;
  });
}

core::result<core::asked_runs> job_role::runs_of(core::intent_id intent, const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::asked_runs> {
    core::request_trace found;
    auto request = db.prepare(find_wish);
    if (request.with(intent).step())
      found.take_request(request.number(0) != 0, request.id<core::group_id>(1));
    auto listing = db.prepare(find_asked);
    listing.with(intent);
    while (listing.step())
      found.take_run(listing.id<core::log_id>(0), listing.id<core::group_id>(1));
    return std::move(found).told_to(by, intent);
  });
}

core::result<core::job_edit> job_role::remove(core::job_id job, bool declared_too, core::time_point now,
                                              const core::principal& by, std::string_view seen) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto stored = find_for(db, job, core::group_right::editor, by);
    if (!stored)
      return tl::unexpected{stored.error()};
    if (auto owner = db.prepare(find_owner); !declared_too && owner.with(job).step())
      return tl::unexpected{core::is_declared(job, owner.text(0))};
    const auto was = find_record(own_, job);
    if (auto as_seen = core::check_seen(was, job, seen); !as_seen)
      return tl::unexpected{as_seen.error()};
    write_audit(db, core::audit_of_job(by, core::audit_action::remove, *stored, now,
                                  was ? core::changes_of_removal(*was) : std::vector<std::string>{}));
    db.run(raise_edits);
    for (const char* sql : removals)
      db.run(sql, job);
    return core::job_edit{job, std::nullopt, 0};
  });
}

core::result<core::log_removal> job_role::remove_logs(core::job_id job, core::log_id after, std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::log_removal> {
    std::vector<core::log_id> settled;
    core::log_removal done;
    std::size_t looked_at = 0;
    {
      auto listing = db.prepare(list_log);
      listing.with(job, after, limit);
      for (; listing.step(); ++looked_at) {
        done.after = listing.id<core::log_id>(0);
        if (listing.number(1) == 0)
          settled.push_back(*done.after);
      }
    }
    for (auto id : settled)
      for (const char* sql : row_removals)
        db.run(sql, id);
    done.removed = settled.size();
    if (looked_at < limit)
      done.after.reset();
    return done;
  });
}

} // namespace ringmaster::storage::sqlite
