#include "gateway/handlers/v1/api_access_handlers.hpp"

#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_keys.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace wire = protocol::wire;

void session_show(exchange ex) {
  const auto& entry = ex.entrance();
  tell_json(ex, wire::api_session(entry.who, entry.must_change_password, entry.csrf_token));
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
