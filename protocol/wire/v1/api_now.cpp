#include "protocol/wire/v1/api_now.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/cluster/counter_history.hpp"
#include "protocol/wire/json/json_object.hpp"

namespace ringmaster::protocol::wire {

namespace {

void append_number(std::string& out, std::int64_t value) { append_json(out, value); }

/// Returns the rate with one decimal.
std::string rate_text(double rate) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rate, std::chars_format::fixed, 1).ptr;
  return {text.data(), end};
}

template <class Number>
void number_or_null(json_object& row, std::string_view name, const std::optional<Number>& value) {
  value ? row.number(name, static_cast<std::int64_t>(*value)) : row.null(name);
}

void append_lane(std::string& out, const core::lane_load& lane) {
  json_object row{out};
  row.text("lane", lane.lane);
  row.number("used", lane.used);
  row.number("window", lane.window);
}

void append_load(json_object& row, const core::node_load& load) {
  row.raw("lanes", json_array(load.lanes, append_lane));
  row.number("claims_open", load.claims_open);
  row.number("undecided", load.undecided);
  row.number("store_waiting", load.store_waiting);
  row.raw("firings_per_s", rate_text(load.firings_per_s));
  row.raw("results_per_s", rate_text(load.results_per_s));
}

void append_figures(std::string& out, const core::node_figures& node) {
  json_object row{out};
  row.text("id", node.id);
  number_or_null(row, "slots", node.slots);
  if (node.load)
    return append_load(row, *node.load);
  for (const auto* name : {"lanes", "claims_open", "undecided", "store_waiting", "firings_per_s", "results_per_s"})
    row.null(name);
}

std::string lateness_of(const core::lateness_counts& counts) {
  return json_object_of([&](json_object& lateness) {
    lateness.raw("bounds_ms", json_array(core::lateness_bounds_ms, append_number));
    lateness.raw("counts", json_array(counts, append_number));
  });
}

std::string series_of(const core::count_series& counts) {
  return json_object_of([&](json_object& series) {
    series.number("step_ms", core::counter_history::step.count());
    series.number("from_ms", core::to_ms(counts.from));
    series.raw("fired", json_array(counts.fired, append_number));
    series.raw("failed", json_array(counts.failed, append_number));
  });
}

void append_stored(json_object& reply, const std::optional<core::stored_counts>& stored) {
  if (!stored) {
    for (const auto* name : {"jobs", "jobs_running", "failed_last_hour", "failed_is_capped"})
      reply.null(name);
    return;
  }
  reply.number("jobs", stored->jobs);
  reply.number("jobs_running", stored->jobs_running);
  reply.number("failed_last_hour", stored->failed_last_hour);
  reply.boolean("failed_is_capped", stored->failed_is_capped);
}

} // namespace

std::string api_now(const core::live_figures& figures) {
  return json_object_of([&](json_object& reply) {
    reply.number("now_ms", core::to_ms(figures.at));
    reply.raw("nodes", json_array(figures.nodes, append_figures));
    reply.raw("lateness", lateness_of(figures.lateness));
    reply.raw("series", series_of(figures.series));
    append_stored(reply, figures.stored);
    const auto& executors = figures.executors;
    number_or_null(reply, "executors_online", executors ? std::optional{executors->online} : std::nullopt);
    number_or_null(reply, "executors_without_group", executors ? std::optional{executors->without_group} : std::nullopt);
    reply.boolean("partial", figures.partial);
  });
}

std::string_view timeless_part(std::string_view answer) noexcept {
  return answer.substr(std::min(answer.find(','), answer.size()));
}

} // namespace ringmaster::protocol::wire
