#pragma once

// A ready-made handler that runs a program.

#include <string>
#include <vector>

#include "executor/handlers.hpp"
#include "executor/program_limits.hpp"

namespace ringmaster::executor {

struct command_handler_options {
  /// A path, or a name to look up in PATH.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Working directory; empty: that of this process.
  std::string folder = {};
  /// Also passes the job's parameter as the last argument. A parameter that begins with `-` is refused unless `arguments` end
  /// with `--`, because the program would parse it as an option.
  bool append_param = false;
  /// Limits of memory and output, and the time between TERM and KILL.
  program_limits limits = {};
};

/// Creates the handler. No shell is involved. The program gets this process's environment without names that begin with
/// `RINGMASTER_`, plus JOB_PARAM, JOB_ID, JOB_LOG_ID, JOB_SHARD_INDEX and JOB_SHARD_TOTAL. Its output is logged. Exit code 0 is
/// success; a stop of the run ends the program with everything that it started. Errors: `invalid_argument`, an empty program or
/// NUL in a text. Each run checks whether the program exists.
[[nodiscard]] core::result<handler> make_command_handler(command_handler_options options);

} // namespace ringmaster::executor
