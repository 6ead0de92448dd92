#pragma once

// Jobs whose code users wrote at an admin: XXL-JOB's GLUE types, except Groovy.

#include <memory>
#include <string>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "core/result.hpp"
#include "executor/program_limits.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

class glue_folder;

struct script_options {
  /// False: scripts are refused.
  bool on = false;
  /// Parent of the scripts' folder; a path that can be opened.
  std::string log_path;
  program_limits limits = {};
  /// The environment of scripts; its PATH is searched for interpreters. Usually `inherited_environment()`.
  std::vector<std::string> environment = {};
};

class scripts {
public:
  scripts(script_options options, log_opener logs);
  ~scripts();
  scripts(const scripts&) = delete;
  scripts& operator=(const scripts&) = delete;

  /// Like body_source::find, for every glue type but BEAN; does no disk access. Errors: `invalid_argument` for types that are not
  /// scripts, `unsupported` when scripts are off; the context is XXL-JOB's text. The result outlives this object.
  [[nodiscard]] core::result<std::shared_ptr<const actors::run_body>> find(
    const core::trigger_request& request, const std::shared_ptr<const actors::run_body>& held) const;

  /// State shared by all its bodies.
  struct common;

private:
  bool on_;
  std::shared_ptr<const common> common_;
};

} // namespace ringmaster::executor
