#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/overview_messages.hpp"
#include "protocol/wire/v1/api_overviews.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace wire = protocol::wire;

void object_search(exchange ex) {
  auto search = read_query(ex, wire::api_object_search_of);
  if (!search)
    return;
  ex.ask<protocol::objects_found>(ex.services().partners.jobs, protocol::object_query{std::move(*search), ex.who()},
                                  [](const exchange& waiting, const protocol::objects_found& found) {
                                    tell_json(waiting, wire::api_found_objects(found.objects, found.names));
                                  });
}

void job_timeline(exchange ex) {
  const auto job = id_in_path<core::job_id>(ex);
  if (!job)
    return;
  const auto search = read_query(
    ex, [&](const wire::form& sent) { return wire::api_timeline_search_of(sent, *job, ex.services().now()); });
  if (!search)
    return;
  ex.ask<protocol::timeline_found>(ex.services().partners.jobs, protocol::timeline_query{*search, ex.who()},
                                   [search = *search](const exchange& waiting, const protocol::timeline_found& found) {
                                     tell_json(waiting, wire::api_timeline(found.timeline, search, found.names));
                                   });
}

} // namespace ringmaster::gateway::handlers::v1
