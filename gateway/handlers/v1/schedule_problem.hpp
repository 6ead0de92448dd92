#pragma once

// Problems of schedules: they name the member that is wrong, and the characters.

#include <string_view>

#include "core/result.hpp"
#include "core/schedule/schedule_mistake.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Answers 400 with the mistake.
void refuse_schedule(const exchange& ex, const core::schedule_mistake& wrong);

/// Answers an error of an edit; if it refuses the cron `conf`, with the place. `pointer`: the member of the request with it.
void fail_with_place(const exchange& ex, const core::error& error, std::string_view conf,
                     const char* pointer = "/schedule/conf");

} // namespace ringmaster::gateway::handlers::v1
