#pragma once

#include <optional>
#include <vector>

#include "storage/rows/run_paging.hpp"
#include "storage/sqlite/driver/session.hpp"

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

} // namespace ringmaster::storage::sqlite
