#pragma once

// What a node makes once and keeps in its data folder: its access token and its identity.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

struct access_token {
  std::string token;
  /// Where it stands; empty when it came from the configuration.
  std::string file;
  /// Made just now.
  bool fresh = false;
};

/// The configured token, else that of `initial-secrets` in the data folder, else a new one of 256 random bits, written there
/// (0600). Errors: `unavailable`, also when the file is there and cannot be read.
[[nodiscard]] core::result<access_token> obtain_access_token(const config::settings& settings);

/// `initial-secrets` in the data folder.
[[nodiscard]] std::string secrets_file(const config::settings& settings);

/// The first administrator's password, as it stands in that file. Errors: `unavailable` when the file is there and cannot be
/// read.
[[nodiscard]] core::result<std::optional<std::string>> find_admin_password(const config::settings& settings);

/// Writes it there beside the token; an empty one takes it away. Errors: `unavailable`.
[[nodiscard]] core::result<void> keep_admin_password(const config::settings& settings, std::string_view password);

/// The configured node name, else that of the file `node-id`, else a new one: host name and random digits, written there.
[[nodiscard]] core::result<std::string> obtain_node_id(const config::settings& settings);

/// The same without making one: nothing where there is none yet, or it cannot be read.
[[nodiscard]] std::optional<std::string> known_node_id(const config::settings& settings);

/// Replaces a file that its owner alone may read, as a whole and durably. Errors: `unavailable`.
[[nodiscard]] core::result<void> write_private(const std::filesystem::path& path, const std::string& text);

[[nodiscard]] std::string host_name();

} // namespace ringmaster::apps
