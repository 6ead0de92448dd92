#pragma once

#include <memory>
#include <mutex>

#include "core/elastic/stored_rows.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::actors {

/// Compiled schedules that all coordinators of a node share. Any thread; compiles for microseconds under a lock.
class job_schedules {
public:
  /// `where`: the zone of jobs that name none.
  explicit job_schedules(core::zone where) : rules_{std::move(where)} {}

  /// Returns the compiled schedule of a job. Errors: those of `core::schedule_rules::of`.
  [[nodiscard]] core::result<core::schedule_rules::rule> of(const core::elastic::elastic_job_row& job) {
    const std::lock_guard lock{mutex_};
    const auto& options = job.what.options;
    return rules_.of(options.schedule, options.schedule_conf, options.timing);
  }

private:
  std::mutex mutex_;
  core::schedule_rules rules_;
};

} // namespace ringmaster::actors
