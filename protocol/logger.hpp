#pragma once

// The process's logger, injected everywhere and never looked up.

#include <memory>

#include <spdlog/logger.h>

namespace ringmaster::protocol {

/// Thread-safe; never null.
using logger = std::shared_ptr<spdlog::logger>;

} // namespace ringmaster::protocol
