#pragma once

// Jobs whose code people wrote at an admin: XXL's GLUE types, but for Groovy.

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
  /// Else none runs.
  bool on = false;
  /// Their folder is below it; a path that can be opened.
  std::string log_path;
  program_limits limits = {};
  /// What scripts get, and its PATH is where interpreters are looked for; mostly `inherited_environment()`.
  std::vector<std::string> environment = {};
};

class scripts {
public:
  scripts(script_options options, log_opener logs);
  ~scripts();
  scripts(const scripts&) = delete;
  scripts& operator=(const scripts&) = delete;

  /// As body_source::find for every glue type but BEAN; reads no disk. Errors: `invalid_argument` for what is no script,
  /// `unsupported` when scripts are off; the context is XXL's text. What it returns outlives this object.
  [[nodiscard]] core::result<std::shared_ptr<const actors::run_body>> find(
    const core::trigger_request& request, const std::shared_ptr<const actors::run_body>& held) const;

  /// What all its bodies share.
  struct common;

private:
  bool on_;
  std::shared_ptr<const common> common_;
};

} // namespace ringmaster::executor
