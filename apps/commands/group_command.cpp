// `ringmaster group …`: executor groups.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/job_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/text/diagnostics.hpp"
#include "gateway/auth/secrets.hpp"

namespace ringmaster::apps {

namespace {

struct group_list_options : client_options {
  std::optional<std::string> cursor;
  std::size_t limit = 100;
  /// Lists the refused executors instead of the groups.
  bool unknown = false;
};

struct group_options : client_options {
  /// App name or id.
  std::string group;
};

struct group_add_options : client_options {
  std::string app_name;
  /// Empty: the app name.
  std::string title;
  /// Addresses of executors that do not register; empty: executors register themselves.
  std::vector<std::string> addresses;
};

std::string addresses_of(const api_document& group) {
  std::string list;
  for (const auto& address : items_in(group, "addresses"))
    if (address.is_string())
      list.append(list.empty() ? "" : ",").append(one_line(address.get<std::string>()));
  return list.empty() ? "-" : list;
}

/// Returns why an executor was refused: `no group has this app name; did you mean 'pay-worker'?`
std::string refusal_text(const api_document& refused, const std::vector<std::string>& apps) {
  const auto reason = text_in(refused, "reason");
  if (reason == "outside_networks")
    return "the address is outside security.executor_networks";
  if (reason != "unknown_app")
    return "wrong access token";
  const std::vector<std::string_view> known{apps.begin(), apps.end()};
  return "no group has this app name" + config::suggestion(text_in(refused, "app_name"), known);
}

core::result<api_document> ask_refused(api_client& client) {
  auto refused = client.ask({"GET", "/executors/refused"});
  const auto groups = ask_all(client, query_text{"/groups"});
  if (!refused || !groups)
    return tl::unexpected{refused ? groups.error() : refused.error()};
  std::vector<std::string> apps;
  for (const auto& group : items_in(*groups))
    apps.push_back(text_in(group, "app_name"));
  for (auto& each : (*refused)["items"])
    each["why"] = refusal_text(each, apps);
  return refused;
}

/// Lists the executors that a server refused. Needs a server: the store does not record them.
int list_refused(const group_list_options& options) {
  const auto client = open_server(options);
  if (!client)
    return complain(client.error());
  const auto refused = ask_refused(**client);
  if (!refused)
    return complain(refused.error());
  if (options.json) {
    print_json(*refused);
    return exit_done;
  }
  std::vector<std::vector<std::string>> rows{
    {"APP NAME", "ADDRESS", "FROM", "TIMES", "LAST (" + (*client)->zone().name() + ")", "WHY"}};
  for (const auto& each : items_in(*refused)) {
    const auto shown = [&](const char* name) {
      const auto text = one_line(text_in(each, name));
      return text.empty() ? std::string{"-"} : text;
    };
    rows.push_back({shown("app_name"), shown("address"), shown("remote"), std::to_string(number_in(each, "times").value_or(0)),
                    instant_in(each, "last_ms", (*client)->zone()), shown("why")});
  }
  std::fputs(table_text(rows).c_str(), stdout);
  return exit_done;
}

int list_groups(const group_list_options& options) {
  if (options.unknown)
    return list_refused(options);
  return ask_and_tell(
    options, [&](api_client& client) { return ask_page(client, query_text{"/groups"}, options.limit, options.cursor); },
    [](api_client&, const api_document& page) {
      std::vector<std::vector<std::string>> rows{{"ID", "APP NAME", "TITLE", "ADDRESS TYPE", "EXECUTORS"}};
      for (const auto& group : items_in(page))
        rows.push_back({std::to_string(number_in(group, "id").value_or(0)), one_line(text_in(group, "app_name")),
                        one_line(text_in(group, "title")), one_line(text_in(group, "address_type")),
                        std::to_string(items_in(group, "addresses").size())});
      return table_text(rows) + more_text(page);
    });
}

std::string describe_group(const api_document& group, const core::zone& where) {
  const auto source = one_line(text_in(group, "source"));
  return fields_text({{"id", std::to_string(number_in(group, "id").value_or(0))},
                      {"app name", one_line(text_in(group, "app_name"))},
                      {"title", one_line(text_in(group, "title"))},
                      {"address type", one_line(text_in(group, "address_type"))},
                      {"addresses", addresses_of(group)},
                      {"source", source.empty() ? "-" : source},
                      {"changed", instant_in(group, "updated_ms", where)}});
}

int show_group(const group_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_group(client, options.group).and_then([&](std::int64_t id) {
        return client.ask({"GET", "/groups/" + std::to_string(id)});
      });
    },
    [](api_client& client, const api_document& group) { return describe_group(group, client.zone()); });
}

int add_group(const group_add_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  api_document body{{"app_name", options.app_name}, {"title", options.title.empty() ? options.app_name : options.title}};
  if (!options.addresses.empty()) {
    body["address_type"] = "manual";
    body["addresses"] = options.addresses;
  }
  const auto made = (*client)->ask({"POST", "/groups", body});
  if (!made)
    return complain(made.error());
  if (options.json)
    print_json(*made);
  else
    std::printf("group %lld added\n", static_cast<long long>(number_in(*made, "id").value_or(0)));
  return exit_done;
}

int remove_group(const group_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_group(client, options.group).and_then([&](std::int64_t id) { return ask_to_remove(client, "/groups/", id); });
    },
    [&](api_client&, const api_document&) { return "group " + one_line(options.group) + " removed\n"; });
}

/// Creates a token and shows it once. Works on declared groups too, because declared files contain no tokens.
int rotate_token(const group_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto id = find_group(**client, options.group);
  if (!id)
    return complain(id.error());
  const auto place = "/groups/" + std::to_string(*id);
  const auto now = (*client)->ask_tagged({"GET", place});
  if (!now)
    return complain(now.error());
  const auto token = gateway::random_token();
  if (!token)
    return complain(token.error());
  const auto& group = now->document;
  api_document body{{"app_name", text_in(group, "app_name")},
                    {"title", text_in(group, "title")},
                    {"address_type", text_in(group, "address_type")},
                    {"access_token", *token}};
  if (text_in(group, "address_type") == "manual")
    body["addresses"] = items_in(group, "addresses");
  const auto done = (*client)->ask({"PUT", place, body, "application/json", now->etag});
  if (!done)
    return complain(done.error());
  const auto name = one_line(text_in(group, "app_name"));
  const api_document shown{{"id", *id}, {"app_name", name}, {"access_token", *token}};
  return tell_once(options.json ? json_line(shown) : "access token: " + *token + '\n',
                   "the access token of group " + name + " was replaced",
                   "replace it again with `ringmaster group rotate-token " + name + '`');
}

} // namespace

void add_group_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* group = add_family(app, "group", "Executor groups: list, show, add, rotate-token, remove");
  {
    auto [command, options] = add_command<group_list_options>(*group, "list", "List groups by app name", chosen, list_groups);
    command->add_flag("--unknown", options->unknown, "List refused executors and the reasons; needs a server");
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] = add_command<group_options>(*group, "show", "Show a group and its executors", chosen, show_group);
    command->add_option("GROUP", options->group, "App name or id of the group")->required();
  }
  {
    auto [command, options] = add_command<group_add_options>(*group, "add", "Add a group", chosen, add_group);
    command->add_option("APP", options->app_name, "App name with which its executors register")->required();
    command->add_option("--title", options->title, "Display name; default the app name")->type_name("TEXT");
    command->add_option("--address", options->addresses, "Address of an executor that does not register; may be repeated")
      ->type_name("URL")
      ->allow_extra_args(false);
  }
  {
    auto [command, options] = add_command<group_options>(
      *group, "rotate-token", "Replace the group's access token and print it; the old one stays valid for 24 hours", chosen,
      rotate_token);
    command->add_option("GROUP", options->group, "App name or id of the group")->required();
  }
  auto [command, options] = add_command<group_options>(*group, "remove", "Remove a group without jobs", chosen, remove_group);
  command->add_option("GROUP", options->group, "App name or id of the group")->required();
}

} // namespace ringmaster::apps
