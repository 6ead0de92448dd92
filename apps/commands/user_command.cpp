// `ringmaster user …`: users of the console and the API.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/commands/commands.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/access/principal.hpp"
#include "gateway/auth/secrets.hpp"

namespace ringmaster::apps {

namespace {

struct user_list_options : client_options {
  std::optional<std::string> cursor;
  std::size_t limit = 100;
};

struct user_options : client_options {
  std::string name;
};

struct user_add_options : client_options {
  std::string name;
  bool admin = false;
  /// `pay-worker=editor`
  std::vector<std::string> rights;
};

std::string rights_of(const api_document& user, const std::map<std::int64_t, std::string>& groups) {
  if (boolean_in(user, "admin"))
    return "all";
  std::string list;
  for (const auto& right : items_in(user, "rights")) {
    const auto id = number_in(right, "group").value_or(0);
    const auto group = groups.find(id);
    list.append(list.empty() ? "" : ", ")
      .append(one_line((group == groups.end() ? "group " + std::to_string(id) : group->second) + '=' + text_in(right, "right")));
  }
  return list.empty() ? "-" : list;
}

int list_users(const user_list_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_page(client, query_text{"/users"}, options.limit, options.cursor); },
    [](api_client& client, const api_document& page) {
      return group_names(client).map([&](const std::map<std::int64_t, std::string>& groups) {
        std::vector<std::vector<std::string>> rows{{"ID", "NAME", "PERMISSIONS"}};
        for (const auto& user : items_in(page))
          rows.push_back(
            {std::to_string(number_in(user, "id").value_or(0)), one_line(text_in(user, "name")), rights_of(user, groups)});
        return table_text(rows) + more_text(page);
      });
    });
}

/// `from`: the option that has the texts, for errors; empty for arguments.
core::result<api_document> rights_in(api_client& client, const std::vector<std::string>& texts, const std::string& from = {}) {
  auto rights = api_document::array();
  for (const auto& text : texts) {
    const auto sign = text.rfind('=');
    if (sign == std::string::npos || !core::find_group_right(std::string_view{text}.substr(sign + 1)))
      return core::fail(core::errc::invalid_argument, from + '"' + one_line(text) +
                                                        "\" is not a permission; expected GROUP=viewer, "
                                                        "GROUP=operator or GROUP=editor");
    const auto group = find_group(client, text.substr(0, sign));
    if (!group)
      return tl::unexpected{group.error()};
    rights.push_back({{"group", *group}, {"right", text.substr(sign + 1)}});
  }
  return rights;
}

std::string other_password(const std::string& name) {
  return "set another one with `ringmaster user reset-password " + one_line(name) + '`';
}

/// Creates the user with a random password and shows it once.
int add_user(const user_add_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  auto rights = rights_in(**client, options.rights, "--right: ");
  if (!rights)
    return complain(rights.error());
  const auto password = gateway::random_password();
  if (!password)
    return complain(password.error());
  const api_document body{
    {"name", options.name}, {"password", *password}, {"admin", options.admin}, {"rights", std::move(*rights)}};
  const auto made = (*client)->ask({"POST", "/users", body});
  if (!made)
    return complain(made.error());
  const api_document shown{{"id", number_in(*made, "id").value_or(0)}, {"user", options.name}, {"password", *password}};
  return tell_once(options.json ? json_line(shown) : "password: " + *password + '\n',
                   "user " + one_line(options.name) + " was created with a password", other_password(options.name));
}

int remove_user(const user_options& options) {
  std::string name;
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_user(client, options.name).and_then([&](const api_document& user) {
        name = text_in(user, "name");
        return ask_to_remove(client, "/users/", number_in(user, "id").value_or(0));
      });
    },
    [&](api_client&, const api_document&) { return "user " + one_line(name) + " removed\n"; });
}

int reset_user_password(const user_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto user = find_user(**client, options.name);
  if (!user)
    return complain(user.error());
  const auto password = gateway::random_password();
  if (!password)
    return complain(password.error());
  // A PUT replaces all permissions, so it must not undo a concurrent edit.
  const auto place = "/users/" + std::to_string(number_in(*user, "id").value_or(0));
  const auto now = (*client)->ask_tagged({"GET", place});
  if (!now)
    return complain(now.error());
  const api_document body{{"password", *password}, {"admin", boolean_in(now->document, "admin")}};
  const auto done = (*client)->ask({"PUT", place, body, "application/json", now->etag});
  if (!done)
    return complain(done.error());
  const api_document shown{{"user", options.name}, {"password", *password}};
  return tell_once(options.json ? json_line(shown) : "password: " + *password + '\n',
                   "the password of " + one_line(options.name) + " was changed", other_password(options.name));
}

struct user_rights_options : user_options {
  /// `pay-worker=editor`; to revoke: only the group.
  std::vector<std::string> rights;
};

struct user_edit_options : user_options {
  bool admin = false;
  bool no_admin = false;
};

/// Reads the user, lets `change` edit the permissions, and writes them. Fails if another edit came in between.
template <class Change>
core::result<api_document> change_user(api_client& client, const std::string& name, Change change) {
  const auto user = find_user(client, name);
  if (!user)
    return tl::unexpected{user.error()};
  const auto place = "/users/" + std::to_string(number_in(*user, "id").value_or(0));
  const auto now = client.ask_tagged({"GET", place});
  if (!now)
    return tl::unexpected{now.error()};
  api_document body{{"admin", boolean_in(now->document, "admin")}, {"rights", items_in(now->document, "rights")}};
  if (auto changed = change(body); !changed)
    return tl::unexpected{changed.error()};
  if (auto done = client.ask({"PUT", place, body, "application/json", now->etag}); !done)
    return done;
  return client.ask({"GET", place});
}

int tell_rights(const user_options& options, const api_query& ask) {
  return ask_and_tell(options, ask, [](api_client& client, const api_document& user) {
    return group_names(client).map([&](const std::map<std::int64_t, std::string>& groups) {
      return one_line(text_in(user, "name")) + ": " + rights_of(user, groups) + '\n';
    });
  });
}

void drop_right(api_document& rights, std::int64_t group) {
  auto kept = api_document::array();
  for (const auto& each : rights)
    if (number_in(each, "group") != group)
      kept.push_back(each);
  rights = std::move(kept);
}

int grant_rights(const user_rights_options& options) {
  return tell_rights(options, [&](api_client& client) {
    return change_user(client, options.name, [&](api_document& body) -> core::result<void> {
      const auto granted = rights_in(client, options.rights);
      if (!granted)
        return tl::unexpected{granted.error()};
      for (const auto& right : *granted) {
        drop_right(body["rights"], number_in(right, "group").value_or(0));
        body["rights"].push_back(right);
      }
      return {};
    });
  });
}

int revoke_rights(const user_rights_options& options) {
  return tell_rights(options, [&](api_client& client) {
    return change_user(client, options.name, [&](api_document& body) -> core::result<void> {
      for (const auto& name : options.rights) {
        const auto group = find_group(client, name);
        if (!group)
          return tl::unexpected{group.error()};
        drop_right(body["rights"], *group);
      }
      return {};
    });
  });
}

int edit_user(const user_edit_options& options) {
  if (options.admin == options.no_admin)
    return complain({core::errc::invalid_argument, "nothing to change: give --admin or --no-admin"});
  return tell_rights(options, [&](api_client& client) {
    return change_user(client, options.name, [&](api_document& body) -> core::result<void> {
      body["admin"] = options.admin;
      return {};
    });
  });
}

void add_rights_commands(CLI::App& user, std::function<int()>& chosen) {
  {
    auto [command, options] =
      add_command<user_rights_options>(user, "grant", "Set a user's permissions in the given groups", chosen, grant_rights);
    command->add_option("NAME", options->name, "The user's name")->required();
    command->add_option("RIGHT", options->rights, "Permission in a group: viewer, operator or editor")
      ->required()
      ->type_name("GROUP=RIGHT");
  }
  {
    auto [command, options] =
      add_command<user_rights_options>(user, "revoke", "Revoke a user's permissions in groups", chosen, revoke_rights);
    command->add_option("NAME", options->name, "The user's name")->required();
    command->add_option("GROUP", options->rights, "App names or ids of the groups")->required();
  }
  auto [command, options] =
    add_command<user_edit_options>(user, "edit", "Grant or revoke administrator permissions", chosen, edit_user);
  command->add_option("NAME", options->name, "The user's name")->required();
  auto* admin = command->add_flag("--admin", options->admin, "All permissions");
  command->add_flag("--no-admin", options->no_admin, "Only the permissions in groups")->excludes(admin);
}

} // namespace

void add_user_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* user = add_family(app, "user", "Users: list, add, grant, revoke, edit, remove, reset-password");
  {
    auto [command, options] =
      add_command<user_list_options>(*user, "list", "List users and their permissions", chosen, list_users);
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] =
      add_command<user_add_options>(*user, "add", "Add a user with a random password and print the password", chosen, add_user);
    command->add_option("NAME", options->name, "4 to 20 characters")->required();
    auto* admin = command->add_flag("--admin", options->admin, "All permissions");
    command->add_option("--right", options->rights, "Permission in a group: viewer, operator or editor; may be repeated")
      ->type_name("GROUP=RIGHT")
      ->allow_extra_args(false)
      ->excludes(admin);
  }
  {
    auto [command, options] =
      add_command<user_options>(*user, "remove", "Remove a user with their sessions and keys", chosen, remove_user);
    command->add_option("NAME", options->name, "The user's name")->required();
  }
  add_rights_commands(*user, chosen);
  auto [command, options] = add_command<user_options>(
    *user, "reset-password", "Set a new random password, print it, and end the user's sessions", chosen, reset_user_password);
  command->add_option("NAME", options->name, "The user's name")->required();
}

} // namespace ringmaster::apps
