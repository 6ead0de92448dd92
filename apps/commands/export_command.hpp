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
  /// App names; empty: all groups.
  std::vector<std::string> groups;
  std::optional<std::string> source;
  /// Output file; nullopt: standard output.
  std::optional<std::string> output;
  /// Overwrites an existing file.
  bool force = false;
};

/// Exports through a server or from any readable database, also one that only XXL-JOB has used. Never writes to the database.
[[nodiscard]] int export_declared(const export_options& options);

/// Adds the command. Parsing the command line sets `chosen` to it.
void add_export_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
