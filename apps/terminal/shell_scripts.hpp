#pragma once

// Shell scripts that complete words of a command line.

#include <string>
#include <utility>
#include <vector>

namespace ringmaster::apps {

/// A word and its help text.
using helped_word = std::pair<std::string, std::string>;

/// An option that takes a value.
struct valued_option {
  std::string name;
  bool takes_file = false;
  /// The allowed values, if they are enumerated.
  std::vector<std::string> values = {};
  /// The kind of `ringmaster names` that lists its values; empty: none.
  std::string names = {};
};

/// One command, e.g. `ringmaster job list`: its subcommands, and its options with their dashes.
struct command_words {
  std::string path;
  std::vector<helped_word> subcommands;
  std::vector<helped_word> options;
  std::vector<valued_option> valued;
  /// Positional arguments are files.
  bool takes_files = false;
  /// The kind of `ringmaster names` that lists positional arguments; empty: none.
  std::string names = {};
};

/// `commands`: every command, the program itself first.
[[nodiscard]] std::string bash_script(const std::vector<command_words>& commands);
[[nodiscard]] std::string zsh_script(const std::vector<command_words>& commands);
[[nodiscard]] std::string fish_script(const std::vector<command_words>& commands);

} // namespace ringmaster::apps
