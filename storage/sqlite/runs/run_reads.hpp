#pragma once

#include <optional>
#include <vector>

#include "storage/rows/run_paging.hpp"
#include "storage/rows/seen_totals.hpp"
#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// The log for `run_paging`, inside a transaction.
class log_paths final : public run_paths {
public:
  explicit log_paths(connection& db) : db_{db} {}

  core::log_span span() override;
  std::optional<glance> look_at(core::log_id id) override;
  bool has(run_path path) const override { return path == run_path::primary || path == run_path::job; }
  stretch look_along(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                     std::int64_t rows) override;
  std::vector<core::log_id> newest(run_path path, const run_terms& terms, const core::log_range& range,
                                   std::size_t limit) override;
  std::vector<core::log_id> oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                   std::size_t limit) override;
  std::vector<core::job_id> jobs_of(const run_terms& terms, std::size_t limit) override;

private:
  std::vector<core::log_id> list(const char* sql, const run_terms& terms, const core::log_range& range, std::size_t limit);

  connection& db_;
};

/// Returns the present group of a job.
[[nodiscard]] std::optional<core::group_id> group_of(connection& db, std::optional<core::job_id> job);

/// Runs for users. `run_reads.cpp` reads, `run_clears.cpp` removes.
class run_role final : public run_reader {
public:
  explicit run_role(session& own) : own_{own} {}

  core::result<core::page<core::log_row>> page(const core::run_search& search, std::size_t count_max,
                                               const core::principal& by) override;
  core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) override;
  core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                             core::time_point now) override;
  core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                       std::size_t limit, const core::principal& by, core::time_point now) override;
  core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) override;

private:
  core::result<core::clear_step> begin_clear(const core::clear_search& search, const core::principal& by, core::time_point now);

  session& own_;
  seen_totals totals_;
};

} // namespace ringmaster::storage::sqlite
