#pragma once

// From a request's target to the path that the route table knows (XXL wire §1.1). Pure.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::gateway {

/// The path of a target without scheme, host, query and fragment: repeated slashes collapsed, one trailing slash gone; `/` for
/// the root. Empty for a target that names no path (`*`, `host:443`).
[[nodiscard]] std::string plain_path(std::string_view target);

/// `path` without the context path in front of it; a path that does not begin with it stays as it is. Both as made by
/// `plain_path`.
[[nodiscard]] std::string_view below_context(std::string_view path, std::string_view context) noexcept;

/// `/api/…` of `/xxl-job-admin/api/…`, where executors expect it; empty for every other path.
[[nodiscard]] std::string_view default_api(std::string_view path) noexcept;

/// The operation of `/api/OPERATION`; empty for every other path, deeper ones included.
[[nodiscard]] std::string_view api_operation(std::string_view path) noexcept;

/// What stands where a pattern has `{name}`, by that name, which is a part of the pattern.
using path_parameters = std::vector<std::pair<std::string_view, std::string>>;

/// `path` by a route's pattern, `/jobs/{id}/runs`: each `{name}` is one whole segment and stands for a number from 1 to 2⁶³-1 in
/// its one form: digits alone, without zeros in front. Nothing: it is another path.
[[nodiscard]] std::optional<path_parameters> match_path(std::string_view pattern, std::string_view path);

} // namespace ringmaster::gateway
