#pragma once

// How the command lines of administration are put together.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "apps/terminal/command_options.hpp"

namespace ringmaster::apps {

/// `--config`, `--set`.
void add_config_options(CLI::App& command, config_options& options);

/// Those and the server's.
void add_place_options(CLI::App& command, client_options& options);

/// Those and `--json`.
void add_desk_options(CLI::App& command, client_options& options);

/// Explains the common options in the help of the program.
void add_common_help(CLI::App& app);

/// Of a command line with a word too many: a line that names the closest one that is known; empty when none is close.
[[nodiscard]] std::string command_suggestion(const CLI::App& app);

/// `--cursor`, `--limit`.
void add_page_options(CLI::App& command, std::optional<std::string>& cursor, std::size_t& limit);

/// Refuses what is no number from 1 on: an id. `what`: `log id`.
[[nodiscard]] CLI::Validator id_check(std::string what);

/// Runs it, unless an argument of `command` is no UTF-8: neither a server nor a database takes that. Names of files may be any
/// bytes, and settings, which hold some, are checked where they are read. The exit code.
[[nodiscard]] int run_with_texts(const CLI::App& command, const std::function<int()>& run);

/// A group of subcommands of which one is needed.
[[nodiscard]] CLI::App* add_family(CLI::App& under, const char* name, const char* help);

/// A subcommand of `under` whose options live as long as the command line. What is given becomes `chosen` when it is parsed.
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
