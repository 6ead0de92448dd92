#pragma once

// What `ringmaster job` does to jobs: to one, or to many.

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
  /// Also jobs that a source declares.
  bool declared_too = false;
  /// Nothing is asked.
  bool yes = false;
};

struct trigger_options : edit_options {
  std::optional<std::string> param;
  std::vector<std::string> addresses;
  bool wait = false;
  /// As `wait`, with what the runs write.
  bool follow = false;
  /// `30s`, `10m`, `1h`: how long `wait` waits.
  std::string timeout = "1h";
};

void add_jobs(CLI::App& command, edit_options& options);

/// What became of each is printed, and its problem if it has one. 2 when all that failed was asked wrongly, 1 when something else
/// failed.
[[nodiscard]] int job_start(const edit_options& options);
[[nodiscard]] int job_stop(const edit_options& options);
[[nodiscard]] int job_remove(const remove_options& options);
[[nodiscard]] int job_trigger(const trigger_options& options);

} // namespace ringmaster::apps
