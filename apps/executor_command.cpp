// `ringmaster executor`: runs scripts, programs and calls of the configuration, without any code.

#include <chrono>
#include <utility>

#include "apps/commands.hpp"
#include "apps/logging.hpp"
#include "apps/report.hpp"
#include "apps/signals.hpp"
#include "config/load.hpp"
#include "executor/command_handler.hpp"
#include "executor/executor.hpp"
#include "executor/http_handler.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

core::error of_command(const config::command_settings& command, const core::error& why) {
  return {why.code, "[[command]] \"" + command.name + "\": " + why.context};
}

core::result<executor::handlers> handlers_of(const config::settings& settings) {
  executor::handlers out;
  for (const auto& command : settings.commands) {
    auto made = executor::make_command_handler(
      {command.program, command.arguments, command.folder, command.append_param, settings.executor.limits});
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
  executor::executor_options parts;
  parts.settings = settings->executor;
  parts.server = settings->server;
  parts.link = settings->link;
  parts.access_token = settings->security.access_token;
  parts.data_dir = settings->data_dir;
  parts.log = make_logger(settings->log);
  auto running = executor::executor::start(std::move(parts), std::move(*known));
  if (!running)
    return tl::unexpected{running.error()};
  while (wait_for_signal(1h) != signal_event::stop) {
  }
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
