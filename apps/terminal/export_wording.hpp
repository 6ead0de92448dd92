#pragma once

// A stored group or job in the words of a declared file.

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
  /// What is said in another way than it is stored.
  std::vector<std::string> notes = {};
};

struct job_wording {
  core::declared_job job;
  std::vector<std::string> notes = {};
  /// What cannot be said at all.
  std::vector<std::string> obstacles = {};
};

[[nodiscard]] group_wording wording_of(const storage::exported_group& row);

/// All but the children. `group`, `key`: what the job is to be called.
[[nodiscard]] job_wording wording_of(const core::job_record& row, const std::string& group, const std::string& key,
                                     core::schedule_rules& rules, core::time_point now);

/// Why the reader of declared files would not take this from it, or take it for something else; empty: it does.
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_group& group);
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_job& job);
[[nodiscard]] std::vector<std::string> obstacles_of(const core::declared_alarm& alarm);

/// A job's name as a key: letters, digits, `-`, `_` and `.`; `job-17` when too little of it is left.
[[nodiscard]] std::string key_from_name(std::string_view name, core::job_id job);

} // namespace ringmaster::apps
