#pragma once

// What `ringmaster --version` prints.

#include <string>
#include <string_view>

namespace ringmaster::apps {

/// Returns the commit that the binary was built from, `4f2c9a1b07de`, with `+changes` after it where files differed; `unknown`
/// for a tree without git.
[[nodiscard]] std::string_view built_from() noexcept;

/// Returns release, commit and the versions of the libraries that the process runs with, one a line.
[[nodiscard]] std::string version_text();

} // namespace ringmaster::apps
