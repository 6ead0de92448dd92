#include "storage/mysql/jobs/deploy_stage.hpp"

#include <algorithm>

#include "storage/mysql/driver/batches.hpp"
#include "storage/rows/job_option_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::change_kind;

/// Approximate length of a job's columns without its parameter.
constexpr std::size_t short_columns_bytes = 1024;

/// Returns the ids in `child_jobid`, unless one of them will only be known when its job has been created.
std::optional<std::string> known_children(const core::job_write& job) {
  const bool known =
    std::all_of(job.children.begin(), job.children.end(), [](const auto& child) { return child.id.has_value(); });
  return known ? std::optional{core::child_jobs_text(job, {})} : std::nullopt;
}

} // namespace

deploy_stage::deploy_stage(session& own, const core::deploy_plan& plan) : own_{own}, db_{own.db}, plan_{plan}, id_{own.db.id()} {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i)
    if (plan.jobs[i].kind == change_kind::update)
      updated_.push_back(i);
  std::sort(updated_.begin(), updated_.end(), [&](auto a, auto b) { return plan.jobs[a].id < plan.jobs[b].id; });
}

void deploy_stage::remove_leftovers() {
  std::vector<std::int64_t> stages;
  for (const auto text : {sql{"SELECT DISTINCT stage FROM rm_stage_job"}, sql{"SELECT DISTINCT stage FROM rm_stage_schedule"}})
    for (auto found = db_.query(text); found.next();)
      stages.push_back(found.number(0));
  for (const auto stage : stages)
    if (stage == id_ || !db_.query("SELECT ID FROM information_schema.PROCESSLIST WHERE ID = ?", stage).next())
      clear(stage);
}

void deploy_stage::clear(std::int64_t stage) {
  for (const auto text : {sql{"DELETE FROM rm_stage_job WHERE stage = ? LIMIT 5000"},
                          sql{"DELETE FROM rm_stage_schedule WHERE stage = ? LIMIT 5000"}})
    while (db_.execute(text, stage) != 0) {
    }
}

void deploy_stage::clear() {
  if (!updated_.empty())
    clear(id_);
}

void deploy_stage::put_jobs() {
  const auto bytes_of = [&](std::size_t i) {
    const auto& columns = plan_.jobs[updated_[i]].columns;
    return columns.params.size() + columns.description.size() + short_columns_bytes;
  };
  const auto cut = [](std::size_t size) { return padded_chunks(size); };
  for (const auto part : chunks_within_bytes(updated_.size(), bytes_of, cut)) {
    auto& some = db_.prepare(
      "REPLACE INTO rm_stage_job (stage, job, job_name, author, alarm_email, schedule_type, schedule_conf, misfire, route, block,"
      " handler, params, glue_type, new_glue, timeout_s, retry_count, children, content_hash, " RINGMASTER_OPTION_NAMES
      ") VALUES {(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?," RINGMASTER_OPTION_MARKS "),}",
      part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& job = plan_.jobs[updated_[part.at(i)]];
      const auto& c = job.columns;
      some.add(id_).add(job.id).add(c.name).add(c.author).add(c.alarm_email).add(c.schedule_type).add(c.schedule_conf);
      some.add(c.misfire).add(c.route).add(c.block).add(c.handler).add(c.params).add(c.glue_type);
      some.add(job.new_glue).add(c.timeout_s).add(c.retry_count).add(known_children(job)).add(job.hash);
      some.add(core::values_of(c));
    }
    some.run();
  }
}

void deploy_stage::put_schedules() {
  for (const auto part : padded_chunks(updated_.size())) {
    auto& some = db_.prepare("REPLACE INTO rm_stage_schedule (stage, job, number, planned, running, next_ms, last_ms)"
                             " VALUES {(?,?,?,?,?,?,?),}",
                             part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto position = updated_[part.at(i)];
      const auto& job = plan_.jobs[position];
      const auto schedule = job.schedule.value_or(core::schedule_write{});
      some.add(id_).add(job.id).add(position).add(job.schedule.has_value());
      some.add(job.schedule ? schedule.running : job.was_running);
      some.add(schedule.next ? core::to_ms(*schedule.next) : 0).add(schedule.last);
    }
    some.run();
  }
}

void deploy_stage::correct(std::span<const moved_schedule> moved) {
  for (const auto part : padded_chunks(moved.size(), case_rows_max)) {
    auto& some = db_.prepare("UPDATE rm_stage_schedule SET planned = 2, next_ms = CASE job {WHEN ? THEN ? }END,"
                             " last_ms = CASE job {WHEN ? THEN ? }END WHERE stage = ? AND job IN ({?,})",
                             part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moved[part.at(i)].job).add(moved[part.at(i)].next);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moved[part.at(i)].job).add(moved[part.at(i)].last);
    some.add(id_);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moved[part.at(i)].job);
    some.run();
  }
}

bool deploy_stage::is_whole() {
  for (const auto text : {sql{"SELECT COUNT(*) FROM rm_stage_job WHERE stage = ? LOCK IN SHARE MODE"},
                          sql{"SELECT COUNT(*) FROM rm_stage_schedule WHERE stage = ? LOCK IN SHARE MODE"}})
    if (auto row = db_.query(text, id_); !row.next() || row.number(0) != static_cast<std::int64_t>(updated_.size()))
      return false;
  return true;
}

std::vector<std::pair<core::job_id, core::job_id>> deploy_stage::parts() const {
  std::vector<std::pair<core::job_id, core::job_id>> out;
  for (std::size_t begin = 0; begin < updated_.size(); begin += jobs_at_once) {
    const auto end = std::min(begin + jobs_at_once, updated_.size());
    out.emplace_back(plan_.jobs[updated_[begin]].id, plan_.jobs[updated_[end - 1]].id);
  }
  return out;
}

} // namespace ringmaster::storage::mysql
