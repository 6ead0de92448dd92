#pragma once

// Interface through which job_admin and elastic_admin read and write declared files. The file format belongs to config; only apps
// knows both.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/declared_warnings.hpp"
#include "core/editing/job_draft.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Request in the body of an apply.
struct apply_request {
  core::declared_set declared;
  bool dry_run = false;
  bool prune = false;
  /// Warnings for the report.
  std::vector<core::declared_warning> warnings = {};
};

/// Scope of an export; empty: everything.
struct export_request {
  std::optional<core::group_id> group = {};
  /// Name of the source that declared the jobs.
  std::optional<std::string> source = {};
};

/// Functions that read and write declared files. They run on the thread of a store worker and may take long. Null: not supported
/// by this node.
struct declared_files {
  /// Errors: `invalid_argument`, with one line for each mistake.
  std::function<core::result<apply_request>(const std::string& body)> read = {};
  /// Errors: `not_found`, `too_large`, errors of the store.
  std::function<core::result<std::string>(storage::store&, const export_request&, core::time_point)> write = {};
  /// Returns the source whose files the node's configuration names; empty: it names none.
  std::function<std::string()> own_source = {};
  /// Reads these files, if they are of `source`; unset: they are not. Errors: `invalid_argument`, with one line for each mistake.
  std::function<core::result<std::optional<apply_request>>(const std::string& source)> own = {};
  /// Returns a job as a table. Errors of the store.
  std::function<core::result<std::string>(storage::store&, const core::job_record&, const core::principal&, core::time_point)>
    declare = {};
  /// Returns an elastic job as a table. Errors of the store.
  std::function<core::result<std::string>(storage::store&, const core::elastic::elastic_job_row&, core::time_point)>
    declare_elastic = {};
  /// Checks that a declared file could have the job. Errors: `invalid_argument`, with the key that is wrong first.
  std::function<core::result<void>(const core::declared_elastic_job&)> check_elastic = {};
};

} // namespace ringmaster::actors
