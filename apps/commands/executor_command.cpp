// `ringmaster executor`: runs the scripts, programs and HTTP calls of the configuration without custom code.

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/prctl.h>

#include "apps/commands/commands.hpp"
#include "apps/process/limits.hpp"
#include "apps/process/logging.hpp"
#include "apps/process/signals.hpp"
#include "apps/server/executor_settings.hpp"
#include "apps/server/node_bootstrap.hpp"
#include "apps/terminal/report.hpp"
#include "config/load.hpp"
#include "executor/executor.hpp"
#include "executor/process/command.hpp"
#include "executor/process/environment.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

/// Warns of commands whose program is missing: their runs would fail. A program installed later is found at the next run.
void warn_of_commands(const std::vector<config::command_settings>& commands, const protocol::logger& log) {
  const auto environment = executor::inherited_environment();
  for (const auto& command : commands)
    if (!executor::find_program(command.program, environment))
      log->warn("[[command]] \"{}\": {}; its runs fail until the program is installed", command.name,
                executor::not_found_text(command.program));
}

/// Warns of folders of scripts that do not exist: runs of their programs would fail.
void warn_of_folders(const std::vector<std::string>& folders, const protocol::logger& log) {
  std::error_code problem;
  for (const auto& folder : folders)
    if (!std::filesystem::is_directory(folder, problem))
      log->warn("executor.elastic_scripts: {} is not a folder; runs of its programs fail until it exists", folder);
}

/// Handles SIGHUP. After an error the previous TLS files stay in force.
void reload_tls(executor::executor& running, const protocol::logger& log) {
  if (auto done = running.reload_tls(); !done)
    log->error("reload: TLS unchanged: {}", done.error().context);
  else
    log->info("reload: TLS files reloaded");
}

/// Keeps job programs that run as the same user from reading the token in /proc/PID/environ or in memory. Skipped with
/// sanitizers, which need the process to be dumpable.
void hide_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

core::result<int> run(const config_options& options) {
  config::load_request request;
  request.file = options.file;
  request.set = options.set;
  auto settings = config::load(request);
  if (!settings)
    return tl::unexpected{settings.error()};
  auto log = make_logger(settings->log);
  if (auto fits = fit_to_open_files(*settings, log); !fits)
    return tl::unexpected{fits.error()};
  auto known = handlers_of(*settings);
  if (!known)
    return tl::unexpected{known.error()};
  auto items = elastic_handlers_of(*settings);
  if (!items)
    return tl::unexpected{items.error()};
  warn_of_tls(*settings, log);
  warn_of_commands(settings->commands, log);
  warn_of_folders(settings->executor.elastic_scripts, log);
  auto running = executor::executor::start(executor_options_of(*settings, log), std::move(*known), std::move(*items));
  if (!running)
    return tl::unexpected{running.error()};
  for (auto event = wait_for_signal(1h); event != signal_event::stop; event = wait_for_signal(1h))
    if (event == signal_event::reload)
      reload_tls(**running, log);
  (*running)->stop();
  return exit_done;
}

} // namespace

int run_executor(const config_options& options) {
  block_signals();
  hide_memory();
  auto done = run(options);
  return done ? *done : complain(done.error());
}

} // namespace ringmaster::apps
