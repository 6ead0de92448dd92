#pragma once

// The commands of the binary. Each returns the exit code: 0 success, 1 failure, 2 invalid usage or input.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/terminal/command_options.hpp"

namespace CLI {
class App;
}

namespace ringmaster::apps {

class api_client;

struct apply_options : client_options {
  std::vector<std::string> paths;
  /// Source that owns the declared objects.
  std::string source = "apply";
  std::int64_t revision = 0;
  bool dry_run = false;
  bool prune = false;
  /// With `prune`: also removes objects declared by files that are not in `paths`.
  bool prune_all = false;
  /// Skips the confirmation.
  bool yes = false;
};

struct migrate_options {
  config_options config;
  bool dry_run = false;
  bool json = false;
  /// Also upgrades XXL-JOB's own tables.
  bool xxl = false;
  /// `on` or `off`; empty: leave the log's indexes unchanged.
  std::string lean;
  /// Permits a new SQLite file in a data folder whose server had a database before.
  bool new_database = false;
};

struct cron_options {
  std::string expression;
  /// ISO 8601 or epoch milliseconds; empty: now.
  std::string from;
  /// IANA name; empty: the system's.
  std::string zone;
  std::size_t count = 5;
  bool json = false;
};

struct alarm_test_options {
  config_options config;
  /// `mail`, or the name of a webhook.
  std::string channel;
  /// Recipient, for mail only; empty: the sender's own address.
  std::string to;
  bool json = false;
};

struct demo_options {
  /// Exits after three completed runs, or fails after a minute without them.
  bool check = false;
  std::string listen = "127.0.0.1:0";
};

struct serve_options : config_options {
  /// Permits a new SQLite file in a data folder whose server had a database before.
  bool new_database = false;
};

[[nodiscard]] int serve(const serve_options& options);
[[nodiscard]] int run_executor(const config_options& options);
[[nodiscard]] int demo(const demo_options& options);
[[nodiscard]] int apply(const apply_options& options);
[[nodiscard]] int migrate(const migrate_options& options);
/// Switches the database to native mode; with `back`: to shared mode.
[[nodiscard]] int takeover(const config_options& options, bool back, bool json);
[[nodiscard]] int cron_next(const cron_options& options);
[[nodiscard]] int alarm_test(const alarm_test_options& options);
[[nodiscard]] int doctor(const config_options& options, bool json);
/// Prints the log of a run until the run ends. Blocks. A short outage of the executor or the server ends nothing. Returns the
/// exit code.
[[nodiscard]] int follow_log(api_client& client, std::int64_t run);

// The administration commands. Each function adds one command family to the command line. Parsing the line sets `chosen` to the
// given command.

void add_job_commands(CLI::App& app, std::function<int()>& chosen);
void add_elastic_commands(CLI::App& app, std::function<int()>& chosen);
void add_group_commands(CLI::App& app, std::function<int()>& chosen);
void add_run_commands(CLI::App& app, std::function<int()>& chosen);
void add_log_command(CLI::App& app, std::function<int()>& chosen);
void add_user_commands(CLI::App& app, std::function<int()>& chosen);
void add_key_commands(CLI::App& app, std::function<int()>& chosen);
void add_node_commands(CLI::App& app, std::function<int()>& chosen);
void add_cluster_commands(CLI::App& app, std::function<int()>& chosen);
void add_repair_commands(CLI::App& app, std::function<int()>& chosen);
void add_forecast_command(CLI::App& app, std::function<int()>& chosen);
/// Adds `completion`. It completes the commands and options that `app` has when it runs, also those that were added later.
void add_completion_command(CLI::App& app, std::function<int()>& chosen);
void add_names_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
