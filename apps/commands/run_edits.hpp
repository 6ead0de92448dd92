#pragma once

// What `ringmaster run` does to runs: ends one, removes many.

#include <cstdint>
#include <optional>
#include <string>

#include "apps/commands/commands.hpp"

namespace ringmaster::apps {

struct run_options : client_options {
  std::int64_t run = 0;
};

struct run_kill_options : run_options {
  /// Nothing is asked.
  bool yes = false;
};

struct run_clear_options : client_options {
  std::optional<std::string> job;
  std::optional<std::string> group;
  /// `30d`: what was triggered longer ago goes.
  std::optional<std::string> older_than;
  std::optional<std::int64_t> keep_newest;
  bool all = false;
  /// Nothing is asked.
  bool yes = false;
};

/// Names every run that ends. XXL-JOB's executors end all runs of a job at once: where there are others, it asks first.
[[nodiscard]] int kill_run(const run_kill_options& options);
[[nodiscard]] int clear_runs(const run_clear_options& options);

} // namespace ringmaster::apps
