#pragma once

// Settings as a TOML document, for comparison and to read them back.

#include <string>

#include "config/settings.hpp"

namespace ringmaster::test {

/// Returns every setting, secrets included; `config::load` reads it back to equal values.
[[nodiscard]] std::string settings_text(config::settings values);

} // namespace ringmaster::test
