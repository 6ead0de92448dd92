#include "executor/program_run.hpp"

#include <system_error>

namespace ringmaster::executor {

namespace {

constexpr std::int32_t failure = 500;
constexpr int signal_base = 128;

core::run_outcome exit_value(int number) {
  if (number == 0)
    return {};
  return {failure, "script exit value(" + std::to_string(number) + ") is failed"};
}

/// What a person should know beside the outcome.
void tell_end(const child_end& end, job_log& log) {
  if (end.dropped_bytes > 0)
    log.line("----------- " + std::to_string(end.dropped_bytes) + " bytes of output were dropped -----------");
  if (end.left)
    log.line("----------- processes of it are left that could not be killed -----------");
}

} // namespace

core::run_outcome cannot_start(std::string_view why, job_log& log) {
  auto outcome = exit_value(-1);
  outcome.message->append(": ").append(why);
  log.line("----------- cannot start: " + std::string{why} + " -----------");
  return outcome;
}

core::run_outcome run_program(const child_command& command, const program_limits& limits, const std::stop_token& stop,
                              const std::function<std::string()>& stop_reason, job_log& log) {
  child_limits most;
  most.memory_bytes_max = limits.memory_bytes_max;
  most.output_bytes_max = limits.output_bytes_max;
  most.kill_grace = limits.kill_grace;
  const auto end = run_child(command, most, stop, [&log](output_stream, std::string_view bytes) { log.raw(bytes); });
  tell_end(end, log);
  if (stop.stop_requested())
    log.line("----------- script stopped: " + (stop_reason ? stop_reason() : std::string{}) + " -----------");
  switch (end.what) {
  case child_end::how::exited: return exit_value(end.number);
  case child_end::how::signalled: return exit_value(signal_base + end.number);
  case child_end::how::not_started:
    return cannot_start(command.program + ": " + std::generic_category().message(end.number), log);
  case child_end::how::lost: break;
  }
  auto outcome = exit_value(-1);
  outcome.message->append(": the process that watched over it was killed");
  return outcome;
}

} // namespace ringmaster::executor
