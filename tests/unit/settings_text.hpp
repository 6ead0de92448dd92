#pragma once

// Settings as a TOML document, to compare them and to read them back.

#include <string>

#include "config/settings.hpp"

namespace ringmaster::test {

/// Every setting, secrets included; `config::load` reads it back to the same values.
[[nodiscard]] std::string settings_text(config::settings values);

} // namespace ringmaster::test
