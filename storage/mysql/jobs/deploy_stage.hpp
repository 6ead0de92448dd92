#pragma once

// Changes of existing jobs by an apply, staged in separate tables: `rm_stage_job` and `rm_stage_schedule`.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/rules/deploy_plan.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// The times of a job that was claimed after its new schedule had been planned.
struct moved_schedule {
  core::job_id job{};
  core::time_point last{};
  core::time_point next{};
};

/// The staged rows of one apply. Every method runs inside a body of `connection::transact` or `connection::read`, and each of its
/// statements is short; outside of a transaction each one commits. All throw `driver_error`.
class deploy_stage {
public:
  /// Maximum number of jobs whose rows one statement writes or moves.
  static constexpr std::size_t jobs_at_once = 4096;

  deploy_stage(session& own, const core::deploy_plan& plan);

  /// Removes leftovers of interrupted applies: rows of connections that are gone.
  void remove_leftovers();
  /// Stages the definitions.
  void put_jobs();
  /// Stages the schedules and the numbers of the edits.
  void put_schedules();
  /// Replaces staged times, and marks these rows (`planned` is 2).
  void correct(std::span<const moved_schedule> moved);
  /// Removes the rows of this apply.
  void clear();

  /// Returns whether all rows exist, and locks them until the end of the transaction.
  [[nodiscard]] bool is_whole();
  [[nodiscard]] std::int64_t id() const noexcept { return id_; }
  [[nodiscard]] bool empty() const noexcept { return updated_.empty(); }
  /// Returns the first and last job of each part of the rows.
  [[nodiscard]] std::vector<std::pair<core::job_id, core::job_id>> parts() const;

private:
  void clear(std::int64_t stage);

  session& own_;
  connection& db_;
  const core::deploy_plan& plan_;
  std::int64_t id_;
  /// Positions in the plan, by job.
  std::vector<std::size_t> updated_;
};

} // namespace ringmaster::storage::mysql
