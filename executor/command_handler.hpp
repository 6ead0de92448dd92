#pragma once

// A ready handler that runs a program.

#include <string>
#include <vector>

#include "executor/handlers.hpp"
#include "executor/program_limits.hpp"

namespace ringmaster::executor {

struct command_handler_options {
  /// A path, or a name in PATH.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Working directory. Empty: that of this process.
  std::string folder = {};
  /// Also passes the job's parameter as the last argument. A parameter that begins with `-` is refused unless `arguments` end
  /// with `--`: the program would take it for an option.
  bool append_param = false;
  /// Of memory and output; how long a program has between TERM and KILL.
  program_limits limits = {};
};

/// Makes the handler. No shell is between; the program gets this process's environment without what begins with `RINGMASTER_`,
/// and JOB_PARAM, JOB_ID, JOB_LOG_ID, JOB_SHARD_INDEX and JOB_SHARD_TOTAL. What it prints is logged. Exit code 0 is success; a
/// stop of the run ends it with everything that it started. Errors: `invalid_argument`, an empty program or NUL in a text.
/// Whether the program is there is seen at each run.
[[nodiscard]] core::result<handler> make_command_handler(command_handler_options options);

} // namespace ringmaster::executor
