// The audit log, and the changes of one job or group.

#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/wire/v1/api_users.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

/// Asks for changes and answers them as a page of `limit` rows at most.
template <class Query>
void tell_changes(const exchange& ex, Query query, std::size_t limit) {
  ex.ask<protocol::audit_list>(ex.services().partners.users, std::move(query),
                               [limit](const exchange& waiting, const protocol::audit_list& list) {
                                 const auto& rows = list.rows;
                                 const auto next = rows.size() >= limit ? std::optional{rows.back().id} : std::nullopt;
                                 tell_json(waiting, wire::api_page(wire::api_audit(rows), next, std::nullopt));
                               });
}

/// Answers a page of the changes of the object at `{id}`.
template <class Id>
void tell_history(const exchange& ex) {
  const auto id = id_in_path<Id>(ex);
  if (!id)
    return;
  const auto window = read_list_query(ex, [](const wire::form&, const wire::api_cursor& from) {
    return core::result<core::audit_search>{wire::api_changes_window_of(from)};
  });
  if (window)
    tell_changes(ex, protocol::changes_query{*id, window->first, ex.who()}, window->second.limit);
}

} // namespace

void audit_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_audit_search_of);
  if (query)
    tell_changes(ex, protocol::audit_query{std::move(query->first), ex.who()}, query->second.limit);
}

void job_changes(exchange ex) { tell_history<core::job_id>(ex); }

void group_changes(exchange ex) { tell_history<core::group_id>(ex); }

} // namespace ringmaster::gateway::handlers::v1
