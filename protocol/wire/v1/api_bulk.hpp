#pragma once

// Manual runs, and actions with many jobs or runs, in /api/v1. Errors of all functions that read: `invalid_argument` that begins
// with the path of the member.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/bulk_task.hpp"
#include "core/editing/job_draft.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/run_search.hpp"

namespace ringmaster::protocol::wire {

/// Reads `params` and `addresses`; an empty body has neither.
[[nodiscard]] core::result<core::manual_trigger> parse_api_trigger(std::string_view body);

/// Objects of an action: those with the ids, each once, at most `api_rows_max`; or those that a filter of their list finds.
template <class Id, class Search>
struct api_bulk_of {
  std::vector<Id> ids = {};
  std::optional<Search> filter = {};
  /// Number of objects that the filter must find.
  std::size_t expect = 0;
  /// Request of a trigger or rerun; its `job` is not set.
  core::manual_trigger wanted = {};
  /// True without `addresses`: a rerun goes to the executor of the run.
  bool to_same_executor = false;
};
using api_bulk = api_bulk_of<core::job_id, core::job_search>;
using api_run_bulk = api_bulk_of<core::log_id, core::run_search>;

/// `trigger`: with `params` and `addresses`.
enum class bulk_use : std::uint8_t { edit, trigger };
[[nodiscard]] core::result<api_bulk> parse_api_bulk(std::string_view body, bulk_use use);
[[nodiscard]] core::result<api_run_bulk> parse_api_run_bulk(std::string_view body, bulk_use use);

[[nodiscard]] std::string api_task_begun(core::task_id task);
/// `details`: texts of the problems for users, in their order.
[[nodiscard]] std::string api_task(const core::task_progress& task, const std::vector<std::string>& details);

} // namespace ringmaster::protocol::wire
