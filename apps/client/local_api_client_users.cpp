// local_api_client: runs, users and keys.

#include <array>
#include <utility>

#include "apps/client/local_api_client.hpp"
#include "core/access/user_rules.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/text/text.hpp"
#include "gateway/auth/secrets.hpp"
#include "protocol/wire/v1/api_runs.hpp"
#include "protocol/wire/v1/api_users.hpp"

namespace ringmaster::apps {

namespace {

namespace wire = protocol::wire;
using core::local_operator;
using core::result;

/// Highest total that is counted exactly, as on servers.
constexpr std::size_t counted_max = 10'000;
constexpr std::size_t clear_chunk = 500;

// -- runs ------------------------------------------------------------------------------------------------------------------

result<api_document> run_page(const store_question& asked) {
  auto query = list_query(asked, wire::api_run_search_of);
  if (!query)
    return tl::unexpected{query.error()};
  auto& runs = asked.store.run_reading();
  query->first.as_of = system_now();
  query->first.only_complete = true; // as on servers
  auto page = runs.page(query->first, counted_max, local_operator());
  if (!page)
    return tl::unexpected{page.error()};
  return runs.names(page->rows, local_operator()).map([&](const core::run_names& names) {
    const auto limit = query->first.ids.empty() ? query->second.limit : wire::api_run_ids_max + 1;
    return parsed(wire::api_run_page(std::move(*page), names, limit, !query->first.before));
  });
}

result<api_document> run_read(const store_question& asked) {
  auto& runs = asked.store.run_reading();
  return runs.read(core::log_id{asked.id}, core::group_right::viewer, local_operator()).and_then([&](const core::log_row& run) {
    return runs.names({run}, local_operator()).map([&](const core::run_names& names) {
      return parsed(wire::api_run(run, names));
    });
  });
}

/// Removes in chunks, so that no lock is held for long.
result<api_document> runs_clear(const store_question& asked) {
  const auto search = wire::parse_api_clear(asked.body);
  if (!search)
    return tl::unexpected{search.error()};
  std::size_t removed = 0;
  std::optional<core::clear_place> place;
  do {
    const auto step = asked.store.run_reading().clear(*search, place, clear_chunk, local_operator(), system_now());
    if (!step)
      return core::fail(step.error().code,
                        step.error().context + "; " + std::to_string(removed) + " runs were removed before this error");
    removed += step->removed;
    place = step->next;
  } while (place);
  return api_document{{"removed", removed}};
}

// -- users -----------------------------------------------------------------------------------------------------------------

core::user_id user_of(const store_question& asked) { return core::user_id{static_cast<std::int32_t>(asked.id)}; }

result<api_document> user_page(const store_question& asked) {
  const auto query = list_query(asked, wire::api_user_search_of);
  if (!query)
    return tl::unexpected{query.error()};
  const auto page = asked.store.users().page(query->first);
  if (!page)
    return tl::unexpected{page.error()};
  std::vector<core::user_id> users;
  for (const auto& each : page->rows)
    users.push_back(each.id);
  const auto& security = asked.settings.security;
  return asked.store.users()
    .activity(users, security.session_max_age, system_now())
    .map([&](std::vector<core::user_activity>&& activity) {
      for (auto& each : activity)
        each.known_password = each.known_password && !security.allow_known_passwords;
      const auto end = query->second.place + static_cast<std::int64_t>(page->rows.size());
      const auto next = !page->rows.empty() && end < page->total ? std::optional{end} : std::nullopt;
      return parsed(wire::api_page(wire::api_users(page->rows, activity), next, page->total, page->total_is_capped));
    });
}

result<api_document> user_read(const store_question& asked) {
  return asked.store.users().read(user_of(asked)).map([&](const core::user_secret& user) {
    asked.tag = core::edit_tag(user.card);
    return parsed(wire::api_user_row(user.card));
  });
}

/// Converts the request to a draft, with the hash of its password if there is one.
result<core::user_draft> draft_of(storage::store& store, const wire::api_user& user) {
  core::user_draft draft{std::string{core::trimmed(user.name)}, std::nullopt, user.admin, user.rights};
  if (core::is_blank(user.password))
    return draft;
  const auto form = store.users().password_form();
  if (!form)
    return tl::unexpected{form.error()};
  if (auto sound = core::check_password(user.password, *form); !sound)
    return tl::unexpected{sound.error()};
  return gateway::stored_password(user.password, *form).map([&](std::string&& hash) {
    draft.password_hash = std::move(hash);
    return std::move(draft);
  });
}

result<api_document> user_add(const store_question& asked) {
  const auto user = wire::parse_api_user(asked.body, wire::user_use::add);
  if (!user)
    return tl::unexpected{user.error()};
  if (auto sound = core::check_user_name(user->name); !sound)
    return tl::unexpected{sound.error()};
  if (auto sound = core::check_password(user->password); !sound)
    return tl::unexpected{sound.error()};
  return draft_of(asked.store, *user)
    .and_then([&](const core::user_draft& draft) { return asked.store.users().add(draft, local_operator(), system_now()); })
    .map([](core::user_id id) { return api_document{{"id", core::number(id)}}; });
}

result<api_document> user_replace(const store_question& asked) {
  return wire::parse_api_user(asked.body, wire::user_use::update)
    .and_then([&](const wire::api_user& user) { return draft_of(asked.store, user); })
    .and_then([&](const core::user_draft& draft) {
      return asked.store.users().update(user_of(asked), draft, asked.seen, local_operator(), system_now());
    })
    .map([] { return api_document{}; });
}

result<api_document> user_remove(const store_question& asked) {
  return asked.store.users().remove(user_of(asked), asked.seen, local_operator(), system_now()).map([] {
    return api_document{};
  });
}

// -- keys ------------------------------------------------------------------------------------------------------------------

result<api_document> key_page(const store_question& asked) {
  const auto query = list_query(asked, wire::api_key_search_of);
  if (!query)
    return tl::unexpected{query.error()};
  return asked.store.api_keys().list(query->first, local_operator()).map([&](const std::vector<core::api_key>& keys) {
    const bool is_full = keys.size() >= query->second.limit;
    const auto next = is_full ? std::optional{core::number(keys.back().id)} : std::nullopt;
    return parsed(wire::api_page(wire::api_keys(keys), next, std::nullopt));
  });
}

result<api_document> key_add(const store_question& asked) {
  const auto wanted = wire::parse_api_key(asked.body);
  if (!wanted)
    return tl::unexpected{wanted.error()};
  if (!wanted->user)
    return core::fail(core::errc::invalid_argument, "--user is required without --server");
  const auto token = gateway::random_token();
  if (!token)
    return tl::unexpected{token.error()};
  const auto key = std::string{core::api_key_prefix} + *token;
  const core::api_key_draft draft{wanted->name, gateway::sha256_hex(key), *wanted->user, wanted->expires};
  return asked.store.api_keys().add(draft, local_operator(), system_now()).map([&](core::api_key_id id) {
    return parsed(wire::api_new_key(id, key));
  });
}

result<api_document> key_remove(const store_question& asked) {
  return asked.store.api_keys().remove(core::api_key_id{asked.id}, local_operator(), system_now()).map([] {
    return api_document{};
  });
}

constexpr std::array runs = std::to_array<store_route>({
  {"GET", "/runs", run_page},
  {"GET", "/runs/{id}", run_read},
  {"POST", "/runs/clear", runs_clear},
});

constexpr std::array people = std::to_array<store_route>({
  {"GET", "/users", user_page},
  {"POST", "/users", user_add},
  {"GET", "/users/{id}", user_read},
  {"PUT", "/users/{id}", user_replace},
  {"DELETE", "/users/{id}", user_remove},
  {"GET", "/keys", key_page},
  {"POST", "/keys", key_add},
  {"DELETE", "/keys/{id}", key_remove},
});

} // namespace

std::span<const store_route> run_routes() noexcept { return runs; }
std::span<const store_route> people_routes() noexcept { return people; }

} // namespace ringmaster::apps
