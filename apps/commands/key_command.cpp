// `ringmaster key …`: API keys of programs.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/job_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "apps/terminal/time_text.hpp"

namespace ringmaster::apps {

namespace {

struct key_add_options : client_options {
  /// Purpose of the key.
  std::string name;
  /// Owner; nullopt: the owner of the API key that the command uses.
  std::optional<std::string> user;
  /// Lifetime, e.g. `90d`; nullopt: never expires.
  std::optional<std::string> expires;
};

struct key_list_options : client_options {
  std::optional<std::string> user;
};

struct key_remove_options : client_options {
  std::int64_t key = 0;
};

core::result<std::int64_t> user_id(api_client& client, const std::string& name) {
  return find_user(client, name).map([](const api_document& user) { return number_in(user, "id").value_or(0); });
}

core::result<api_document> make_key(api_client& client, const key_add_options& options) {
  api_document body{{"name", options.name}};
  if (options.expires) {
    const auto span = parse_span(*options.expires);
    if (!span)
      return tl::unexpected{span.error()};
    body["expires_ms"] = core::to_ms(system_now() + *span);
  }
  if (options.user) {
    const auto user = user_id(client, *options.user);
    if (!user)
      return tl::unexpected{user.error()};
    body["user"] = *user;
  }
  return client.ask({"POST", "/keys", body});
}

int add_key(const key_add_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto made = make_key(**client, options);
  if (!made)
    return complain(made.error());
  const auto id = std::to_string(number_in(*made, "id").value_or(0));
  return tell_once(options.json ? json_line(*made) : one_line(text_in(*made, "key")) + '\n', "key " + id + " was created",
                   "remove it with `ringmaster key remove " + id + '`');
}

std::string keys_table(const api_document& keys, const core::zone& where) {
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "USER", "CREATED", "EXPIRES", "LAST USED"}};
  for (const auto& key : keys) {
    const auto user = one_line(text_in(key, "user_name"));
    rows.push_back({std::to_string(number_in(key, "id").value_or(0)), one_line(text_in(key, "name")),
                    user.empty() ? "(gone)" : user, instant_in(key, "created_ms", where),
                    instant_in(key, "expires_ms", where, "never"), instant_in(key, "used_ms", where, "never")});
  }
  return table_text(rows);
}

core::result<api_document> ask_keys(api_client& client, const key_list_options& options) {
  query_text all{"/keys"};
  if (options.user) {
    const auto user = user_id(client, *options.user);
    if (!user)
      return tl::unexpected{user.error()};
    all.add("user", std::to_string(*user));
  }
  return ask_all(client, all);
}

int list_keys(const key_list_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_keys(client, options); },
    [](api_client& client, const api_document& keys) { return keys_table(items_in(keys), client.zone()); });
}

int remove_key(const key_remove_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_to_remove(client, "/keys/", options.key); },
    [&](api_client&, const api_document&) { return "key " + std::to_string(options.key) + " removed\n"; });
}

struct key_rotate_options : key_remove_options {
  bool keep_old = false;
};

core::result<api_document> find_key(api_client& client, std::int64_t id) {
  const auto all = ask_all(client, query_text{"/keys"});
  if (!all)
    return tl::unexpected{all.error()};
  for (const auto& key : items_in(*all))
    if (number_in(key, "id") == id)
      return key;
  return core::fail(core::errc::not_found, "unknown key " + std::to_string(id));
}

/// Creates a key with the same name, owner and lifetime. Prints it before it removes the old one.
int rotate_key(const key_rotate_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto old = find_key(**client, options.key);
  if (!old)
    return complain(old.error());
  api_document body{{"name", text_in(*old, "name")}, {"user", number_in(*old, "user").value_or(0)}};
  const auto created = number_in(*old, "created_ms");
  const auto expires = number_in(*old, "expires_ms");
  if (created && expires)
    body["expires_ms"] = core::to_ms(system_now()) + (*expires - *created);
  const auto made = (*client)->ask({"POST", "/keys", body});
  if (!made)
    return complain(made.error());
  const auto id = std::to_string(number_in(*made, "id").value_or(0));
  const auto told = tell_once(options.json ? json_line(*made) : one_line(text_in(*made, "key")) + '\n',
                              "key " + id + " was created", "remove it with `ringmaster key remove " + id + '`');
  if (told != exit_done || options.keep_old)
    return told;
  const auto removed = ask_to_remove(**client, "/keys/", options.key);
  return removed ? exit_done : complain(removed.error());
}

} // namespace

void add_key_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* key = add_family(app, "key", "API keys of programs: add, list, rotate, remove");
  {
    auto [command, options] =
      add_command<key_add_options>(*key, "add", "Create a key and print it; it is shown only once", chosen, add_key);
    command->add_option("NAME", options->name, "Purpose of the key")->required();
    command
      ->add_option("--user", options->user, "Owner of the key. The key has the owner's permissions. Default with --server: you")
      ->type_name("USER");
    command->add_option("--expires", options->expires, "Lifetime, e.g. 90d. Default: never expires")->type_name("DURATION");
  }
  {
    auto [command, options] = add_command<key_list_options>(*key, "list", "List keys by id, without secrets", chosen, list_keys);
    command->add_option("--user", options->user, "Only keys of this user")->type_name("USER");
  }
  {
    auto [command, options] = add_command<key_rotate_options>(
      *key, "rotate", "Replace a key: print a new key with the same name, user and lifetime, then remove the old one", chosen,
      rotate_key);
    command->add_option("ID", options->key, "Key id, see `key list`")
      ->required()
      ->type_name("ID")
      ->check(id_check("id of a key"));
    command->add_flag("--keep-old", options->keep_old, "Keep the old key valid until `key remove`");
  }
  auto [command, options] =
    add_command<key_remove_options>(*key, "remove", "Remove a key: it stops working immediately", chosen, remove_key);
  command->add_option("ID", options->key, "Key id, see `key list`")->required()->type_name("ID")->check(id_check("id of a key"));
}

} // namespace ringmaster::apps
