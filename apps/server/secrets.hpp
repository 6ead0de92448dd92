#pragma once

// Secrets that a node creates once and keeps in its data folder: its access token and its identity.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

struct access_token {
  std::string token;
  /// File with the token; empty if it came from the configuration.
  std::string file;
  /// Set if the token was just created.
  bool fresh = false;
};

/// Returns the configured token, else the one in `initial-secrets` in the data folder, else a new one of 256 random bits, written
/// there (mode 0600). Errors: `unavailable`, also for an unreadable file.
[[nodiscard]] core::result<access_token> obtain_access_token(const config::settings& settings);

/// Returns the path of `initial-secrets` in the data folder.
[[nodiscard]] std::string secrets_file(const config::settings& settings);

/// Returns the first administrator's password from that file. Errors: `unavailable` for an unreadable file.
[[nodiscard]] core::result<std::optional<std::string>> find_admin_password(const config::settings& settings);

/// Writes the password to the file next to the token; an empty password removes it. Errors: `unavailable`.
[[nodiscard]] core::result<void> keep_admin_password(const config::settings& settings, std::string_view password);

/// Returns the configured node name, else that of the file `node-id`, else a new one (host name and random digits), written
/// there.
[[nodiscard]] core::result<std::string> obtain_node_id(const config::settings& settings);

/// Returns the node name without creating one; nullopt when there is none yet, or it is unreadable.
[[nodiscard]] std::optional<std::string> known_node_id(const config::settings& settings);

/// Replaces a file that its owner alone may read, as a whole and durably. Errors: `unavailable`.
[[nodiscard]] core::result<void> write_private(const std::filesystem::path& path, const std::string& text);

[[nodiscard]] std::string host_name();

} // namespace ringmaster::apps
