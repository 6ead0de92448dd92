// `ringmaster completion`: prints a shell script built from the definitions of the command line, so that both always agree.

#include <cstdio>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/terminal/shell_scripts.hpp"

namespace ringmaster::apps {

namespace {

/// Returns whether the help lists the command.
bool listed_command(const CLI::App* command) { return !command->get_group().empty(); }
bool any_option(const CLI::Option*) { return true; }

bool is_file(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type.find("FILE") != std::string::npos || type.find("PATH") != std::string::npos || option.get_name(true) == "PATH";
}

/// Returns the allowed values from a type name such as `{on,off}`.
std::vector<std::string> values_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto begin = type.find('{');
  const auto end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos)
    return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

/// Returns the kind of `ringmaster names` that completes an argument of this type.
std::string names_of(const CLI::Option& option) {
  const auto type = option.get_positional() ? option.get_name(true) : option.get_type_name();
  static constexpr std::pair<std::string_view, const char*> kinds[] = {
    {"JOB", "jobs"},         {"GROUP", "groups"},       {"APP", "groups"},  {"ELASTIC-JOB", "elastic-jobs"},
    {"CHANNEL", "channels"}, {"KEY=VALUE", "settings"}, {"USER", "users"}};
  for (const auto& [name, kind] : kinds)
    if (type == name)
      return kind;
  return {};
}

void add_option_words(command_words& words, const CLI::Option& option) {
  if (option.get_positional()) {
    words.takes_files = words.takes_files || is_file(option);
    if (words.names.empty())
      words.names = names_of(option);
    if (option.get_lnames().empty() && option.get_snames().empty())
      for (const auto& value : values_of(option))
        words.subcommands.emplace_back(value, option.get_description());
    return;
  }
  const auto add = [&](const std::string& name) {
    words.options.emplace_back(name, option.get_description());
    if (option.get_items_expected_min() > 0)
      words.valued.push_back({name, is_file(option), values_of(option), names_of(option)});
  };
  for (const auto& name : option.get_lnames())
    add("--" + name);
  for (const auto& name : option.get_snames())
    add('-' + name);
}

void walk(const CLI::App& command, const std::string& path, std::vector<command_words>& all) {
  command_words words;
  words.path = path;
  for (const auto* option : command.get_options(any_option))
    add_option_words(words, *option);
  const auto subcommands = command.get_subcommands(listed_command);
  for (const auto* each : subcommands)
    words.subcommands.emplace_back(each->get_name(), each->get_description());
  all.push_back(std::move(words));
  for (const auto* each : subcommands)
    walk(*each, path + ' ' + each->get_name(), all);
}

int complete(const CLI::App& app, const std::string& shell) {
  std::vector<command_words> all;
  walk(app, app.get_name(), all);
  const auto script = shell == "bash" ? bash_script(all) : shell == "zsh" ? zsh_script(all) : fish_script(all);
  std::fputs(script.c_str(), stdout);
  return exit_done;
}

} // namespace

void add_completion_command(CLI::App& app, std::function<int()>& chosen) {
  auto* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &chosen] { chosen = [&app, shell] { return complete(app, *shell); }; });
}

} // namespace ringmaster::apps
