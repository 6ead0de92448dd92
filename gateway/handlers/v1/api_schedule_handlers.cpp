#include "gateway/handlers/v1/handlers.hpp"

#include "core/forecast/schedule_notes.hpp"
#include "core/forecast/schedule_words.hpp"
#include "core/schedule/schedule_mistake.hpp"
#include "core/schedule/schedule_preview.hpp"
#include "core/text/text.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/exchange/gzip.hpp"
#include "gateway/handlers/v1/api_document.hpp"
#include "gateway/handlers/v1/schedule_problem.hpp"
#include "protocol/forecast_messages.hpp"
#include "protocol/wire/v1/api_forecasts.hpp"
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
  const auto jitter = wire::api_number_of(sent, "jitter_ms");
  if (!jitter || (*jitter && (**jitter < 1 || **jitter > core::jitter_ms_max)))
    return core::fail(core::errc::invalid_argument,
                      "the parameter jitter_ms must be a number from 1 to " + std::to_string(core::jitter_ms_max));
  core::schedule_options timing;
  timing.time_zone = sent.text_or_empty("time_zone");
  timing.interval_ms = *interval;
  timing.start_at = *start;
  timing.end_at = *end;
  if (*jitter)
    timing.jitter_ms = static_cast<std::int32_t>(**jitter);
  return timing;
}

/// A schedule whose next instants a caller wants to see.
struct asked_preview {
  core::schedule_type type = core::schedule_type::none;
  std::string conf;
  core::schedule_options timing;
  std::optional<core::misfire_policy> misfire;
  core::time_point from;
  std::size_t count = 0;
};

core::result<std::optional<core::misfire_policy>> misfire_of(const form& sent) {
  const auto name = sent.text("misfire");
  const auto policy = name ? core::find_misfire_policy(*name) : std::nullopt;
  if (name && !policy)
    return core::fail(core::errc::invalid_argument, "the parameter misfire must be DO_NOTHING or FIRE_ONCE_NOW");
  return policy;
}

core::result<asked_preview> preview_of(const form& sent, core::time_point now) {
  const auto count = wire::api_number_of(sent, "count");
  const auto from = wire::instant_of(sent, "from_ms");
  auto timing = timing_of(sent);
  const auto misfire = misfire_of(sent);
  if (!count || !from)
    return tl::unexpected{count ? from.error() : count.error()};
  if (!timing || !misfire)
    return tl::unexpected{timing ? misfire.error() : timing.error()};
  const auto times = count->value_or(core::previewed_times);
  if (times < 1 || times > previewed_max)
    return core::fail(core::errc::invalid_argument, "the parameter count must be a number from 1 to 100");
  const auto type = core::find_schedule_type(sent.text_or_empty("type"));
  if (!type)
    return core::fail(core::errc::invalid_argument, "the parameter type must be NONE, CRON or FIX_RATE");
  auto conf = sent.text_or_empty("conf");
  if (conf.empty() && timing->interval_ms)
    conf = core::rate_text_of(*timing->interval_ms);
  return asked_preview{*type, std::move(conf), std::move(*timing), *misfire, from->value_or(now),
                       static_cast<std::size_t>(times)};
}

/// Returns the preview of a valid schedule.
core::result<wire::api_previewed> previewed(const asked_preview& asked, const exchange& ex) {
  wire::api_previewed out;
  out.zone = ex.services().web.zone;
  if (!asked.timing.time_zone.empty()) {
    auto named = core::zone::find(asked.timing.time_zone);
    if (!named)
      return tl::unexpected{std::move(named.error())};
    out.zone = std::move(*named);
  }
  // The delay of an instant depends on the job: the instants before it are shown.
  auto undelayed = asked.timing;
  undelayed.jitter_ms.reset();
  undelayed.time_zone.clear();
  const auto rule = core::schedule::compile(asked.type, asked.conf, out.zone, undelayed);
  auto times = core::preview(core::stored_name(asked.type), asked.conf, asked.from, out.zone, undelayed, asked.count);
  if (!rule || !times)
    return tl::unexpected{rule ? times.error() : rule.error()};
  out.times = std::move(*times);
  out.words = core::words_of({asked.type, asked.conf, asked.timing, asked.misfire}, ex.style().language);
  out.notes = core::notes_of({asked.type, asked.conf, out.zone, undelayed}, *rule, asked.from);
  return out;
}

} // namespace

void schedule_preview(exchange ex) {
  const auto asked = read_query(ex, [&ex](const form& sent) { return preview_of(sent, ex.services().now()); });
  if (!asked)
    return;
  // A text that is still empty is no mistake.
  const bool empty = asked->type == core::schedule_type::none || (core::is_blank(asked->conf) && !asked->timing.interval_ms);
  if (empty)
    return tell_json(ex, wire::api_preview({{}, ex.services().web.zone, {}, {}}));
  if (const auto wrong = core::find_mistake(asked->type, asked->conf, ex.services().web.zone, asked->timing))
    return refuse_schedule(ex, *wrong);
  const auto found = previewed(*asked, ex);
  found ? tell_json(ex, wire::api_preview(*found)) : ex.reject(found.error());
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

void forecast_counts(exchange ex) {
  auto wanted = read_query(ex, [&ex](const form& sent) { return wire::api_counts_of(sent, ex.services().now()); });
  if (!wanted)
    return;
  ex.ask<protocol::counts_found>(
    ex.services().partners.jobs, protocol::counts_query{wanted->group, wanted->job, wanted->search, std::nullopt, ex.who()},
    [search = wanted->search](const exchange& waiting, const protocol::counts_found& found) {
      tell_json(waiting, wire::api_counts(found.report, search));
    });
}

void schedule_what_if(exchange ex) {
  auto wanted = read_json(ex, [&ex](std::string_view body) { return wire::parse_api_what_if(body, ex.services().now()); });
  if (!wanted)
    return;
  const auto& change = wanted->change;
  if (const auto wrong = core::find_mistake(change.type, change.conf, ex.services().web.zone, change.timing))
    return refuse_schedule(ex, *wrong);
  ex.ask<protocol::counts_found>(
    ex.services().partners.jobs, protocol::counts_query{wanted->group, std::nullopt, wanted->search, change, ex.who()},
    [search = wanted->search](const exchange& waiting, const protocol::counts_found& found) {
      tell_json(waiting, wire::api_counts_of_change(found.report, search));
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
  protocol::http_response reply{200, "application/json", {}, {{"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}}, {}};
  if (takes_gzip(ex.request())) {
    reply.headers.emplace_back("Content-Encoding", "gzip");
    reply.fixed_body = api_document_gzip();
  } else {
    reply.body = api_document();
  }
  ex.respond(std::move(reply));
}

} // namespace ringmaster::gateway::handlers::v1
