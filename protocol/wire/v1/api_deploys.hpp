#pragma once

// Declared files in /api/v1.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

struct api_apply {
  std::string source;
  std::int64_t revision = 0;
  bool dry_run = false;
  bool prune = false;
  /// Also removes objects that files declared before and that are not among these.
  bool prune_all = false;
  /// Names and texts of the files.
  std::vector<std::pair<std::string, std::string>> files;
};

/// Reads `source`, `revision`, `dry_run`, `prune`, `prune_all` and `files`. Errors: `invalid_argument`, also for an empty list of
/// files: a request that removes everything must say so.
[[nodiscard]] core::result<api_apply> parse_api_apply(std::string_view body);

/// Selection of an export; empty: everything.
struct api_export {
  std::optional<core::group_id> group;
  /// Source that declared the objects.
  std::optional<std::string> source;
};
/// Reads `group` and `source`. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_export> api_export_of(const form& sent);

/// Returns the changes as `ringmaster apply --json` prints them.
[[nodiscard]] std::string api_deploy_report(const core::deploy_report& report, bool dry_run);

/// Returns a JSON array of the lines of `context`, each `file:line: what` split into its parts; at most `file_errors_max`.
inline constexpr std::size_t file_errors_max = 1000;
[[nodiscard]] std::string api_file_errors(std::string_view context);

// -- the client's side of the same --

[[nodiscard]] std::string api_apply_body(const api_apply& wanted);

struct api_applied {
  core::deploy_report report;
  bool dry_run = false;
};
/// Reads the text of `api_deploy_report`; the ids of its jobs are not known. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_applied> parse_api_applied(std::string_view body);

/// Returns the text of a problem document for users, a line for each of its `errors`, as the command prints them; empty for
/// another body.
[[nodiscard]] std::string api_problem_lines(std::string_view body);

} // namespace ringmaster::protocol::wire
