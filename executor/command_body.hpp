#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/script_log.hpp"

namespace ringmaster::executor {

/// A handler that is a program of the configuration: people of an admin choose its parameter and nothing else.
struct command_options {
  /// A path, or a name in PATH.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Working directory. Empty: that of this process.
  std::string folder = {};
  /// Also passes the parameter, as one argument behind the others. Whoever starts a job can then give the program an option,
  /// unless `arguments` end with what ends its options, often `--`.
  bool append_param = false;
  config::script_limits limits = {};
};

/// No shell is between. The program gets `environment`, mostly `inherited_environment()`, and JOB_PARAM, JOB_ID, JOB_LOG_ID,
/// JOB_SHARD_INDEX and JOB_SHARD_TOTAL. Success is exit code 0, else as with scripts. Errors: `invalid_argument`, an empty
/// program or NUL in a text. Whether the program is there is seen at each run.
[[nodiscard]] core::result<std::shared_ptr<const actors::run_body>> make_command_body(
  command_options options, std::vector<std::string> environment, open_script_log logs);

} // namespace ringmaster::executor
