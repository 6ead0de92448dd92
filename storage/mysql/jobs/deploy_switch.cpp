#include "storage/mysql/jobs/deploy_switch.hpp"

#include <algorithm>

#include <mysql/mysqld_error.h>

#include "core/rules/job_columns.hpp"
#include "core/schedule/last_instant.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/jobs/audit_rows.hpp"
#include "storage/rows/job_option_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::change_kind;

core::error edited_meanwhile() {
  return {core::errc::conflict, "the database was edited while the declared jobs were planned; apply them again"};
}

void run_for(connection& db, sql text, std::span<const core::job_id> jobs) {
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = db.prepare(text, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    some.run();
  }
}

} // namespace

std::vector<core::held_group> read_groups(connection& db) {
  std::vector<core::held_group> out;
  auto groups = db.query("SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, x.source FROM xxl_job_group g"
                         " LEFT JOIN rm_group_ext x ON x.group_id = g.id ORDER BY g.id");
  while (groups.next())
    out.push_back({groups.id<core::group_id>(0), groups.string(1), groups.string(2),
                   groups.number(3) == 0 ? core::address_type::automatic : core::address_type::manual, groups.string(4),
                   groups.string(5), 0});
  return out;
}

std::int64_t read_edits(connection& db) {
  auto row = db.query("SELECT counter FROM rm_edit WHERE id = 1");
  return row.next() ? row.number(0) : 0;
}

deploy_switch::deploy_switch(session& own, deploy_stage& stage, const scene& at)
  : own_{own},
    db_{own.db},
    stage_{stage},
    at_{at},
    plan_{at.plan},
    shared_{at.basis.mode == core::cluster_mode::shared},
    date_{own.dates.of(at.now)} {}

core::result<void> deploy_switch::run() {
  if (auto held = hold_mode(); !held)
    return held;
  if (auto created = create_groups(); !created)
    return created;
  for (const auto& job : plan_.jobs)
    if (job.kind == change_kind::remove)
      removed_.push_back(job.id);
  removed_ = sorted(std::span<const core::job_id>{removed_});
  update_jobs();
  if (!run_as_planned()) {
    stale_ = true;
    return tl::unexpected{edited_meanwhile()};
  }
  create_jobs();
  link_children();
  remove_jobs();
  write_audit_rows();
  if (auto held = hold_edits(); !held)
    return held;
  return move_schedules();
}

core::result<void> deploy_switch::hold_mode() {
  if (shared_)
    if (auto locked = lock_schedule(db_); !locked)
      return locked;
  auto row = db_.query("SELECT mode FROM rm_mode WHERE id = 1 LOCK IN SHARE MODE");
  const bool as_planned = row.next() && core::find_cluster_mode(row.text(0)) == at_.basis.mode;
  // Without a lock: if something differs already here, nothing need be written first.
  if (!as_planned || read_edits(db_) != at_.basis.edits || !stage_.is_whole()) {
    stale_ = true;
    return tl::unexpected{edited_meanwhile()};
  }
  shows_ = shared_ || may_show_schedule(db_);
  return {};
}

core::result<void> deploy_switch::create_groups() {
  for (const auto& group : plan_.groups) {
    group_ids_.push_back(group.id);
    if (group.kind == change_kind::create)
      if (auto created = create_group(group); !created)
        return created;
  }
  return {};
}

core::result<void> deploy_switch::create_group(const core::group_write& group) {
  core::group_id id{};
  try {
    id = db_.insert<core::group_id>(
      "INSERT INTO xxl_job_group (app_name, $group_title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)",
      group.app_name, group.title, static_cast<std::int32_t>(group.type), group.address_list, date_);
  } catch (const driver_error& failure) {
    if (failure.number() != ER_DUP_ENTRY)
      throw;
    return core::fail(core::errc::conflict, "group " + group.app_name
                                              + ": the database considers the name of another group equal (it compares "
                                                "them without case)");
  }
  db_.execute("REPLACE INTO rm_group_ext (group_id, source) VALUES (?, ?)", id, at_.source);
  // A reused id must not inherit permissions and tokens.
  db_.execute("DELETE FROM rm_group_token WHERE group_id = ?", id);
  db_.execute("DELETE FROM rm_group_right WHERE group_id = ?", id);
  group_ids_.back() = id;
  created_groups_.push_back(id);
  return {};
}

void deploy_switch::write_group(const core::group_write& group) {
  if (group.kind == change_kind::update)
    db_.execute(
      "UPDATE xxl_job_group SET $group_title = ?, address_type = ?, address_list = COALESCE(?, address_list), update_time = ?"
      " WHERE id = ?",
      group.title, static_cast<std::int32_t>(group.type), group.address_list, date_, group.id);
  if (group.kind == change_kind::remove) {
    // Nothing refers to it any more: its jobs are removed in this transaction.
    db_.execute("DELETE FROM xxl_job_group WHERE id = ?", group.id);
    db_.execute("DELETE FROM rm_group_ext WHERE group_id = ?", group.id);
  }
}

template <class Add>
void deploy_switch::over_stage(sql text, Add add) {
  for (const auto& [first, last] : stage_.parts()) {
    auto& some = db_.prepare(text);
    add(some);
    some.add(stage_.id()).add(first).add(last).run();
  }
}

void deploy_switch::update_jobs() {
  over_stage("UPDATE rm_stage_job j STRAIGHT_JOIN xxl_job_info i ON i.id = j.job SET i.$job_name = j.job_name,"
             " i.author = j.author, i.alarm_email = j.alarm_email, i.schedule_type = j.schedule_type,"
             " i.schedule_conf = j.schedule_conf, i.misfire_strategy = j.misfire, i.executor_route_strategy = j.route,"
             " i.executor_block_strategy = j.block, i.executor_handler = j.handler, i.executor_param = j.params,"
             " i.glue_updatetime = IF(j.new_glue = 1, ?, i.glue_updatetime), i.glue_type = j.glue_type,"
             " i.executor_timeout = j.timeout_s, i.executor_fail_retry_count = j.retry_count,"
             " i.child_jobid = COALESCE(j.children, i.child_jobid), i.update_time = ?"
             " WHERE j.stage = ? AND j.job BETWEEN ? AND ?",
             [&](statement& some) { some.add(date_).add(date_); });
#define RINGMASTER_STAGED_OPTION(name) "e." name " = j." name
  over_stage("UPDATE rm_stage_job j STRAIGHT_JOIN rm_job_ext e ON e.job = j.job SET e.content_hash = j.content_hash, "
             RINGMASTER_JOB_OPTIONS(RINGMASTER_STAGED_OPTION, ", ") " WHERE j.stage = ? AND j.job BETWEEN ? AND ?",
             [](statement&) {});
#undef RINGMASTER_STAGED_OPTION
  // Adds rows of jobs that other programs created.
  over_stage("INSERT IGNORE INTO rm_schedule (job) SELECT g.job FROM rm_stage_schedule g LEFT JOIN rm_schedule s ON s.job = g.job"
             " WHERE s.job IS NULL AND g.stage = ? AND g.job BETWEEN ? AND ?",
             [](statement&) {});
  if (!shared_)
    show_schedules(false);
}

/// Returns whether no job that keeps its schedule has ended since the plan was made, or was stopped by another program.
bool deploy_switch::run_as_planned() {
  for (const auto& [first, last] : stage_.parts())
    if (db_.query("SELECT STRAIGHT_JOIN 1 FROM rm_stage_schedule g JOIN xxl_job_info i ON i.id = g.job WHERE g.planned = 0"
                  " AND i.trigger_status <> g.running AND g.stage = ? AND g.job BETWEEN ? AND ? LIMIT 1",
                  stage_.id(), first, last)
          .next())
      return false;
  return true;
}

/// Writes XXL's columns of the schedule; in shared mode they are the schedule.
void deploy_switch::show_schedules(bool moved_only) {
  over_stage("UPDATE rm_stage_schedule g STRAIGHT_JOIN xxl_job_info i ON i.id = g.job SET i.trigger_status = g.running,"
             " i.trigger_next_time = IF(g.next_ms = 0 OR ?, g.next_ms, ?), i.trigger_last_time = IF(?, 0, g.last_ms)"
             " WHERE g.planned >= ? AND g.stage = ? AND g.job BETWEEN ? AND ?",
             [&](statement& some) { some.add(shows_).add(hidden_next_ms).add(shared_).add(moved_only ? 2 : 1); });
}

void deploy_switch::create_jobs() {
  ids_.reserve(plan_.jobs.size());
  for (const auto& job : plan_.jobs)
    ids_.push_back(job.id);
  std::vector<std::size_t> created;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].kind == change_kind::create)
      created.push_back(i);
  const auto bytes_of = [&](std::size_t i) {
    const auto& columns = plan_.jobs[created[i]].columns;
    return columns.params.size() + columns.description.size() + 1024;
  };
  for (const auto part : chunks_within_bytes(created.size(), bytes_of, exact_chunks))
    create_jobs(std::span{created}.subspan(part.begin, part.count));
}

void deploy_switch::create_jobs(std::span<const std::size_t> positions) {
  auto& rows = db_.prepare(
    "INSERT INTO xxl_job_info (job_group, $job_name, add_time, update_time, author, alarm_email, schedule_type, schedule_conf,"
    " misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout,"
    " executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status,"
    " trigger_last_time, trigger_next_time) VALUES {(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'','',?,'',?,0,?),}",
    positions.size());
  for (const auto position : positions) {
    const auto& job = plan_.jobs[position];
    const auto& c = job.columns;
    const auto schedule = job.schedule.value_or(core::schedule_write{});
    const auto next_ms = schedule.next ? core::to_ms(*schedule.next) : 0;
    rows.add(job.group.id ? *job.group.id : group_ids_.at(job.group.position)).add(c.name).add(date_).add(date_).add(c.author);
    rows.add(c.alarm_email).add(c.schedule_type).add(c.schedule_conf).add(c.misfire).add(c.route).add(c.handler).add(c.params);
    rows.add(c.block).add(c.timeout_s).add(c.retry_count).add(c.glue_type).add(date_).add(schedule.running);
    rows.add(next_ms == 0 || shows_ ? next_ms : hidden_next_ms);
  }
  rows.run();
  auto id = rows.first_id();
  for (const auto position : positions) {
    ids_[position] = core::job_id{static_cast<std::int32_t>(id)};
    id += db_.id_step();
  }
  auto& options = db_.prepare(
    "REPLACE INTO rm_job_ext (job, source, job_key, content_hash, " RINGMASTER_OPTION_NAMES
    ") VALUES {(?,?,?,?," RINGMASTER_OPTION_MARKS "),}",
    positions.size());
  for (const auto position : positions) {
    const auto& job = plan_.jobs[position];
    options.add(ids_[position]).add(at_.source).add(job.key).add(job.hash).add(core::values_of(job.columns));
  }
  options.run();
  for (const auto position : positions)
    if (const auto& schedule = plan_.jobs[position].schedule; schedule && schedule->depends_on_id()) {
      const auto next = core::next_of(*schedule, ids_[position]);
      const auto next_ms = next ? core::to_ms(*next) : 0;
      db_.execute("UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?",
                  next_ms == 0 || shows_ ? next_ms : hidden_next_ms, ids_[position]);
    }
}

/// Writes the children of jobs. A child may be a job that the same plan creates.
void deploy_switch::link_children() {
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const auto& job = plan_.jobs[i];
    const bool names_new = std::any_of(job.children.begin(), job.children.end(), [](const auto& child) { return !child.id; });
    if (job.kind == change_kind::create ? !job.children.empty() : job.kind == change_kind::update && names_new)
      db_.execute("UPDATE xxl_job_info SET child_jobid = ? WHERE id = ?", core::child_jobs_text(job, ids_), ids_[i]);
  }
}

void deploy_switch::remove_jobs() {
  for (const auto text : {sql{"DELETE FROM xxl_job_info WHERE id IN ({?,})"},
                          sql{"DELETE FROM xxl_job_logglue WHERE job_id IN ({?,})"},
                          sql{"DELETE FROM rm_job_ext WHERE job IN ({?,})"}, sql{"DELETE FROM rm_mirror WHERE job IN ({?,})"},
                          sql{"DELETE FROM rm_alarm_open WHERE job IN ({?,})"}})
    run_for(db_, text, removed_);
  auto stops = removed_;
  for (const auto& job : plan_.jobs)
    if (job.ends_manual_stop)
      stops.push_back(job.id);
  run_for(db_, "DELETE FROM rm_stop WHERE job IN ({?,})", sorted(std::span<const core::job_id>{stops}));
}

void deploy_switch::write_audit_rows() {
  auto& rows = at_.audit;
  for (std::size_t i = 0; i < group_ids_.size(); ++i)
    rows[i].object_id = core::number(group_ids_[i]);
  for (std::size_t i = 0; i < ids_.size(); ++i)
    rows[group_ids_.size() + i].object_id = core::number(ids_[i]);
  write_audit(db_, rows);
}

/// Blocks all other edits from here to the commit.
core::result<void> deploy_switch::hold_edits() {
  auto row = db_.query("SELECT counter FROM rm_edit WHERE id = 1 FOR UPDATE");
  auto groups = core::edited_part(read_groups(db_));
  std::erase_if(groups, [&](const auto& group) {
    return std::find(created_groups_.begin(), created_groups_.end(), group.id) != created_groups_.end();
  });
  if (!row.next() || row.number(0) != at_.basis.edits || groups != at_.basis.groups) {
    stale_ = true;
    return tl::unexpected{edited_meanwhile()};
  }
  for (const auto& group : plan_.groups)
    write_group(group);
  if (plan_.revision)
    db_.execute("REPLACE INTO rm_deploy (source, revision) VALUES (?, ?)", at_.source, *plan_.revision);
  if (plan_.files) {
    db_.execute("DELETE FROM rm_source_file WHERE source = ?", at_.source);
    for (const auto& file : *plan_.files)
      db_.execute("INSERT IGNORE INTO rm_source_file (source, file_name) VALUES (?, ?)", at_.source, file);
  }
  write_alarm_rules(db_, at_.alarms, at_.source);
  return {};
}

core::result<void> deploy_switch::move_schedules() {
  const auto first = own_.take_revisions(std::max<std::size_t>(plan_.jobs.size(), 1));
  const auto limit = at_.now + core::implausibly_ahead;
  if (shared_)
    over_stage("UPDATE rm_stage_schedule g STRAIGHT_JOIN rm_schedule s ON s.job = g.job"
               " STRAIGHT_JOIN xxl_job_info i ON i.id = g.job SET s.revision = ? + g.number,"
               " s.last_ms = IF(g.planned = 0, s.last_ms, GREATEST(IF(s.last_ms > ?, ?, s.last_ms),"
               " IF(i.trigger_last_time > ?, ?, i.trigger_last_time))) WHERE g.stage = ? AND g.job BETWEEN ? AND ?",
               [&](statement& some) { some.add(first).add(limit).add(at_.now).add(limit).add(at_.now); });
  else
    over_stage("UPDATE rm_stage_schedule g STRAIGHT_JOIN rm_schedule s ON s.job = g.job SET s.revision = ? + g.number,"
               " s.next_ms = IF(g.planned = 0, s.next_ms, g.next_ms),"
               " s.last_ms = IF(g.planned = 1 AND s.last_ms > ?, ?, s.last_ms) WHERE g.stage = ? AND g.job BETWEEN ? AND ?",
               [&](statement& some) { some.add(first).add(limit).add(at_.now); });
  const auto moved = claimed_meanwhile();
  if (!moved)
    return tl::unexpected{moved.error()};
  stage_.correct(*moved);
  if (!moved->empty() && !shared_)
    over_stage("UPDATE rm_stage_schedule g STRAIGHT_JOIN rm_schedule s ON s.job = g.job SET s.next_ms = g.next_ms"
               " WHERE g.planned = 2 AND g.stage = ? AND g.job BETWEEN ? AND ?",
               [](statement&) {});
  if (!moved->empty() || shared_)
    show_schedules(!shared_);
  run_for(db_, "DELETE FROM rm_schedule WHERE job IN ({?,})", removed_);
  insert_schedules(first);
  drop_reserved();
  return {};
}

/// Returns jobs that were claimed after their new schedule had been planned: they count from that claim (firing protocol §7.3).
/// The schedules are locked. Errors: `invalid_argument` when one of them does not fire again.
core::result<std::vector<moved_schedule>> deploy_switch::claimed_meanwhile() {
  std::vector<moved_schedule> out;
  for (const auto& [first, last] : stage_.parts()) {
    auto found = db_.query("SELECT STRAIGHT_JOIN g.job, g.number, s.last_ms FROM rm_stage_schedule g"
                           " JOIN rm_schedule s ON s.job = g.job WHERE g.planned = 1 AND s.last_ms > g.last_ms AND g.stage = ?"
                           " AND g.job BETWEEN ? AND ?",
                           stage_.id(), first, last);
    while (found.next()) {
      const auto& job = plan_.jobs.at(static_cast<std::size_t>(found.number(1)));
      if (!job.schedule->running)
        continue;
      const auto claimed = found.time_ms(2);
      const auto next = core::planned_after(job, core::search_from(at_.first, claimed));
      if (!next)
        return tl::unexpected{next.error()};
      out.push_back({job.id, claimed, *next});
    }
  }
  return out;
}

void deploy_switch::insert_schedules(std::int64_t first_revision) {
  std::vector<std::size_t> created;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].kind == change_kind::create)
      created.push_back(i);
  for (const auto part : padded_chunks(created.size())) {
    auto& some = db_.prepare("REPLACE INTO rm_schedule (job, next_ms, last_ms, revision) VALUES {(?,?,0,?),}", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto position = created[part.at(i)];
      const auto& schedule = plan_.jobs[position].schedule;
      const auto next = schedule && !shared_ ? core::next_of(*schedule, ids_[position]) : std::nullopt;
      some.add(ids_[position]).add(next ? core::to_ms(*next) : 0).add(first_revision + static_cast<std::int64_t>(position));
    }
    some.run();
  }
}

/// Drops reserved instants. They stay where the schedule stays: its next time has already moved past them. In shared mode the
/// edit waits for the claims of all reserved instants (F5).
void deploy_switch::drop_reserved() {
  const auto waits = db_.query("SELECT 1 FROM rm_intent FORCE INDEX (rm_intent_state) WHERE state = 0"
                               " AND kind IN ('cron', 'misfire') LIMIT 1")
                       .next();
  if (!waits)
    return;
  std::vector<core::job_id> all, planned;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    all.push_back(ids_[i]);
    if (plan_.jobs[i].kind == change_kind::remove || plan_.jobs[i].schedule)
      planned.push_back(ids_[i]);
  }
  all = sorted(std::span<const core::job_id>{all});
  planned = sorted(std::span<const core::job_id>{planned});
  if (shared_)
    lock_reserved(db_, all);
  run_for(db_, "DELETE FROM rm_intent WHERE job IN ({?,}) AND kind IN ('cron', 'misfire') AND state = 0", planned);
}

} // namespace ringmaster::storage::mysql
