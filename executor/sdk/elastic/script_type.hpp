#pragma once

// The type `script` of elastic jobs: a program instead of code (docs/elastic_jobs.md).

#include <string>
#include <vector>

#include "core/result.hpp"
#include "executor/program_limits.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

namespace ringmaster::executor::elastic {

struct script_type_options {
  /// Absolute folders: a program must lie in one of them, or below. Symbolic links are followed before that is checked.
  std::vector<std::string> folders = {};
  program_limits limits = {};
};

/// Creates the code of the type, for `elastic_handlers::add_type("script", …)`. It runs the job's property `script.command.line`
/// without a shell, with ElasticJob's ShardingContext as JSON as the last argument. The program gets this process's environment
/// without names that begin with `RINGMASTER_`, plus `EJ_JOB` and others. A relative program name is looked for in the folders,
/// in their order. Its output is logged. Exit code 0 is success. A stop ends the program with everything that it started; the end
/// of the run's lease kills it. Reads the environment: no other thread may change it meanwhile. Errors: `invalid_argument`
/// without a folder, and for a folder that is not an absolute path. Each run checks whether the folders and the program exist.
[[nodiscard]] core::result<elastic_body> make_script_type(script_type_options options);

} // namespace ringmaster::executor::elastic
