#include "executor/process/program_run.hpp"

#include <system_error>
#include <utility>

namespace ringmaster::executor {

namespace {

constexpr std::int32_t failure = 500;
constexpr int signal_base = 128;

core::run_outcome failed(std::string message) { return {failure, std::move(message)}; }

std::string script_failure(int number) { return "script exit value(" + std::to_string(number) + ") is failed"; }

core::run_outcome exit_value(program_kind kind, int number) {
  if (number == 0)
    return {};
  return failed(kind == program_kind::script ? script_failure(number)
                                             : "the program ended with exit code " + std::to_string(number));
}

core::run_outcome signalled(program_kind kind, int number) {
  return failed(kind == program_kind::script ? script_failure(signal_base + number)
                                             : "the program was ended by signal " + std::to_string(number));
}

/// Returns the outcome for a program without a regular end; XXL-JOB's exit value for that is -1.
core::run_outcome without_end(program_kind kind, std::string_view why) {
  return failed((kind == program_kind::script ? script_failure(-1) : "the program has no result").append(": ").append(why));
}

std::string_view name_of(program_kind kind) { return kind == program_kind::script ? "script" : "command"; }

void tell(program_kind kind, std::string_view what, job_log& log) {
  log.line("----------- " + std::string{what} + " -----------", place_of(kind));
}

/// Logs facts that the outcome does not include.
void tell_end(program_kind kind, const child_end& end, job_log& log) {
  if (end.dropped_bytes > 0)
    tell(kind, std::to_string(end.dropped_bytes) + " bytes of output were dropped", log);
  if (end.left)
    tell(kind, "some of its processes could not be killed", log);
}

} // namespace

code_place place_of(program_kind kind) { return name_of(kind); }

core::run_outcome cannot_start(program_kind kind, std::string_view why, job_log& log) {
  tell(kind, "cannot start: " + std::string{why}, log);
  if (kind == program_kind::command)
    return failed("the program cannot start: " + std::string{why});
  return without_end(kind, why);
}

core::run_outcome run_program(program_kind kind, const child_command& command, const program_limits& limits,
                              const std::stop_token& stop, const std::function<std::string()>& stop_reason, job_log& log,
                              const child_control& control) {
  child_limits most;
  most.memory_bytes_max = limits.memory_bytes_max;
  most.output_bytes_max = limits.output_bytes_max;
  most.kill_grace = limits.kill_grace;
  most.open_files = limits.open_files;
  const auto end = run_child(
    command, most, stop, [&log](output_stream, std::string_view bytes) { log.raw(bytes); }, control);
  tell_end(kind, end, log);
  if (stop.stop_requested())
    tell(kind, std::string{name_of(kind)} + " stopped: " + (stop_reason ? stop_reason() : std::string{}), log);
  switch (end.what) {
  case child_end::how::exited: return exit_value(kind, end.number);
  case child_end::how::signalled: return signalled(kind, end.number);
  case child_end::how::not_started:
    return cannot_start(kind, command.program + ": " + std::generic_category().message(end.number), log);
  case child_end::how::lost: break;
  }
  return without_end(kind, "the supervisor process was killed");
}

} // namespace ringmaster::executor
