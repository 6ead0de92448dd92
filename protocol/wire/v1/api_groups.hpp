#pragma once

// Executor groups in /api/v1. A group's token can be written and is never shown.

#include <string>
#include <string_view>
#include <vector>

#include "core/editing/group_draft.hpp"
#include "core/editing/group_find.hpp"
#include "core/job/executor.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Return a JSON object, and an array.
[[nodiscard]] std::string api_group(const core::group_record& record);
[[nodiscard]] std::string api_groups(const std::vector<core::group_record>& records);
/// Returns an array whose rows have figures, too. `figures` has a row for each group; null: the executors are unknown.
/// `shows_tokens`: whether a group has a token is for administrators.
[[nodiscard]] std::string api_groups(const std::vector<core::group_record>& records,
                                     const std::vector<core::group_figures>& figures,
                                     const std::vector<core::executor_count>* executors, bool shows_tokens);

struct api_group_search {
  core::group_find find;
  core::page_window window;
  /// The rows have figures.
  bool counts = false;
};
/// Reads `q`, `sort` (app_name, title or id, descending with a minus sign) and `counts`. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_group_search> api_group_search_of(const form& sent, const api_cursor& from);

/// Returns a JSON array.
[[nodiscard]] std::string api_executors(const std::vector<core::known_executor>& executors);

/// Reads `group` and `state`. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::executor_search> api_executor_search_of(const form& sent, const api_cursor& from);

/// Reads a group. Errors: `invalid_argument` that begins with the path of the member.
[[nodiscard]] core::result<core::group_draft> parse_api_group(std::string_view body);

} // namespace ringmaster::protocol::wire
