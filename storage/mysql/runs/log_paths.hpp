#pragma once

#include <optional>
#include <vector>

#include "storage/mysql/driver/session.hpp"
#include "storage/rows/run_paging.hpp"

namespace ringmaster::storage::mysql {

/// The log for `run_paging`. All methods throw `driver_error`.
class log_paths final : public run_paths {
public:
  explicit log_paths(session& own) : own_{own} {}

  core::log_span span() override;
  std::optional<glance> look_at(core::log_id id) override;
  bool has(run_path path) const override;
  stretch look_along(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                     std::int64_t rows) override;
  std::vector<core::log_id> newest(run_path path, const run_terms& terms, const core::log_range& range,
                                   std::size_t limit) override;
  std::vector<core::log_id> oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                   std::size_t limit) override;
  std::vector<core::job_id> jobs_of(const run_terms& terms, std::size_t limit) override;

private:
  /// Reads at most `rows` rows of the range; returns their number.
  std::int64_t look(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit, std::int64_t rows,
                    stretch& to);

  session& own_;
};

} // namespace ringmaster::storage::mysql
