#pragma once

// The edits of `ringmaster run`: kills one run, removes many.

#include <cstdint>
#include <optional>
#include <string>

#include "apps/commands/commands.hpp"

namespace ringmaster::apps {

struct run_options : client_options {
  std::int64_t run = 0;
};

struct run_kill_options : run_options {
  /// Skips the confirmation.
  bool yes = false;
};

struct run_clear_options : client_options {
  std::optional<std::string> job;
  std::optional<std::string> group;
  /// Removes runs triggered longer ago than this, e.g. `30d`.
  std::optional<std::string> older_than;
  std::optional<std::int64_t> keep_newest;
  bool all = false;
  /// Skips the confirmation.
  bool yes = false;
};

/// Names every run that ends. XXL-JOB executors kill all runs of a job at once: if there are others, the command asks first.
[[nodiscard]] int kill_run(const run_kill_options& options);
[[nodiscard]] int clear_runs(const run_clear_options& options);

} // namespace ringmaster::apps
