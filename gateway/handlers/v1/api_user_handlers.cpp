#include "gateway/handlers/v1/handlers.hpp"

#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_users.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

protocol::save_user request_of(std::optional<core::user_id> id, wire::api_user&& user, const core::principal& by) {
  return {id, std::move(user.name), std::move(user.password), user.admin, std::move(user.rights), by};
}

/// Calls `ask(exchange, seen)` if the user matches the wanted ETag.
template <class Ask>
void when_as_wanted(const exchange& ex, core::user_id user, wanted_tag wanted, Ask ask) {
  ex.ask<protocol::user_found>(ex.services().partners.users, protocol::user_by_id{user, ex.who()},
                               [=](const exchange& waiting, const protocol::user_found& found) {
                                 if (auto seen = seen_as_wanted(waiting, wanted, found.user, "the user"))
                                   ask(waiting, std::move(*seen));
                               });
}

} // namespace

void user_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_user_search_of);
  if (!query)
    return;
  ex.ask<protocol::user_page>(ex.services().partners.users, protocol::user_query{std::move(query->first), ex.who()},
                              [from = query->second](const exchange& waiting, const protocol::user_page& reply) {
                                const auto& [rows, total, capped] = reply.page;
                                tell_json(waiting, wire::api_page(wire::api_users(rows), next_position(from, rows.size(), total),
                                                                  total, capped));
                              });
}

void user_add(exchange ex) {
  auto user = read_json(ex, [](std::string_view body) { return wire::parse_api_user(body, wire::user_use::add); });
  if (!user)
    return;
  ex.ask<protocol::saved_user>(ex.services().partners.users, request_of(std::nullopt, std::move(*user), ex.who()),
                               [](const exchange& waiting, const protocol::saved_user& saved) {
                                 tell_made(waiting, "/api/v1/users", core::number(saved.id));
                               });
}

void user_read(exchange ex) {
  const auto id = id_in_path<core::user_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::user_found>(ex.services().partners.users, protocol::user_by_id{*id, ex.who()},
                               [](const exchange& waiting, const protocol::user_found& found) {
                                 tell_tagged(waiting, wire::api_user_row(found.user), found.user);
                               });
}

void user_replace(exchange ex) {
  const auto id = id_in_path<core::user_id>(ex);
  auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  auto user = read_json(ex, [](std::string_view body) { return wire::parse_api_user(body, wire::user_use::update); });
  if (!user)
    return;
  auto request = request_of(*id, std::move(*user), ex.who());
  when_as_wanted(ex, *id, std::move(*wanted), [request = std::move(request)](const exchange& waiting, std::string seen) {
    auto asked = request;
    asked.seen = std::move(seen);
    waiting.ask<protocol::saved_user>(waiting.services().partners.users, std::move(asked),
                                      [](const exchange& saved, const protocol::saved_user&) { tell_nothing(saved); });
  });
}

void user_remove(exchange ex) {
  const auto id = id_in_path<core::user_id>(ex);
  auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  const auto remove = [id = *id](const exchange& waiting, std::string seen) {
    waiting.ask<void>(waiting.services().partners.users, protocol::remove_user{id, waiting.who(), std::move(seen)},
                      tell_nothing);
  };
  if (!wanted->tag)
    return remove(ex, {});
  when_as_wanted(ex, *id, std::move(*wanted), remove);
}

void password_change(exchange ex) {
  auto sent = read_json(ex, wire::parse_api_passwords);
  if (!sent)
    return;
  ex.ask<void>(ex.services().partners.users,
               protocol::change_password{std::move(sent->old_one), std::move(sent->new_one), ex.who()}, tell_nothing);
}

void key_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_key_search_of);
  if (!query)
    return;
  ex.ask<protocol::key_list>(ex.services().partners.users, protocol::key_query{std::move(query->first), ex.who()},
                             [limit = query->second.limit](const exchange& waiting, const protocol::key_list& list) {
                               const auto& rows = list.rows;
                               const bool is_full = rows.size() >= limit;
                               const auto next = is_full ? std::optional{core::number(rows.back().id)} : std::nullopt;
                               tell_json(waiting, wire::api_page(wire::api_keys(rows), next, std::nullopt));
                             });
}

void key_add(exchange ex) {
  auto wanted = read_json(ex, wire::parse_api_key);
  if (!wanted)
    return;
  ex.ask<protocol::added_key>(ex.services().partners.users,
                              protocol::add_key{std::move(wanted->name), wanted->user, wanted->expires, ex.who()},
                              [](const exchange& waiting, const protocol::added_key& made) {
                                tell_json(waiting, wire::api_new_key(made.id, made.key), 201);
                              });
}

void key_remove(exchange ex) {
  const auto id = id_in_path<core::api_key_id>(ex);
  if (!id)
    return;
  ex.ask<void>(ex.services().partners.users, protocol::remove_key{*id, ex.who()}, tell_nothing);
}

} // namespace ringmaster::gateway::handlers::v1
