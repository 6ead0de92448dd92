// `ringmaster names`: prints completions for a job, an elastic job, a group, a channel, a setting or a user.

#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/job_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/keys.hpp"

namespace ringmaster::apps {

namespace {

struct names_options : client_options {
  std::string kind;
};

/// Maximum number of names: longer lists do not help at a prompt.
constexpr std::size_t names_max = 2000;

/// Time limit in seconds. The user waits at a prompt, so after it nothing is offered.
constexpr unsigned patience_s = 3;

void end_at_once(int) { ::_exit(exit_failed); }

void print_lines(const std::vector<std::string>& names, bool json) {
  if (json)
    return print_json(names);
  for (const auto& name : names)
    std::printf("%s\n", one_line(name).c_str());
}

core::result<std::vector<std::string>> job_names(api_client& client) {
  const auto groups = group_names(client);
  if (!groups)
    return tl::unexpected{groups.error()};
  return ask_page(client, query_text{"/jobs"}, names_max).map([&](const api_document& page) {
    std::vector<std::string> names;
    for (const auto& job : items_in(page))
      names.push_back(text_in(job, "key").empty() ? std::to_string(number_in(job, "id").value_or(0)) : title_of(job, *groups));
    return names;
  });
}

core::result<std::vector<std::string>> members(api_client& client, const char* list, const char* member) {
  return ask_page(client, query_text{list}, names_max).map([&](const api_document& page) {
    std::vector<std::string> names;
    for (const auto& row : items_in(page))
      names.push_back(text_in(row, member));
    return names;
  });
}

core::result<std::vector<std::string>> elastic_names(api_client& client) {
  return ask_page(client, query_text{"/elastic/jobs"}, names_max).map([](const api_document& page) {
    std::vector<std::string> names;
    for (const auto& job : items_in(page)) {
      const auto name_space = text_in(job, "namespace");
      names.push_back((name_space.empty() ? "" : name_space + '/') + text_in(job, "name"));
    }
    return names;
  });
}

core::result<std::vector<std::string>> channel_names(const config_options& options) {
  return assemble(options).map([](const assembled& what) {
    std::vector<std::string> names{"mail"};
    for (const auto& webhook : what.settings.webhooks)
      names.push_back(webhook.name);
    return names;
  });
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const auto& each : config::all_settings())
    names.push_back(std::string{each.name} + '=');
  return names;
}

core::result<std::vector<std::string>> names_of(const names_options& options) {
  if (options.kind == "settings")
    return setting_names();
  if (options.kind == "channels")
    return channel_names(options.config);
  const auto client = make_api_client(options);
  if (!client)
    return tl::unexpected{client.error()};
  if (options.kind == "jobs")
    return job_names(**client);
  if (options.kind == "elastic-jobs")
    return elastic_names(**client);
  return options.kind == "groups" ? members(**client, "/groups", "app_name") : members(**client, "/users", "name");
}

int print_names(const names_options& options) {
  std::signal(SIGALRM, end_at_once);
  ::alarm(patience_s);
  const auto names = names_of(options);
  if (!names)
    return complain(names.error());
  print_lines(*names, options.json);
  return exit_done;
}

} // namespace

void add_names_command(CLI::App& app, std::function<int()>& chosen) {
  auto [command, options] =
    add_command<names_options>(app, "names", "Print names, one per line, for shell completion", chosen, print_names);
  // Hidden: only the completion scripts use this command.
  command->group("");
  command->add_option("KIND", options->kind, "Kind of names")
    ->required()
    ->check(CLI::IsMember({"jobs", "elastic-jobs", "groups", "channels", "settings", "users"}));
}

} // namespace ringmaster::apps
