#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/run/trigger_request.hpp"
#include "executor/job_log.hpp"
#include "executor/process/child_process.hpp"
#include "executor/program_limits.hpp"

namespace ringmaster::executor {

/// Selects the texts: those of XXL-JOB's scripts (XXL wire §5.7), or those of a command, which XXL-JOB does not have.
enum class program_kind : std::uint8_t { script, command };

/// Runs a program as a job's run: its output goes to the log, its end becomes the outcome.
core::run_outcome run_program(program_kind kind, const child_command& command, const program_limits& limits,
                              const std::stop_token& stop, const std::function<std::string()>& stop_reason, job_log& log,
                              const child_control& control = {});

/// Returns 500 with the reason for a program that did not start, and logs it.
core::run_outcome cannot_start(program_kind kind, std::string_view why, job_log& log);

/// Returns the place of log lines about such a run: `[script]`, `[command]`.
[[nodiscard]] code_place place_of(program_kind kind);

} // namespace ringmaster::executor
