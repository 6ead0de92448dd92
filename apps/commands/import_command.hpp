#pragma once

// `ringmaster import`.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringmaster::apps {

struct import_options {
  std::vector<std::string> paths;
  /// App name of the executor group; empty: each job's namespace.
  std::string group;
  /// Output file; nullopt: standard output.
  std::optional<std::string> output;
  /// Overwrites an existing file.
  bool force = false;
  bool json = false;
};

/// Converts files of ElasticJob to a declared file. Needs neither a server nor a database. Returns the exit code.
[[nodiscard]] int import_from_elasticjob(const import_options& options);

/// Adds the command. Parsing the command line sets `chosen` to it.
void add_import_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
