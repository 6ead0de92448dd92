#pragma once

// `ringmaster export`.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/commands.hpp"

namespace CLI {
class App;
}

namespace ringmaster::apps {

struct export_options : client_options {
  /// App names; none: all.
  std::vector<std::string> groups;
  std::optional<std::string> source;
  /// Nothing: standard output.
  std::optional<std::string> output;
  /// Replaces the file.
  bool force = false;
};

/// Through a server, or on any database that can be read, also one that XXL-JOB alone has used, and writes nothing into it.
[[nodiscard]] int export_declared(const export_options& options);

/// Adds the command; it becomes `chosen` when the command line is parsed.
void add_export_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
