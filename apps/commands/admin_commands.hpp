#pragma once

// The commands of administration. Each function adds one family to the command line; the command that is given becomes `chosen`
// when that is parsed.

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
/// Looks at `app` when it runs: everything that was added until then is completed.
void add_completion_command(CLI::App& app, std::function<int()>& chosen);
void add_names_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
