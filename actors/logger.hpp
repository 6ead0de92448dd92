#pragma once

#include "protocol/logger.hpp"

namespace ringmaster::actors {

using protocol::logger;

} // namespace ringmaster::actors
