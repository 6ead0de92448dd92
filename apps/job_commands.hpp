#pragma once

// `ringmaster job`, `ringmaster run` and `ringmaster forecast`.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"

namespace CLI {
class App;
}

namespace ringmaster::apps {

struct job_list_options {
  config_options config;
  std::optional<std::string> group;
  bool running = false;
  bool stopped = false;
  std::int32_t after = 0;
  std::size_t limit = 100;
  bool json = false;
};

struct job_options {
  config_options config;
  /// An id, or `group/key`.
  std::string job;
  bool json = false;
  /// remove: also a job that a source declares.
  bool declared_too = false;
};

struct trigger_options {
  config_options config;
  std::string job;
  std::optional<std::string> param;
  std::vector<std::string> addresses;
  bool wait = false;
  /// `30s`, `10m`, `1h`: how long `wait` waits.
  std::string timeout = "1h";
  bool json = false;
};

struct run_list_options {
  config_options config;
  std::optional<std::string> job;
  bool failed = false;
  std::optional<std::int64_t> before;
  std::size_t limit = 20;
  bool json = false;
};

struct run_options {
  config_options config;
  std::int64_t run = 0;
  bool json = false;
};

struct forecast_command_options {
  config_options config;
  std::string from;
  std::string span = "7d";
  std::vector<std::string> jobs;
  std::optional<std::string> cron;
  std::size_t limit = 20;
  bool json = false;
};

[[nodiscard]] int job_list(const job_list_options& options);
[[nodiscard]] int job_show(const job_options& options);
[[nodiscard]] int job_start(const job_options& options);
[[nodiscard]] int job_stop(const job_options& options);
[[nodiscard]] int job_remove(const job_options& options);
[[nodiscard]] int job_trigger(const trigger_options& options);
[[nodiscard]] int run_list(const run_list_options& options);
[[nodiscard]] int run_show(const run_options& options);
[[nodiscard]] int forecast(const forecast_command_options& options);

/// Adds the three commands; the one that is given becomes `chosen` when the command line is parsed.
void add_job_commands(CLI::App& app, std::function<int()>& chosen);
void add_run_commands(CLI::App& app, std::function<int()>& chosen);
void add_forecast_command(CLI::App& app, std::function<int()>& chosen);

} // namespace ringmaster::apps
