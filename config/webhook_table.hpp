#pragma once

// `[[webhook]]` of the configuration. Internal to config.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "config/text/toml_file.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// What a secret may be, for messages.
inline constexpr std::string_view secret_form = R"(expected a text, { env = "NAME" } or { file = "PATH" })";

/// The text behind `{ env = … }` or `{ file = … }`.
using secret_reader = std::function<core::result<std::string>(const toml::table&)>;

/// Every webhook that is right; a problem for whatever is wrong. Never shows a URL: it holds a secret. `ca_file` is relative to
/// `base_dir`.
[[nodiscard]] std::vector<webhook_settings> read_webhooks(const toml::source_region& at, const toml::node& node,
                                                          const std::string& base_dir, const secret_reader& secret,
                                                          problems& found);

} // namespace ringmaster::config
