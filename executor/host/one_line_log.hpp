#pragma once

#include "protocol/logger.hpp"

namespace ringmaster::executor {

/// Returns a logger that passes each message to `to` on one line: names and texts of nodes and jobs may contain line ends, with
/// which they could forge lines.
[[nodiscard]] protocol::logger one_line_log(protocol::logger to);

} // namespace ringmaster::executor
