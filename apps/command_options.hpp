#pragma once

// Exit codes, and the options that many commands share.

#include <optional>
#include <string>
#include <vector>

namespace ringmaster::apps {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
/// A defect ended an actor that must live: the service manager starts the process again at once.
inline constexpr int exit_fail_stop = 70;

/// Where settings come from, as every command that needs them takes it.
struct config_options {
  std::optional<std::string> file;
  std::vector<std::string> set;
};

/// Which running server is asked, as every command takes it that can ask one.
struct server_options {
  std::optional<std::string> url;
  /// Of the API key.
  std::optional<std::string> token_file;
  /// Of certificates that are trusted; nothing: the system's.
  std::optional<std::string> ca_file;
  /// The key may go in the clear to another machine.
  bool insecure_http = false;
};

/// What every command of administration takes.
struct desk_options {
  config_options config;
  server_options server;
  bool json = false;
};

} // namespace ringmaster::apps
