#pragma once

// Everything that a declared file can contain, as stored. A role of the store; errors and threads are described in
// storage/store.hpp. Changes nothing, and needs none of Ringmaster's own tables: it also reads databases that only XXL-JOB has
// written.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/editing/declared_source.hpp"
#include "core/editing/job_draft.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/ids.hpp"
#include "core/job/group.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

struct exported_group {
  core::group_id id{};
  std::string app_name;
  std::string title;
  core::address_type type = core::address_type::automatic;
  /// As stored, a comma-separated list.
  std::string addresses;
  /// Empty: not declared.
  std::string source;
};

struct exported_alarm {
  core::alarm_rule rule;
  std::string source;
};

/// The store at one moment, valid only inside `export_store::look`.
class export_view {
public:
  virtual ~export_view() = default;

  /// Returns all groups in id order.
  virtual core::result<std::vector<exported_group>> groups() = 0;
  virtual core::result<std::vector<exported_alarm>> alarms() = 0;

  /// Returns jobs with an id above `after`, in id order, at most `limit`. Leaves out what a declared file cannot contain: script,
  /// times of edits, next and last time, revision.
  virtual core::result<std::vector<core::job_record>> jobs_after(core::job_id after, std::size_t limit) = 0;

  /// Returns elastic jobs with an id above `after`, in id order, at most `limit`.
  virtual core::result<std::vector<core::elastic::elastic_job_row>> elastic_jobs_after(core::elastic::elastic_job_id after,
                                                                                       std::size_t limit) = 0;

  /// Returns these jobs like `jobs_after`. They must exist and may be given in any order.
  virtual core::result<std::vector<core::job_record>> jobs(std::span<const core::job_id> ids) = 0;
};

class export_store {
public:
  virtual ~export_store() = default;

  using reader = std::function<core::result<void>(export_view&)>;

  /// Calls `read` in one transaction that sees one moment. May call it a second time, from the beginning, if the connection turns
  /// out to be dead or another process changed the schema.
  virtual core::result<void> look(const reader& read) = 0;

  /// Returns the sources that declare objects, or did, by name; none where only XXL-JOB's tables exist.
  virtual core::result<std::vector<core::declared_source>> sources() = 0;
};

} // namespace ringmaster::storage
