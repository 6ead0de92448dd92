#pragma once

#include <span>

#include "protocol/web_file.hpp"

namespace ringmaster::apps {

/// Returns the files of the web console in this binary, sorted by path; none when it was built without the console. The build of
/// `console/` generates them.
[[nodiscard]] std::span<const protocol::web_file> console_files() noexcept;

} // namespace ringmaster::apps
