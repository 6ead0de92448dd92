#include "apps/desk_arguments.hpp"

#include <algorithm>
#include <charconv>

#include "apps/report.hpp"
#include "core/text.hpp"

namespace ringmaster::apps {

namespace {

/// CLI11 reads a larger number as the largest one.
bool is_id(const std::string& text) {
  std::int64_t id = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
  return problem == std::errc{} && rest == text.data() + text.size() && id > 0;
}

bool may_be_any_bytes(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type == "FILE" || type == "KEY=VALUE" || option.get_name(true) == "PATH";
}

bool is_text(const std::string& argument) { return core::valid_utf8(argument) == argument; }

} // namespace

void add_config_options(CLI::App& command, config_options& options) {
  command
    .add_option("--config", options.file, "Configuration file (else RINGMASTER_CONFIG, else /etc/ringmaster/ringmaster.toml)")
    ->type_name("FILE");
  command.add_option("--set", options.set, "One setting, e.g. --set server.listen=0.0.0.0:8080; may be repeated")
    ->type_name("KEY=VALUE")
    ->allow_extra_args(false);
}

void add_place_options(CLI::App& command, desk_options& options) {
  add_config_options(command, options.config);
  command.add_option("--server", options.server.url, "A running server (else RINGMASTER_SERVER, else the database itself)")
    ->type_name("URL")
    ->excludes("--config")
    ->excludes("--set");
  command
    .add_option("--token-file", options.server.token_file,
                "Holds the API key for the server (else RINGMASTER_TOKEN_FILE, else RINGMASTER_TOKEN)")
    ->type_name("FILE");
  command.add_option("--ca-file", options.server.ca_file, "Certificates to trust in place of the system's")->type_name("FILE");
  command.add_flag("--insecure-http", options.server.insecure_http, "Send the key in the clear to another machine");
}

void add_desk_options(CLI::App& command, desk_options& options) {
  add_place_options(command, options);
  command.add_flag("--json", options.json, "For machines");
}

void add_page_options(CLI::App& command, std::optional<std::string>& cursor, std::size_t& limit) {
  command.add_option("--cursor", cursor, "Begin where the page before ended: what it told")->type_name("NEXT");
  command.add_option("--limit", limit, "How many")->check(CLI::Range(1, 10000))->capture_default_str();
}

CLI::Validator id_check(std::string what) {
  return {[what = std::move(what)](std::string& text) { return is_id(text) ? "" : '"' + text + "\" is no " + what; }, ""};
}

int run_with_texts(const CLI::App& command, const std::function<int()>& run) {
  for (const CLI::Option* option : command.get_options())
    if (const auto& given = option->results(); !may_be_any_bytes(*option) && !std::all_of(given.begin(), given.end(), is_text))
      return complain({core::errc::invalid_argument, option->get_name() + ": it holds what is no UTF-8"});
  return run();
}

CLI::App* add_family(CLI::App& under, const char* name, const char* help) {
  auto* family = under.add_subcommand(name, help);
  family->require_subcommand(0, 1);
  return family;
}

} // namespace ringmaster::apps
