#include "apps/terminal/shell_scripts.hpp"

#include <algorithm>

namespace ringmaster::apps {

namespace {

using commands_of = std::vector<command_words>;

/// Quotes a word for `sh` with single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? R"('\'')" : std::string(1, c);
  return out + '\'';
}

/// Quotes a word for fish.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out.append(c == '\'' || c == '\\' ? "\\" : "") += c;
  return out + '\'';
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const auto& word : words)
    out.append(out.empty() ? "" : between).append(word);
  return out;
}

/// Returns the quoted path of every command except the program itself.
std::vector<std::string> quoted_paths(const commands_of& commands) {
  std::vector<std::string> paths;
  for (auto each = commands.begin() + 1; each != commands.end(); ++each)
    paths.push_back(quoted(each->path));
  return paths;
}

std::string words_of(const command_words& command) {
  std::vector<std::string> words;
  for (const auto& [word, help] : command.subcommands)
    words.push_back(word);
  for (const auto& [word, help] : command.options)
    words.push_back(word);
  return joined(words, " ");
}

/// Returns the words for zsh, which shows the text after the colon.
std::string described(const std::vector<helped_word>& words) {
  std::string out;
  for (const auto& [word, help] : words)
    out += "        " + quoted(word + ':' + help) + '\n';
  return out;
}

std::string name_of(const commands_of& commands) { return commands.front().path; }

/// Returns a command substitution that runs `ringmaster names`; empty output if it fails.
std::string asked_names(const std::string& program, const std::string& kind) {
  return "$(" + program + " names " + kind + " 2>/dev/null)";
}

/// Returns the cases of `case "$at $before"` that complete option values. The arguments are the shell's actions.
std::string value_cases(const commands_of& commands, const std::string& files, const char* list_begin, const char* list_end) {
  std::string out;
  for (const auto& command : commands)
    for (const auto& option : command.valued) {
      out += "    " + quoted(command.path + ' ' + option.name) + ") ";
      if (option.takes_file)
        out += files + ' ';
      else if (!option.values.empty())
        out += list_begin + joined(option.values, " ") + list_end + ' ';
      else if (!option.names.empty())
        out += list_begin + asked_names(name_of(commands), option.names) + list_end + ' ';
      out += "return ;;\n";
    }
  return out;
}

} // namespace

std::string bash_script(const commands_of& commands) {
  const auto& name = commands.front().path;
  std::string out = "# " + name + " completion bash: made by the program for its own commands\n_" + name + R"(_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
_)" + name + R"(() {
  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" at=)" +
                    name + R"( words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
    )" + joined(quoted_paths(commands), "|") + R"() at="$at ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
)" + value_cases(commands, '_' + name + R"(_files "$current";)", R"(COMPREPLY=($(compgen -W ")", R"(" -- "$current"));)") +
                    R"(  esac
  case "$at" in
)";
  for (const auto& command : commands) {
    out += "    " + quoted(command.path) + ") words=" + quoted(words_of(command)) + ' ';
    if (!command.names.empty())
      out += "; [[ $current == -* ]] || words=\"" + asked_names(name, command.names) + " $words\" ";
    out += command.takes_files ? "; [[ $current == -* ]] || { _" + name + "_files \"$current\"; return; } ;;\n" : ";;\n";
  }
  return out + "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\ncomplete -F _" + name + ' ' + name + '\n';
}

std::string zsh_script(const commands_of& commands) {
  const auto& name = commands.front().path;
  std::string out = "#compdef " + name + "\n# Made by the program for its own commands.\n_" + name + R"(() {
  local before="${words[CURRENT-1]}" at=)" + name + R"( i
  local -a known
  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${words[i]}" in
    )" + joined(quoted_paths(commands), "|") + R"() at="$at ${words[i]}" ;;
    esac
  done
  case "$at $before" in
)" + value_cases(commands, "_files;", "compadd -- ", ";") +
                    R"(  esac
  case "$at" in
)";
  for (const auto& command : commands) {
    auto all = command.subcommands;
    all.insert(all.end(), command.options.begin(), command.options.end());
    out += "    " + quoted(command.path) + ")\n      known=(\n" + described(all) + "      )\n";
    if (!command.names.empty())
      out += "      compadd -- " + asked_names(name, command.names) + '\n';
    out += command.takes_files ? "      _files\n      ;;\n" : "      ;;\n";
  }
  return out + "  esac\n  _describe " + name + " known\n}\nif [ \"$funcstack[1]\" = _" + name + " ]; then\n  _" + name +
         " \"$@\"\nelse\n  compdef _" + name + ' ' + name + "\nfi\n";
}

std::string fish_script(const commands_of& commands) {
  const auto& name = commands.front().path;
  std::string out = "# " + name + " completion fish: made by the program for its own commands\nfunction __" + name + R"(_at
  set -l at )" + name + R"(
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case )" + joined(quoted_paths(commands), " ") +
                    R"(
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
complete -c )" + name + " -f\n";
  for (const auto& command : commands) {
    const auto begin = "complete -c " + name + " -n " + fish_quoted("__" + name + "_at " + command.path);
    for (const auto& [word, help] : command.subcommands)
      out += begin + " -a " + word + " -d " + fish_quoted(help) + '\n';
    if (command.takes_files)
      out += begin + " -F\n";
    if (!command.names.empty())
      out += begin + " -a " + fish_quoted("(" + name + " names " + command.names + " 2>/dev/null)") + '\n';
    for (const auto& [word, help] : command.options) {
      const bool is_long = word.starts_with("--");
      const auto valued = std::find_if(command.valued.begin(), command.valued.end(),
                                       [&word = word](const valued_option& each) { return each.name == word; });
      out += begin + (is_long ? " -l " + word.substr(2) : " -s " + word.substr(1)) + " -d " + fish_quoted(help);
      if (valued != command.valued.end())
        out += valued->takes_file ? " -r -F" : " -x -a " + fish_quoted(valued->names.empty() ? joined(valued->values, " ")
                                                               : "(" + name + " names " + valued->names + " 2>/dev/null)");
      out += '\n';
    }
  }
  return out;
}

} // namespace ringmaster::apps
