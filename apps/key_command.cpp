// `ringmaster key …`: the store of the configuration, opened by the command itself.

#include <cstdio>

#include "apps/job_text.hpp"
#include "apps/key_commands.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"
#include "apps/table_text.hpp"
#include "apps/time_text.hpp"
#include "gateway/secrets.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::size_t keys_at_once = 500;

core::result<core::user_id> find_user(storage::store& store, const std::string& name) {
  return store.users().find(name).map([](const core::user_secret& user) { return user.card.id; });
}

struct made_key {
  core::api_key_id id{};
  std::string text;
};

core::result<made_key> make_key(storage::store& store, const key_add_options& options) {
  const auto now = system_now();
  core::api_key_draft draft;
  draft.name = options.name;
  if (options.expires) {
    const auto span = parse_span(*options.expires);
    if (!span)
      return tl::unexpected{span.error()};
    draft.expires = now + *span;
  }
  const auto user = find_user(store, options.user);
  if (!user)
    return tl::unexpected{user.error()};
  draft.user = *user;
  const auto token = gateway::random_token();
  if (!token)
    return tl::unexpected{token.error()};
  auto text = std::string{core::api_key_prefix} + *token;
  draft.digest = gateway::sha256_hex(text);
  return store.api_keys().add(draft, core::local_operator(), now).map([&](core::api_key_id id) {
    return made_key{id, std::move(text)};
  });
}

core::result<std::vector<core::api_key>> find_keys(storage::store& store, const std::optional<std::string>& user_name) {
  core::api_key_search search;
  search.limit = keys_at_once;
  if (user_name) {
    const auto user = find_user(store, *user_name);
    if (!user)
      return tl::unexpected{user.error()};
    search.user = *user;
  }
  std::vector<core::api_key> keys;
  for (;;) {
    auto some = store.api_keys().list(search, core::local_operator());
    if (!some)
      return some;
    if (some->empty())
      return keys;
    search.after = some->back().id;
    keys.insert(keys.end(), some->begin(), some->end());
  }
}

nlohmann::json to_json(const core::api_key& key) {
  return {{"id", core::number(key.id)},
          {"name", key.name},
          {"user", core::number(key.user)},
          {"user_name", key.user_name},
          {"created_ms", core::to_ms(key.created)},
          {"expires_ms", ms_or_null(key.expires)},
          {"used_ms", ms_or_null(key.used)}};
}

std::string keys_table(const std::vector<core::api_key>& keys, const core::zone& where) {
  const auto text = [&where](const std::optional<core::time_point>& t) {
    return t ? local_text(*t, where) : std::string{"never"};
  };
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "USER", "CREATED", "EXPIRES", "LAST USED"}};
  for (const auto& key : keys)
    rows.push_back({std::to_string(core::number(key.id)), one_line(key.name),
                    key.user_name.empty() ? "(gone)" : one_line(key.user_name), local_text(key.created, where), text(key.expires),
                    text(key.used)});
  return table_text(rows);
}

} // namespace

int key_add(const key_add_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const auto made = make_key(*opened->store, options);
  if (!made)
    return complain(made.error());
  if (options.json)
    std::fputs(dumped({{"id", core::number(made->id)}, {"key", made->text}}).c_str(), stdout);
  else
    std::printf("%s\n", made->text.c_str());
  return exit_done;
}

int key_list(const key_list_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const auto keys = find_keys(*opened->store, options.user);
  if (!keys)
    return complain(keys.error());
  if (!options.json) {
    std::fputs(keys_table(*keys, opened->what.schedule_zone).c_str(), stdout);
    return exit_done;
  }
  auto list = nlohmann::json::array();
  for (const auto& key : *keys)
    list.push_back(to_json(key));
  std::fputs(dumped({{"keys", list}}).c_str(), stdout);
  return exit_done;
}

int key_remove(const key_remove_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const core::api_key_id id{options.key};
  if (auto done = opened->store->api_keys().remove(id, core::local_operator(), system_now()); !done)
    return complain(done.error());
  if (options.json)
    std::fputs(dumped({{"id", options.key}, {"done", "removed"}}).c_str(), stdout);
  else
    std::printf("key %lld removed\n", static_cast<long long>(options.key));
  return exit_done;
}

} // namespace ringmaster::apps
