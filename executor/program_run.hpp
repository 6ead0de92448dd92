#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/trigger_request.hpp"
#include "executor/child_process.hpp"
#include "executor/program_limits.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

/// Runs a program as a job's run: its output goes to the log, its end becomes the outcome (XXL wire §5.7).
core::run_outcome run_program(const child_command& command, const program_limits& limits, const std::stop_token& stop,
                              const std::function<std::string()>& stop_reason, job_log& log);

/// 500 with XXL's text for a program that did not start, and why; tells the log, too.
core::run_outcome cannot_start(std::string_view why, job_log& log);

} // namespace ringmaster::executor
