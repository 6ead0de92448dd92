#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "config/settings.hpp"
#include "core/trigger_request.hpp"
#include "executor/child_process.hpp"
#include "executor/script_log.hpp"

namespace ringmaster::executor {

/// Runs a program as a job's run: its output goes to the log, its end becomes the outcome (XXL wire §5.7).
core::run_outcome run_program(const child_command& command, const config::script_limits& limits, const std::stop_token& stop,
                              const std::function<std::string()>& stop_reason, script_log& log);

/// 500 with XXL's text for a program that did not start, and why; tells the log, too.
core::run_outcome cannot_start(std::string_view why, script_log& log);

} // namespace ringmaster::executor
