#pragma once

// `ringmaster key`.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "apps/commands.hpp"

namespace CLI {
class App;
}

namespace ringmaster::apps {

struct key_add_options {
  config_options config;
  /// What for.
  std::string name;
  std::string user;
  /// `90d`; nothing: it does not.
  std::optional<std::string> expires;
  bool json = false;
};

struct key_list_options {
  config_options config;
  std::optional<std::string> user;
  bool json = false;
};

struct key_remove_options {
  config_options config;
  std::int64_t key = 0;
  bool json = false;
};

/// Prints the key: nobody can see it again.
[[nodiscard]] int key_add(const key_add_options& options);
[[nodiscard]] int key_list(const key_list_options& options);
[[nodiscard]] int key_remove(const key_remove_options& options);

/// Adds the command; it becomes `chosen` when it is given on the command line.
void add_key_commands(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
