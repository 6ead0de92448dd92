#pragma once

// Lists of tables in the configuration: `[[webhook]]` and `[[command]]`. Internal to config.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "config/text/toml_file.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Allowed forms of a secret, for messages.
inline constexpr std::string_view secret_form = R"(expected a text, { env = "NAME" } or { file = "PATH" })";

/// Function that reads the text of `{ env = … }` or `{ file = … }`.
using secret_reader = std::function<core::result<std::string>(const toml::table&)>;

/// Returns every valid webhook, and adds a problem for each error. Never shows a URL, because it contains a secret. `ca_file` is
/// relative to `base_dir`.
[[nodiscard]] std::vector<webhook_settings> read_webhooks(const toml::source_region& at, const toml::node& node,
                                                          const std::string& base_dir, const secret_reader& secret,
                                                          problems& found);

/// Returns every valid command, and adds a problem for each error.
[[nodiscard]] std::vector<command_settings> read_commands(const toml::source_region& at, const toml::node& node, problems& found);

} // namespace ringmaster::config
