#include "apps/server/executor_settings.hpp"

#include <utility>

#include "core/elastic/job_types.hpp"
#include "executor/command_handler.hpp"
#include "executor/http_handler.hpp"
#include "executor/sdk/elastic/http_type.hpp"
#include "executor/sdk/elastic/script_type.hpp"

namespace ringmaster::apps {

namespace {

executor::program_limits limits_of(const config::script_limits& said) {
  return {said.memory_bytes_max, said.output_bytes_max, said.kill_grace, said.open_files};
}

core::error of_command(const config::command_settings& command, const core::error& why) {
  return {why.code, "[[command]] \"" + command.name + "\": " + why.context};
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
  to.labels = said.labels;
  to.elastic_capacity = said.elastic_capacity;
  to.elastic_drain = said.elastic_drain;
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

} // namespace

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

core::result<executor::elastic::elastic_handlers> elastic_handlers_of(const config::settings& settings) {
  using core::errc;
  const auto& said = settings.executor;
  executor::elastic::elastic_handlers out;
  if (!said.elastic && (!said.labels.empty() || !said.elastic_scripts.empty()))
    return core::fail(errc::invalid_argument,
                      "executor.labels and executor.elastic_scripts have no effect without executor.elastic");
  if (!said.elastic)
    return out;
  if (said.elastic_scripts.empty() && said.http_allowed.empty())
    return core::fail(errc::invalid_argument,
                      "executor.elastic: there is nothing to run; set executor.elastic_scripts or"
                      " executor.http_allowed");
  const auto add = [&out](std::string_view type, core::result<executor::elastic::elastic_body>&& made) {
    return std::move(made).and_then([&](executor::elastic::elastic_body&& body) { return out.add_type(type, std::move(body)); });
  };
  if (!said.elastic_scripts.empty())
    if (auto added =
          add(core::elastic::script_type, executor::elastic::make_script_type({said.elastic_scripts, limits_of(said.limits)}));
        !added)
      return core::fail(added.error().code, "executor.elastic_scripts: " + added.error().context);
  if (!said.http_allowed.empty())
    if (auto added = add(core::elastic::http_type, executor::elastic::make_http_type({said.http_allowed})); !added)
      return core::fail(added.error().code, "executor.http_allowed: " + added.error().context);
  return out;
}

executor::executor_options executor_options_of(const config::settings& settings, protocol::logger log) {
  executor::executor_options out;
  take_executor(out, settings.executor);
  take_link(out, settings.link);
  take_server(out, settings.server);
  out.elastic_error_targets = settings.elastic.error_targets;
  out.access_token = settings.security.access_token;
  out.data_dir = settings.data_dir;
  out.log = std::move(log);
  return out;
}

} // namespace ringmaster::apps
