#pragma once

// The administration commands. Each function adds one command family to the command line. Parsing the line sets `chosen` to the
// given command.

#include <functional>

namespace CLI {
class App;
}

namespace ringmaster::apps {

void add_job_commands(CLI::App& app, std::function<int()>& chosen);
void add_group_commands(CLI::App& app, std::function<int()>& chosen);
void add_run_commands(CLI::App& app, std::function<int()>& chosen);
void add_log_command(CLI::App& app, std::function<int()>& chosen);
void add_user_commands(CLI::App& app, std::function<int()>& chosen);
void add_key_commands(CLI::App& app, std::function<int()>& chosen);
void add_node_commands(CLI::App& app, std::function<int()>& chosen);
void add_repair_commands(CLI::App& app, std::function<int()>& chosen);
void add_forecast_command(CLI::App& app, std::function<int()>& chosen);
/// Adds `completion`. It completes the commands and options that `app` has when it runs, also those that were added later.
void add_completion_command(CLI::App& app, std::function<int()>& chosen);
void add_names_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
