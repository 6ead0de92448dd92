#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/figure_messages.hpp"
#include "protocol/wire/v1/api_now.hpp"

namespace ringmaster::gateway::handlers::v1 {

void now_figures(exchange ex) {
  const auto& services = ex.services();
  if (services.live_figures.is_fresh(services.self->clock().now()))
    return ex.respond(services.live_figures.response_to(ex.request()));
  ex.ask<protocol::figures_told>(
    services.partners.figures, protocol::figures_query{}, [](const exchange& waiting, const protocol::figures_told& told) {
      const auto& kept_by = waiting.services();
      const auto now = kept_by.self->clock().now();
      // Requests that came meanwhile get the same figures: the first answer serves them all.
      if (!kept_by.live_figures.is_fresh(now)) {
        auto json = protocol::wire::api_now(*told.figures);
        const std::string identity{protocol::wire::timeless_part(json)};
        kept_by.live_figures.keep(std::move(json), identity, now);
      }
      waiting.respond(kept_by.live_figures.response_to(waiting.request()));
    });
}

} // namespace ringmaster::gateway::handlers::v1
