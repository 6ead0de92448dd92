// The files of a binary that is built without the web console.

#include "apps/server/console_files.hpp"

namespace ringmaster::apps {

std::span<const protocol::web_file> console_files() noexcept { return {}; }

} // namespace ringmaster::apps
