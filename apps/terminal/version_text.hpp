#pragma once

// The text of `ringmaster --version`.

#include <string>
#include <string_view>

namespace ringmaster::apps {

/// Returns the commit that the binary was built from, `4f2c9a1b07de`, with `+changes` after it where files differed; `unknown`
/// for a tree without git.
[[nodiscard]] std::string_view built_from() noexcept;

/// Returns the release, the commit and the versions of the loaded libraries, one per line.
[[nodiscard]] std::string version_text();

} // namespace ringmaster::apps
