#pragma once

// Building blocks of the administration command lines.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "apps/terminal/command_options.hpp"

namespace ringmaster::apps {

/// Adds `--config` and `--set`.
void add_config_options(CLI::App& command, config_options& options);
/// Names the settings of an executor below the help of a command that has `--config` and `--set`.
void add_executor_help(CLI::App& command);

/// Adds `--config`, `--set` and the options of the server.
void add_place_options(CLI::App& command, client_options& options);

/// Adds the options of `add_place_options` and `--json`.
void add_desk_options(CLI::App& command, client_options& options);

/// Explains the common options in the help of the program. Call it after all commands were added: they inherit the text.
void add_common_help(CLI::App& app);

/// Returns lines that name the first argument without a meaning, and the closest known command or option.
[[nodiscard]] std::string unexpected_argument(const CLI::App& app);

/// Adds `--cursor` and `--limit`.
void add_page_options(CLI::App& command, std::optional<std::string>& cursor, std::size_t& limit);

/// Rejects text that is not a positive number. `what`: the name of the value, e.g. `run id`.
[[nodiscard]] CLI::Validator id_check(std::string what);

/// Runs the command unless an argument is not valid UTF-8, which neither a server nor a database accepts. File names may be any
/// bytes; settings, which may hold file names, are checked when they are read. Returns the exit code.
[[nodiscard]] int run_with_texts(const CLI::App& command, const std::function<int()>& run);

/// Adds a command with subcommands, one of which is required.
[[nodiscard]] CLI::App* add_family(CLI::App& under, const char* name, const char* help);

/// Adds a subcommand of `under` whose options live as long as the command line. Parsing the line sets `chosen` to the given
/// subcommand.
template <class Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_command(CLI::App& under, const char* name, const char* help,
                                                           std::function<int()>& chosen, int (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  auto* command = under.add_subcommand(name, help);
  add_desk_options(*command, *options);
  command->callback([command, options, run, &chosen] {
    chosen = [command, options, run] { return run_with_texts(*command, [&] { return run(*options); }); };
  });
  return {command, options};
}

} // namespace ringmaster::apps
