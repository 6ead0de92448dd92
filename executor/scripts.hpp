#pragma once

// Jobs whose code people wrote at an admin: XXL's GLUE types, but for Groovy.

#include <memory>
#include <string>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/script_log.hpp"

namespace ringmaster::executor {

class glue_folder;

class scripts {
public:
  /// Of the settings: `log_path` as a path that can be opened, `scripts`, `limits`. `environment` is what scripts get, and its
  /// PATH is where interpreters are looked for, mostly `inherited_environment()`.
  scripts(const config::executor_settings& settings, std::vector<std::string> environment, open_script_log logs);
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
