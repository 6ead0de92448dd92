#include "gateway/handlers/v1/handlers.hpp"

#include "core/schedule/schedule_preview.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/api_document.hpp"
#include "protocol/wire/v1/api_nodes.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;
using wire::form;

constexpr std::int64_t previewed_max = 100;

core::result<core::schedule_options> timing_of(const form& sent) {
  const auto interval = wire::api_number_of(sent, "interval_ms");
  const auto start = wire::instant_of(sent, "start_at_ms");
  const auto end = wire::instant_of(sent, "end_at_ms");
  if (!interval)
    return tl::unexpected{interval.error()};
  if (!start || !end)
    return tl::unexpected{start ? end.error() : start.error()};
  core::schedule_options timing;
  timing.time_zone = sent.text_or_empty("time_zone");
  timing.interval_ms = *interval;
  timing.start_at = *start;
  timing.end_at = *end;
  return timing;
}

core::result<std::vector<core::time_point>> preview_of(const form& sent, const gateway_services& services) {
  const auto count = wire::api_number_of(sent, "count");
  const auto timing = timing_of(sent);
  if (!count || !timing)
    return tl::unexpected{count ? timing.error() : count.error()};
  const auto times = count->value_or(core::previewed_times);
  if (times < 1 || times > previewed_max)
    return core::fail(core::errc::invalid_argument, "the parameter count must be a number from 1 to 100");
  const auto type = sent.text_or_empty("type");
  if (!core::find_schedule_type(type))
    return core::fail(core::errc::invalid_argument, "the parameter type must be NONE, CRON or FIX_RATE");
  auto conf = sent.text_or_empty("conf");
  if (conf.empty() && timing->interval_ms)
    conf = core::rate_text_of(*timing->interval_ms);
  return core::preview(type, conf, services.now(), services.web.zone, *timing, static_cast<std::size_t>(times));
}

} // namespace

void schedule_preview(exchange ex) {
  const auto times = read_query(ex, [&ex](const form& sent) { return preview_of(sent, ex.services()); });
  if (!times)
    return;
  const auto append = [](std::string& to, core::time_point each) { wire::append_json(to, core::to_ms(each)); };
  tell_json(ex, R"({"next_ms":)" + wire::json_array(*times, append) + '}');
}

void schedule_forecast(exchange ex) {
  auto wanted = read_query(ex, [&ex](const form& sent) { return wire::api_forecast_of(sent, ex.services().now()); });
  if (!wanted)
    return;
  ex.ask<protocol::forecast_found>(
    ex.services().partners.jobs, protocol::forecast_query{wanted->group, wanted->job, wanted->search, ex.who()},
    [search = wanted->search](const exchange& waiting, const protocol::forecast_found& found) {
      tell_json(waiting, wire::api_forecast(found.page, search));
    });
}

void node_list(exchange ex) {
  ex.ask<protocol::node_list>(ex.services().partners.supervisor, protocol::nodes_query{},
                              [](const exchange& waiting, const protocol::node_list& list) {
                                tell_json(waiting, wire::api_nodes({list.nodes, list.mode, list.dead_after,
                                                                    waiting.services().web.version, waiting.who().admin}));
                              });
}

void document(exchange ex) {
  ex.respond({200, "application/json", {}, {{"Cache-Control", "no-cache"}}, api_document()});
}

} // namespace ringmaster::gateway::handlers::v1
