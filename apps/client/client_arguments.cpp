#include "apps/client/client_arguments.hpp"

#include <algorithm>

#include "apps/client/api_queries.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/text/diagnostics.hpp"
#include "core/text/text.hpp"

namespace ringmaster::apps {

namespace {

/// Hides the common options in the help of each command; a footer names them in one line.
constexpr const char* common_group = "";

/// Returns whether the text is an id. Checked here because CLI11 clamps numbers that are too large.
bool is_id(const std::string& text) { return parse_id(text).has_value(); }

bool may_be_any_bytes(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type == "FILE" || type == "KEY=VALUE" || option.get_name(true) == "PATH";
}

bool is_text(const std::string& argument) { return core::valid_utf8(argument) == argument; }

} // namespace

void add_config_options(CLI::App& command, config_options& options) {
  command
    .add_option("--config", options.file, "Configuration file (default RINGMASTER_CONFIG, else /etc/ringmaster/ringmaster.toml)")
    ->type_name("FILE")
    ->group(common_group);
  command.add_option("--set", options.set, "Override a setting, e.g. --set server.listen=0.0.0.0:8080; may be repeated")
    ->type_name("KEY=VALUE")
    ->allow_extra_args(false)
    ->group(common_group);
  command.footer("Common options (explained by `ringmaster --help`): --config, --set");
}

void add_executor_help(CLI::App& command) {
  command.footer(
    "Settings, in the configuration file or with --set KEY=VALUE:\n"
    "executor.app_name: app name of the executor's group (needed)\n"
    "executor.admins: base addresses of the servers, e.g. http://127.0.0.1:8080, separated by commas\n"
    "security.access_token: access token of the servers\n"
    "executor.listen: host to listen on, without a port (default 127.0.0.1)\n"
    "executor.port: port to listen on (default: the first free one from 9999)\n"
    "executor.address: registered address, e.g. http://10.0.0.7:9999/ (default: built from listen and port)\n"
    "executor.scripts, executor.http_allowed, executor.elastic_scripts, [[command]]: what the executor runs\n"
    "config/ringmaster.example.toml explains all settings.\n"
    "\n" +
    command.get_footer());
}

void add_place_options(CLI::App& command, client_options& options) {
  add_config_options(command, options.config);
  command.add_option("--server", options.server.url, "Running server (default RINGMASTER_SERVER, else direct database access)")
    ->type_name("URL")
    ->excludes("--config")
    ->excludes("--set")
    ->group(common_group);
  command
    .add_option("--token-file", options.server.token_file,
                "File with the API key for the server (default RINGMASTER_TOKEN_FILE, else RINGMASTER_TOKEN)")
    ->type_name("FILE")
    ->group(common_group);
  command.add_option("--ca-file", options.server.ca_file, "Trusted CA certificates, in place of the system's")
    ->type_name("FILE")
    ->group(common_group);
  command.add_flag("--insecure-http", options.server.insecure_http, "Permit sending the API key unencrypted to another machine")
    ->group(common_group);
  command.footer("Common options (explained by `ringmaster --help`): --config, --set, --server, --token-file, --ca-file, "
                 "--insecure-http");
}

void add_common_help(CLI::App& app) {
  app.footer(
    "Common options of commands:\n"
    "--config FILE: configuration file (default RINGMASTER_CONFIG, else /etc/ringmaster/ringmaster.toml)\n"
    "--set KEY=VALUE: override a setting, e.g. --set server.listen=0.0.0.0:8080; may be repeated\n"
    "--server URL: running server (default RINGMASTER_SERVER, else direct database access)\n"
    "--token-file FILE: file with the API key for the server (default RINGMASTER_TOKEN_FILE, else RINGMASTER_TOKEN)\n"
    "--ca-file FILE: trusted CA certificates, in place of the system's\n"
    "--insecure-http: permit sending the API key unencrypted to another machine");
}

namespace {

/// Returns the deepest subcommand that was parsed.
const CLI::App& reached(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : reached(*parsed.front());
}

} // namespace

std::string unexpected_argument(const CLI::App& app) {
  const auto left = app.remaining(true);
  const auto wrong = left.empty() ? std::string{} : left.front();
  const auto& command = reached(app);
  std::vector<std::string> names;
  if (wrong.starts_with("--")) {
    for (const auto* option : command.get_options([](const CLI::Option*) { return true; }))
      for (const auto& name : option->get_lnames())
        names.push_back("--" + name);
  } else {
    for (const auto* each : command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
      names.push_back(each->get_name());
  }
  const std::vector<std::string_view> known{names.begin(), names.end()};
  const auto shown = "'" + one_line(wrong) + "'";
  const auto problem = names.empty() ? "unexpected argument " + shown : shown + " is unknown";
  return "ringmaster: " + problem + config::suggestion(wrong, known) + "\nRun with --help for more information.\n";
}

void add_desk_options(CLI::App& command, client_options& options) {
  add_place_options(command, options);
  command.add_flag("--json", options.json, "Print JSON");
}

void add_page_options(CLI::App& command, std::optional<std::string>& cursor, std::size_t& limit) {
  command.add_option("--cursor", cursor, "Start of the page, as printed by the previous page")->type_name("NEXT");
  command.add_option("--limit", limit, "Maximum number of rows")->check(CLI::Range(1, 10000))->capture_default_str();
}

CLI::Validator id_check(std::string what) {
  return {[what = std::move(what)](std::string& text) { return is_id(text) ? "" : '"' + text + "\" is not a valid " + what; },
          ""};
}

int run_with_texts(const CLI::App& command, const std::function<int()>& run) {
  for (const CLI::Option* option : command.get_options())
    if (const auto& given = option->results(); !may_be_any_bytes(*option) && !std::all_of(given.begin(), given.end(), is_text))
      return complain({core::errc::invalid_argument, option->get_name() + ": invalid UTF-8"});
  return run();
}

CLI::App* add_family(CLI::App& under, const char* name, const char* help) {
  auto* family = under.add_subcommand(name, help);
  family->require_subcommand(0, 1);
  return family;
}

} // namespace ringmaster::apps
