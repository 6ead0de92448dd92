#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"
#include "executor/job_log.hpp"
#include "executor/program_limits.hpp"

namespace ringmaster::executor {

/// A handler that runs a configured program: users of an admin choose only its parameter.
struct command_options {
  /// A path, or a name to look up in PATH.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Working directory; empty: that of this process.
  std::string folder = {};
  /// Also passes the job's parameter as the last argument. A parameter that begins with `-` is refused unless `arguments` end
  /// with `--`, because the program would parse it as an option.
  bool append_param = false;
  program_limits limits = {};
};

/// Returns a message for a program that `find_program` did not find.
[[nodiscard]] std::string not_found_text(std::string_view program);

class command {
public:
  /// Creates a command. No shell is involved. The program gets `environment`, usually `inherited_environment()`, plus JOB_PARAM,
  /// JOB_ID, JOB_LOG_ID, JOB_SHARD_INDEX and JOB_SHARD_TOTAL. Errors: `invalid_argument`, an empty program or NUL in a text. Each
  /// run checks whether the program exists.
  [[nodiscard]] static core::result<command> make(command_options options, std::vector<std::string> environment);

  /// Runs the program once: blocks until it and everything that it started have ended. Exit code 0 is success.
  core::run_outcome run(const core::trigger_request& request, const std::stop_token& stop,
                        const std::function<std::string()>& stop_reason, job_log& log) const;

private:
  command(command_options options, std::vector<std::string> environment)
    : options_{std::move(options)}, environment_{std::move(environment)} {}

  command_options options_;
  std::vector<std::string> environment_;
};

} // namespace ringmaster::executor
