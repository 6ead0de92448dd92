#pragma once

// What a shell runs to complete words of a command line.

#include <string>
#include <utility>
#include <vector>

namespace ringmaster::apps {

/// A word and what it is for.
using helped_word = std::pair<std::string, std::string>;

/// An option with a value.
struct valued_option {
  std::string name;
  bool takes_file = false;
  /// The only values that it takes, if they are few.
  std::vector<std::string> values = {};
  /// Of `ringmaster names`: what lists its values; empty: nothing does.
  std::string names = {};
};

/// One command, `ringmaster job list` say: its subcommands, and its options with their dashes.
struct command_words {
  std::string path;
  std::vector<helped_word> subcommands;
  std::vector<helped_word> options;
  std::vector<valued_option> valued;
  /// Files are what comes without an option.
  bool takes_files = false;
  /// Of `ringmaster names`: what comes without an option; empty: something else.
  std::string names = {};
};

/// `commands`: every one, the program first.
[[nodiscard]] std::string bash_script(const std::vector<command_words>& commands);
[[nodiscard]] std::string zsh_script(const std::vector<command_words>& commands);
[[nodiscard]] std::string fish_script(const std::vector<command_words>& commands);

} // namespace ringmaster::apps
