#pragma once

// The process's logger, injected; nobody looks it up.

#include <memory>

#include <spdlog/logger.h>

namespace ringmaster::gateway {

/// Thread-safe; never null.
using logger = std::shared_ptr<spdlog::logger>;

} // namespace ringmaster::gateway
