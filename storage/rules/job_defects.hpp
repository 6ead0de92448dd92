#pragma once

// Detection of jobs that cannot be planned, before a planner reads them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule_rules.hpp"
#include "core/zone/zone.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage {

/// The columns of a job that decide whether it can be planned; empty for NULL.
struct planned_columns {
  std::int64_t id = 0;
  std::int64_t trigger_status = 0;
  std::string schedule_type;
  std::optional<std::string> schedule_conf;
  /// The options, where the schema has them: none before `migrate`.
  core::schedule_options options{};
};

/// Returns why an enabled job is never planned; empty when nothing is wrong.
[[nodiscard]] std::string defect_of(const planned_columns& job, core::schedule_rules& rules);

/// Collects defects and names at most twenty jobs by their ids.
class defect_report {
public:
  explicit defect_report(core::zone where) : rules_{std::move(where)} {}
  void add(const planned_columns& job);
  /// Returns one finding for all.
  [[nodiscard]] database_finding finding() const;

private:
  core::schedule_rules rules_;
  std::size_t jobs_ = 0;
  std::size_t bad_ = 0;
  std::string text_;
};

} // namespace ringmaster::storage
