#pragma once

// A program and its arguments as one text, without a shell: the property `script.command.line` (EJ §11).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Splits a command line into the program and its arguments. Spaces, tabs and line ends separate them. A pair of `'` or of `"`
/// keeps everything between, also the other quote and separators; quoted and unquoted parts without a separator between them are
/// one argument, and an empty pair is an empty argument. No other character has a meaning: no `\`, `$`, `*`, `|` or `~`.
/// Errors: `invalid_argument` for a quote that does not end, for a text without a program, and for NUL.
[[nodiscard]] result<std::vector<std::string>> split_command_line(std::string_view text);

/// Returns a command line that splits into these words.
[[nodiscard]] std::string command_line(std::span<const std::string> words);

} // namespace ringmaster::core::elastic
