#pragma once

// Payloads about tasks: one action with many jobs or runs. None leaves the process.

#include <cstdint>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/bulk_task.hpp"
#include "core/editing/job_draft.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/run/run_search.hpp"

namespace ringmaster::protocol {

/// Begins a task with the objects named, or with all that the search of their kind finds.
struct begin_task {
  core::task_action action{};
  /// True: the objects are those that `jobs` or `runs` finds.
  bool by_search = false;
  /// Ids of jobs or runs.
  std::vector<std::int64_t> ids = {};
  core::job_search jobs = {};
  core::run_search runs = {};
  /// Number of objects that the search must find.
  std::size_t expect = 0;
  /// Request of triggers and reruns; `job` is not set. A rerun without `param` uses that of the run. A `token` other than 0: a
  /// repeated request with it is the same task.
  core::manual_trigger wanted = {};
  /// A rerun goes to the executor of the run instead of to `wanted.addresses`.
  bool to_same_executor = false;
  /// Digest of the request: two with the same token must be equal.
  std::string digest = {};
  core::principal by;
};

struct task_begun {
  core::task_id task{};
};

/// Asks for the progress of a task.
struct task_query {
  core::task_id task{};
  core::principal by;
};

/// Ends a task: it begins with no further object.
struct abort_task {
  core::task_id task{};
  core::principal by;
};

struct task_found {
  core::task_progress progress;
};

} // namespace ringmaster::protocol
