#include "gateway/handlers/xxl/handlers.hpp"

#include <string>
#include <utility>

#include <caf/telemetry/collector/prometheus.hpp>

#include "gateway/exchange/guessing.hpp"
#include "gateway/exchange/http_metrics.hpp"
#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::gateway::handlers {

namespace {

void respond_readiness(const exchange& ex, const protocol::node_status& status) {
  protocol::http_response response;
  response.status = status.ready ? 200 : 503;
  response.headers = {{"Cache-Control", "no-store"}};
  response.body = status.ready ? R"({"ready":true)" : R"({"ready":false)";
  if (is_operator(ex)) {
    response.body.append(R"(,"reasons":[)");
    for (const auto& reason : status.reasons) {
      if (response.body.back() != '[')
        response.body.push_back(',');
      protocol::wire::append_json(response.body, reason);
    }
    response.body.push_back(']');
  }
  response.body.push_back('}');
  ex.respond(std::move(response));
}

} // namespace

// Spring's form, which probes of XXL-JOB installations expect. /readyz gives the reason why a node is not ready.
void actuator_health(exchange ex) {
  const auto tell = [](const exchange& waiting, bool up) {
    protocol::http_response response;
    response.status = up ? 200 : 503;
    response.headers = {{"Cache-Control", "no-store"}};
    response.body = up ? R"({"status":"UP"})" : R"({"status":"DOWN"})";
    waiting.respond(std::move(response));
  };
  ex.ask<protocol::node_status>(
    ex.services().partners.supervisor, protocol::status_query{},
    [tell](const exchange& waiting, const protocol::node_status& status) { tell(waiting, status.ready); },
    [tell](const exchange& waiting, const core::error&) { tell(waiting, false); });
}

void livez(exchange ex) { ex.respond({200, "text/plain; charset=utf-8", "ok", {{"Cache-Control", "no-store"}}}); }

void readyz(exchange ex) {
  ex.ask<protocol::node_status>(
    ex.services().partners.supervisor, protocol::status_query{},
    [](const exchange& waiting, const protocol::node_status& status) { respond_readiness(waiting, status); },
    [](const exchange& waiting, const core::error& error) {
      respond_readiness(waiting, {false, {"the state of the node is unknown: " + error.context}, std::nullopt});
    });
}

void metrics(exchange ex) {
  caf::telemetry::collector::prometheus collector;
  const auto collected = collector.collect_from(ex.services().self->system().metrics());
  std::string text{collected.begin(), collected.end()};
  if (const auto& transport = ex.services().partners.transport)
    append_transport_metrics(text, transport());
  append_process_metrics(text);
  ex.respond({200, "text/plain; version=0.0.4; charset=utf-8", std::move(text), {}});
}

} // namespace ringmaster::gateway::handlers
