#pragma once

// Groups, jobs and alarms that a file declares, and what applying them changes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/job/group.hpp"
#include "core/job/job_options.hpp"

namespace ringmaster::core {

/// One `[[group]]`. Identity: `app_name`. Addresses given: manual; absent: automatic.
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
  /// The file says `misfire`, be it the default.
  bool names_misfire = false;
  route_strategy route = route_strategy::first;
  block_strategy block = block_strategy::serial_execution;
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  std::string handler;
  std::string params;
  std::string glue_type = "BEAN";
  /// Child jobs as (group, key); an empty group means the parent's own.
  std::vector<std::pair<std::string, std::string>> children;
  bool enabled = true;
  /// `file:line` of the table, for messages.
  std::string where;
};

/// One `[[alarm]]`. Identity: its key.
struct declared_alarm {
  alarm_rule rule;
  /// `file:line` of the table, for messages.
  std::string where = {};
};

/// Everything one source declares. Applied all or nothing.
struct declared_set {
  /// Names what owns the objects: prune removes only what the same source declared before.
  std::string source;
  /// Rolling deploys cannot go backwards: a lower one than stored is refused. 0: not given.
  std::int64_t revision = 0;
  std::vector<declared_group> groups;
  std::vector<declared_job> jobs;
  std::vector<declared_alarm> alarms = {};
  /// Names of the files that say all of this, without their folders; none: they are not known.
  std::vector<std::string> files = {};
  /// Prune also removes what files declared before that are not among `files`.
  bool prunes_other_files = false;
};

enum class change_kind : std::uint8_t { create, update, unchanged, remove };

struct deploy_change {
  change_kind kind = change_kind::unchanged;
  /// `group pay-worker`, `job pay-worker/settle` or `alarm on-call`.
  std::string object;
  /// `schedule: "0 0 1 * * ?" -> "0 0 2 * * ?"`, one entry a changed field.
  std::vector<std::string> fields;
};

struct deploy_report {
  std::vector<deploy_change> changes;
  /// Jobs that were there before and are edited or removed.
  std::vector<job_id> edited = {};
  /// Runs of these that were claimed before the edit and have not been sent yet, when the time to wait for them was over.
  /// Nothing: the store could not say.
  std::optional<std::size_t> on_their_way = 0;
  /// What was applied and is worth a second look, one line each.
  std::vector<std::string> warnings = {};
  [[nodiscard]] bool changes_anything() const noexcept {
    for (const auto& change : changes)
      if (change.kind != change_kind::unchanged)
        return true;
    return false;
  }
};

/// Hash of what the file says about a job, `where` aside: an apply with the same hash changes nothing. 32 hexadecimal digits, the
/// same on every machine and release; stored.
[[nodiscard]] std::string content_hash(const declared_job& job);

} // namespace ringmaster::core
