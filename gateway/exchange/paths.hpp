#pragma once

// Conversion of a request's target to the path of the route table (XXL wire §1.1). Pure.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::gateway {

/// Returns the path of a target without scheme, host, query and fragment: repeated slashes collapsed, one trailing slash removed;
/// `/` for the root. Empty for a target without a path (`*`, `host:443`).
[[nodiscard]] std::string plain_path(std::string_view target);

/// Returns `path` without the leading context path; a path that does not begin with it stays unchanged. Both must be normalised
/// by `plain_path`.
[[nodiscard]] std::string_view below_context(std::string_view path, std::string_view context) noexcept;

/// Returns `/api/…` of `/xxl-job-admin/api/…`, where executors expect it; empty for every other path.
[[nodiscard]] std::string_view default_api(std::string_view path) noexcept;

/// Returns the operation of `/api/OPERATION`; empty for every other path, deeper ones included.
[[nodiscard]] std::string_view api_operation(std::string_view path) noexcept;

/// Values of the `{name}` segments by name. The names point into the pattern.
using path_parameters = std::vector<std::pair<std::string_view, std::string>>;

/// Matches `path` with a route's pattern such as `/jobs/{id}/runs`. Each part in braces is one whole segment: `{name}` a
/// percent-encoded text of valid UTF-8, whose value is decoded; every other part a number from 1 to 2⁶³-1 in its only form:
/// digits without leading zeros. Nothing when the path does not match.
[[nodiscard]] std::optional<path_parameters> match_path(std::string_view pattern, std::string_view path);

} // namespace ringmaster::gateway
