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

/// A handler that is a program of the configuration: people of an admin choose its parameter and nothing else.
struct command_options {
  /// A path, or a name in PATH.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Working directory. Empty: that of this process.
  std::string folder = {};
  /// Also passes the job's parameter as the last argument. A parameter that begins with `-` is refused unless `arguments` end
  /// with `--`: the program would take it for an option.
  bool append_param = false;
  program_limits limits = {};
};

/// Why `find_program` has nothing, for people.
[[nodiscard]] std::string not_found_text(std::string_view program);

class command {
public:
  /// No shell is between. The program gets `environment`, mostly `inherited_environment()`, and JOB_PARAM, JOB_ID, JOB_LOG_ID,
  /// JOB_SHARD_INDEX and JOB_SHARD_TOTAL. Errors: `invalid_argument`, an empty program or NUL in a text. Whether the program is
  /// there is seen at each run.
  [[nodiscard]] static core::result<command> make(command_options options, std::vector<std::string> environment);

  /// One run: blocks until the program and what it started have ended. Success is exit code 0.
  core::run_outcome run(const core::trigger_request& request, const std::stop_token& stop,
                        const std::function<std::string()>& stop_reason, job_log& log) const;

private:
  command(command_options options, std::vector<std::string> environment)
    : options_{std::move(options)}, environment_{std::move(environment)} {}

  command_options options_;
  std::vector<std::string> environment_;
};

} // namespace ringmaster::executor
