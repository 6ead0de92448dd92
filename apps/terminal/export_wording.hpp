#pragma once

// A stored group or job in the terms of a declared file.

#include <functional>
#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/editing/job_draft.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/time.hpp"
#include "storage/export_store.hpp"

namespace ringmaster::apps {

struct group_wording {
  core::declared_group group;
  /// Where the declaration differs from the stored row.
  std::vector<std::string> notes = {};
};

struct job_wording {
  core::declared_job job;
  std::vector<std::string> notes = {};
  /// Reasons why the row cannot be declared.
  std::vector<std::string> obstacles = {};
};

struct elastic_wording {
  core::declared_elastic_job job;
  std::vector<std::string> notes = {};
};

[[nodiscard]] group_wording wording_of(const storage::exported_group& row);

/// Converts everything but the children. `group`, `key`: the names for the declared job.
[[nodiscard]] job_wording wording_of(const core::job_record& row, const std::string& group, const std::string& key,
                                     core::schedule_rules& rules, core::time_point now);

/// Converts an elastic job. `group`: the app name of its group.
[[nodiscard]] elastic_wording wording_of(const core::elastic::elastic_job_row& row, const std::string& group,
                                         core::schedule_rules& rules, core::time_point now);

/// Returns why the reader of declared files would reject this object or read it differently; empty: it reads back unchanged.
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_group& group);
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_job& job);
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_alarm& alarm);
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_elastic_job& job);

/// Returns an empty line and a table, after comments that say why it cannot be declared and where it differs from the row. With
/// obstacles the table is a comment, too. `remark` receives each comment without its mark; may be null.
[[nodiscard]] std::string commented_table(const std::string& who, const std::string& table,
                                          const std::vector<std::string>& notes, const std::vector<std::string>& obstacles,
                                          const std::function<void(const std::string&)>& remark = nullptr);

/// Converts a job name to a key of letters, digits, `-`, `_` and `.`; returns `job-17` when too few of its characters remain.
[[nodiscard]] std::string key_from_name(std::string_view name, core::job_id job);

} // namespace ringmaster::apps
