#pragma once

// Who reads and writes declared files for job_admin: files are config's affair, and only apps knows both.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/editing/declared_warnings.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// What the body of an apply asks for.
struct apply_request {
  core::declared_set declared;
  bool dry_run = false;
  bool prune = false;
  /// For the report.
  std::vector<core::declared_warning> warnings = {};
};

/// What an export is of; nothing: everything.
struct export_request {
  std::optional<core::group_id> group = {};
  /// Who declared it.
  std::optional<std::string> source = {};
};

/// Both run on the thread of a store worker and may take long. Null: there is nobody who can.
struct declared_files {
  /// Errors: `invalid_argument`, one line for each mistake.
  std::function<core::result<apply_request>(const std::string& body)> read = {};
  /// Errors: `not_found`, `too_large`, those of the store.
  std::function<core::result<std::string>(storage::store&, const export_request&, core::time_point)> write = {};
};

} // namespace ringmaster::actors
