#include "protocol/wire/v1/api_nodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::errc;

constexpr std::chrono::hours usual_span{24};

void append_node(std::string& out, const core::seen_node& node, const api_cluster& cluster) {
  json_object row{out};
  row.text("id", node.row.id);
  row.boolean("self", node.self);
  row.text("state", shown_name(node.health));
  cluster.with_addresses ? row.text("address", node.row.address) : row.null("address");
  node.silent_for ? row.number("beat_age_ms", node.silent_for->count()) : row.null("beat_age_ms");
  row.number("life", node.row.incarnation);
  node.slots ? row.number("slots", static_cast<std::int64_t>(*node.slots)) : row.null("slots");
  node.started ? row.number("started_ms", core::to_ms(*node.started)) : row.null("started_ms");
  node.self ? row.text("version", cluster.version) : row.null("version");
}

/// Returns e.g. `f1767225600000-7-1767225500000`.
std::string cursor_of(const core::upcoming_place& place) {
  return 'f' + std::to_string(core::to_ms(place.at)) + '-' + std::to_string(core::number(place.job)) + '-' +
         std::to_string(core::to_ms(place.present));
}

std::optional<core::upcoming_place> upcoming_place_in(std::string_view cursor) {
  if (cursor.empty() || cursor.front() != 'f')
    return std::nullopt;
  std::array<std::int64_t, 3> numbers{};
  const auto* at = cursor.data();
  const auto* end = at + cursor.size();
  for (auto& number : numbers) {
    const auto [stop, failure] = std::from_chars(at + 1, end, number);
    if (failure != std::errc{} || number < 0 || (stop == end) != (&number == &numbers.back()) || (stop != end && *stop != '-'))
      return std::nullopt;
    at = stop;
  }
  const auto [ms, job, present] = numbers;
  if (ms > core::latest_ms || present > ms || job > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return core::upcoming_place{core::from_ms(ms), core::job_id{static_cast<std::int32_t>(job)}, core::from_ms(present)};
}

core::result<std::size_t> limit_of(const form& sent) {
  const auto limit = api_number_of(sent, "limit");
  if (!limit || (*limit && (**limit < 1 || **limit > static_cast<std::int64_t>(core::upcoming_rows_max))))
    return core::fail(errc::invalid_argument,
                      "the parameter limit must be a number from 1 to " + std::to_string(core::upcoming_rows_max));
  return static_cast<std::size_t>(limit->value_or(api_rows_usual));
}

/// Reads the time span. The part before now is cut off.
core::result<void> read_span(const form& sent, core::time_point now, core::upcoming_search& to) {
  const auto from = instant_of(sent, "from_ms");
  const auto until = instant_of(sent, "to_ms");
  if (!from || !until)
    return tl::unexpected{from ? until.error() : from.error()};
  const auto begin = std::max(from->value_or(now), now);
  to.until = until->value_or(begin + usual_span);
  to.from = {begin, {}, begin == now ? now : core::time_point{}};
  if (const auto cursor = sent.text("cursor")) {
    const auto place = upcoming_place_in(*cursor);
    if (!place)
      return core::fail(errc::invalid_argument, "the parameter cursor must be the \"next\" value of the previous page");
    to.from = *place;
  }
  if (to.until > to.from.at + core::upcoming_span_max)
    return core::fail(errc::invalid_argument, "a forecast covers at most 31 days: to_ms is too far from its start");
  return {};
}

void append_firing(std::string& out, const core::upcoming_firing& firing) {
  json_object row{out};
  row.number("at_ms", core::to_ms(firing.at));
  row.number("job", number(firing.job));
  row.number("group", number(firing.group));
}

} // namespace

std::string api_nodes(const api_cluster& cluster) {
  const auto append = [&cluster](std::string& to, const core::seen_node& node) { append_node(to, node, cluster); };
  return json_object_of([&](json_object& reply) {
    reply.raw("items", json_array(cluster.nodes, append));
    reply.text("mode", stored_name(cluster.mode));
    reply.number("dead_after_ms", cluster.dead_after.count());
    reply.text("version", cluster.version);
  });
}

core::result<api_forecast_request> api_forecast_of(const form& sent, core::time_point now) {
  api_forecast_request wanted;
  const auto group = api_id_of(sent, "group");
  const auto job = api_id_of(sent, "job");
  if (!group || !job)
    return tl::unexpected{group ? job.error() : group.error()};
  if (*group)
    wanted.group = core::group_id{**group};
  if (*job)
    wanted.job = core::job_id{**job};
  const auto limit = limit_of(sent);
  if (!limit)
    return tl::unexpected{limit.error()};
  wanted.search.limit = *limit;
  if (auto span = read_span(sent, now, wanted.search); !span)
    return tl::unexpected{span.error()};
  return wanted;
}

std::string api_forecast(const core::upcoming_page& page, const core::upcoming_search& search) {
  const auto append_job = [](std::string& to, core::job_id job) { append_json(to, std::int64_t{number(job)}); };
  return json_object_of([&](json_object& reply) {
    reply.raw("items", json_array(page.firings, append_firing));
    page.next ? reply.text("next", cursor_of(*page.next)) : reply.null("next");
    reply.boolean("truncated", page.truncated);
    reply.number("from_ms", core::to_ms(search.from.at));
    reply.number("to_ms", core::to_ms(search.until));
    reply.raw("cannot_be_planned", json_array(page.bad, append_job));
  });
}

} // namespace ringmaster::protocol::wire
