#pragma once

// The edits of `ringmaster job`, for one job or many.

#include <optional>
#include <string>
#include <vector>

#include "apps/commands/commands.hpp"

namespace CLI {
class App;
}

namespace ringmaster::apps {

struct edit_options : client_options {
  /// Ids, or `group/key`.
  std::vector<std::string> jobs;
};

struct remove_options : edit_options {
  /// Includes jobs that a source declares.
  bool declared_too = false;
  /// Skips the confirmation.
  bool yes = false;
};

struct trigger_options : edit_options {
  std::optional<std::string> param;
  std::vector<std::string> addresses;
  bool wait = false;
  /// Like `wait`, and prints the logs of the runs.
  bool follow = false;
  /// Time limit of `wait`: `30s`, `10m`, `1h`.
  std::string timeout = "1h";
};

void add_jobs(CLI::App& command, edit_options& options);

/// Prints the result or the problem of each job. Returns 2 if all failures are invalid input, 1 if there was another failure.
[[nodiscard]] int job_start(const edit_options& options);
[[nodiscard]] int job_stop(const edit_options& options);
[[nodiscard]] int job_remove(const remove_options& options);
[[nodiscard]] int job_trigger(const trigger_options& options);

} // namespace ringmaster::apps
