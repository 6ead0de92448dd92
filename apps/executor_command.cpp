// `ringmaster executor`: runs scripts, programs and calls of the configuration, without any code.

#include <chrono>
#include <utility>
#include <vector>

#include "apps/commands.hpp"
#include "apps/foundation.hpp"
#include "apps/logging.hpp"
#include "apps/report.hpp"
#include "apps/signals.hpp"
#include "config/load.hpp"
#include "executor/command.hpp"
#include "executor/command_handler.hpp"
#include "executor/environment.hpp"
#include "executor/executor.hpp"
#include "executor/http_handler.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

executor::program_limits limits_of(const config::script_limits& said) {
  return {said.memory_bytes_max, said.output_bytes_max, said.kill_grace};
}

core::error of_command(const config::command_settings& command, const core::error& why) {
  return {why.code, "[[command]] \"" + command.name + "\": " + why.context};
}

core::result<executor::handlers> handlers_of(const config::settings& settings) {
  executor::handlers out;
  for (const auto& command : settings.commands) {
    auto made = executor::make_command_handler(
      {command.program, command.arguments, command.folder, command.append_param, limits_of(settings.executor.limits)});
    if (!made)
      return tl::unexpected{of_command(command, made.error())};
    if (auto added = out.add(command.name, std::move(*made)); !added)
      return tl::unexpected{of_command(command, added.error())};
  }
  if (settings.executor.http_allowed.empty())
    return out;
  executor::http_handler_options http;
  http.allowed = settings.executor.http_allowed;
  auto added = executor::make_http_handler(std::move(http)).and_then([&out](executor::handler&& made) {
    return out.add("http", std::move(made));
  });
  if (!added)
    return core::fail(added.error().code, "executor.http_allowed: " + added.error().context);
  return out;
}

/// A run would fail; one that is installed later is found then.
void warn_of_commands(const std::vector<config::command_settings>& commands, const protocol::logger& log) {
  const auto environment = executor::inherited_environment();
  for (const auto& command : commands)
    if (!executor::find_program(command.program, environment))
      log->warn("[[command]] \"{}\": {}; until it is there, runs of it fail", command.name,
                executor::not_found_text(command.program));
}

void take_executor(executor::executor_options& to, const config::executor_settings& said) {
  to.admins = said.admins;
  to.nodes = said.nodes;
  to.app_name = said.app_name;
  to.allow_no_token = said.allow_no_token;
  to.listen = said.listen;
  to.port = said.port;
  to.ip = said.ip;
  to.address = said.address;
  to.admin_timeout = said.admin_timeout;
  to.dialect = said.dialect;
  to.admin_ca = said.admin_ca;
  to.admin_certificate = said.admin_certificate;
  to.admin_key = said.admin_key;
  to.log_path = said.log_path;
  to.log_retention_days = said.log_retention_days;
  to.log_bytes_max = said.log_bytes_max;
  to.queue_max = said.queue_max;
  to.idle_limit = said.idle_limit;
  to.drain_timeout = said.drain_timeout;
  to.scripts = said.scripts;
  to.script_limits = limits_of(said.limits);
}

void take_link(executor::executor_options& to, const config::link_settings& said) {
  to.link_certificate = said.certificate;
  to.link_key = said.key;
  to.link_ca = said.ca;
}

void take_server(executor::executor_options& to, const config::server_settings& said) {
  to.tls_certificate = said.tls_certificate;
  to.tls_key = said.tls_key;
  to.tls_client_ca = said.tls_client_ca;
  to.connections_max = said.connections_max;
  to.buffered_bytes_max = said.buffered_bytes_max;
  to.read_timeout = said.read_timeout;
  to.write_timeout = said.write_timeout;
  to.reply_timeout = said.reply_timeout;
  to.idle_timeout = said.idle_timeout;
}

executor::executor_options options_of(const config::settings& settings, protocol::logger log) {
  executor::executor_options out;
  take_executor(out, settings.executor);
  take_link(out, settings.link);
  take_server(out, settings.server);
  out.access_token = settings.security.access_token;
  out.data_dir = settings.data_dir;
  out.log = std::move(log);
  return out;
}

/// SIGHUP. A mistake keeps what is in force.
void reload_tls(executor::executor& running, const protocol::logger& log) {
  if (auto done = running.reload_tls(); !done)
    log->error("reload: TLS goes on as it was: {}", done.error().context);
  else
    log->info("reload: the files of TLS were read again");
}

core::result<int> run(const config_options& options) {
  config::load_request request;
  request.file = options.file;
  request.set = options.set;
  auto settings = config::load(request);
  if (!settings)
    return tl::unexpected{settings.error()};
  auto known = handlers_of(*settings);
  if (!known)
    return tl::unexpected{known.error()};
  const auto log = make_logger(settings->log);
  warn_of_tls(*settings, log);
  warn_of_commands(settings->commands, log);
  auto running = executor::executor::start(options_of(*settings, log), std::move(*known));
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
  auto done = run(options);
  return done ? *done : complain(done.error());
}

} // namespace ringmaster::apps
