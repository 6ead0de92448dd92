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
  /// Prune also what files declared before that are not among these.
  bool prune_all = false;
  /// Names and texts.
  std::vector<std::pair<std::string, std::string>> files;
};

/// `source`, `revision`, `dry_run`, `prune`, `prune_all` and `files`. Errors: `invalid_argument`, also for no file at
/// all: what removes
/// everything must say so.
[[nodiscard]] core::result<api_apply> parse_api_apply(std::string_view body);

/// What an export is of; nothing: everything.
struct api_export {
  std::optional<core::group_id> group;
  /// Who declared it.
  std::optional<std::string> source;
};
/// `group` and `source`. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_export> api_export_of(const form& sent);

/// What changed: as `ringmaster apply --json` prints it.
[[nodiscard]] std::string api_deploy_report(const core::deploy_report& report, bool dry_run);

/// A JSON array of the lines of `context`, `file:line: what` taken apart; so many at most.
inline constexpr std::size_t file_errors_max = 1000;
[[nodiscard]] std::string api_file_errors(std::string_view context);

// What a client needs of the same.

[[nodiscard]] std::string api_apply_body(const api_apply& wanted);

struct api_applied {
  core::deploy_report report;
  bool dry_run = false;
};
/// `api_deploy_report` read back; of its jobs no ids are known. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_applied> parse_api_applied(std::string_view body);

/// What a problem document says for people, a line for each of its `errors`, as the command has them; empty when it is none.
[[nodiscard]] std::string api_problem_lines(std::string_view body);

} // namespace ringmaster::protocol::wire
