#pragma once

// Groups, jobs, elastic jobs and alarms that a file declares, and the changes that an apply makes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/editing/audit_line.hpp"
#include "core/editing/declared_elastic.hpp"
#include "core/job/group.hpp"
#include "core/job/job_options.hpp"

namespace ringmaster::core {

/// One `[[group]]`, identified by `app_name`. With addresses the group is manual, without them automatic.
struct declared_group {
  std::string app_name;
  std::string title;
  std::optional<std::vector<std::string>> addresses;
  /// `file:line` of the table, for messages.
  std::string where = {};
};

/// One `[[job]]`. Identity: (group app name, key).
struct declared_job : job_options {
  std::string group;
  std::string key;
  std::string name;
  std::string author;
  std::string alarm_email;
  schedule_type schedule = schedule_type::none;
  std::string schedule_conf;
  misfire_policy misfire = misfire_policy::do_nothing;
  /// The file contains `misfire`, even if with the default value.
  bool names_misfire = false;
  route_strategy route = route_strategy::first;
  block_strategy block = block_strategy::serial_execution;
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  std::string handler;
  std::string params;
  std::string glue_type = "BEAN";
  /// Child jobs as (group, key); an empty group means the parent's group.
  std::vector<std::pair<std::string, std::string>> children;
  bool enabled = true;
  /// `file:line` of the table, for messages.
  std::string where;
};

/// One `[[alarm]]`, identified by its key.
struct declared_alarm {
  alarm_rule rule;
  /// `file:line` of the table, for messages.
  std::string where = {};
};

/// All declarations of one source. They are applied all or none.
struct declared_set {
  /// Owner of the objects: prune removes only objects that the same source declared before.
  std::string source;
  /// Revision of the source. A revision lower than the stored one is refused, so that a rolling deployment cannot go backwards.
  /// 0: not given.
  std::int64_t revision = 0;
  std::vector<declared_group> groups;
  std::vector<declared_job> jobs;
  std::vector<declared_alarm> alarms = {};
  std::vector<declared_elastic_job> elastic_jobs = {};
  /// Names of the files of these declarations, without folders; empty: unknown.
  std::vector<std::string> files = {};
  /// Prune also removes objects that were declared before by files that are not in `files`.
  bool prunes_other_files = false;
};

enum class change_kind : std::uint8_t { create, update, unchanged, remove };

struct deploy_change {
  change_kind kind = change_kind::unchanged;
  /// `group pay-worker`, `job pay-worker/settle`, `alarm on-call` or `elastic_job sums`.
  std::string object;
  /// `schedule: "0 0 1 * * ?" -> "0 0 2 * * ?"`, one entry per changed field.
  std::vector<audit_line> fields;
};

struct deploy_report {
  std::vector<deploy_change> changes;
  /// Existing jobs that are edited or removed.
  std::vector<job_id> edited = {};
  /// Number of runs of these jobs that were claimed before the edit and not yet sent when the wait ended. Unset: the store could
  /// not tell.
  std::optional<std::size_t> on_their_way = 0;
  /// Warnings about applied declarations, one line each.
  std::vector<std::string> warnings = {};
  [[nodiscard]] bool changes_anything() const noexcept {
    for (const auto& change : changes)
      if (change.kind != change_kind::unchanged)
        return true;
    return false;
  }
};

/// Returns a hash of the job's declaration without `where`: an apply with an equal hash changes nothing. 32 hexadecimal digits,
/// equal on every machine and release; stored.
[[nodiscard]] std::string content_hash(const declared_job& job);

} // namespace ringmaster::core
