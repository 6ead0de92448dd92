#pragma once

// Everything that a declared file can say, as the store has it. A role of the store (storage/store.hpp), where errors and threads
// are described. Changes nothing, and needs none of our own tables: it also reads what XXL-JOB alone has written.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/editing/job_draft.hpp"
#include "core/ids.hpp"
#include "core/job/group.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

struct exported_group {
  core::group_id id{};
  std::string app_name;
  std::string title;
  core::address_type type = core::address_type::automatic;
  /// As stored, a comma list.
  std::string addresses;
  /// Empty: made by hand.
  std::string source;
};

struct exported_alarm {
  core::alarm_rule rule;
  std::string source;
};

/// The store at one moment, valid inside `export_store::look` alone.
class export_view {
public:
  virtual ~export_view() = default;

  /// In id order.
  virtual core::result<std::vector<exported_group>> groups() = 0;
  virtual core::result<std::vector<exported_alarm>> alarms() = 0;

  /// Jobs with an id above `after`, in id order, at most `limit`. Without what a declared file has no place for: script, times of
  /// edits, next and last time, revision.
  virtual core::result<std::vector<core::job_record>> jobs_after(core::job_id after, std::size_t limit) = 0;

  /// The same of these jobs, which exist, in any order.
  virtual core::result<std::vector<core::job_record>> jobs(std::span<const core::job_id> ids) = 0;
};

class export_store {
public:
  virtual ~export_store() = default;

  using reader = std::function<core::result<void>(export_view&)>;

  /// Calls `read` in one transaction that sees one moment. After a connection that was found dead, or a schema that was changed
  /// beside it, it may call it a second time, from the beginning.
  virtual core::result<void> look(const reader& read) = 0;
};

} // namespace ringmaster::storage
