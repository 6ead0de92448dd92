#pragma once

// From a request's target to the path that the route table knows (XXL wire §1.1). Pure.

#include <string>
#include <string_view>

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

} // namespace ringmaster::gateway
