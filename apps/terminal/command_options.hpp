#pragma once

// Exit codes and the options that many commands share.

#include <optional>
#include <string>
#include <vector>

namespace ringmaster::apps {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
/// An unrecoverable defect ended a required actor. The service manager restarts the process at once.
inline constexpr int exit_fail_stop = 70;

/// Options that select the configuration of a command.
struct config_options {
  std::optional<std::string> file;
  std::vector<std::string> set;
};

/// Options that select the server of a command and how to reach it.
struct server_options {
  std::optional<std::string> url;
  /// File with the API key.
  std::optional<std::string> token_file;
  /// File with the trusted CA certificates; without it, those of the system.
  std::optional<std::string> ca_file;
  /// Permits sending the key unencrypted to another machine.
  bool insecure_http = false;
};

/// Options shared by all administration commands.
struct client_options {
  config_options config;
  server_options server;
  bool json = false;
};

} // namespace ringmaster::apps
