// The history of elastic jobs in /api/v1.

#include <algorithm>
#include <array>

#include "core/elastic/plan.hpp"
#include "protocol/wire/v1/api_elastic.hpp"
#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

namespace elastic = core::elastic;

/// From `open_run_state` on.
constexpr std::array<std::string_view, 6> run_state_names{"running", "finished", "error", "lost", "killed", "failed"};

std::string_view run_state_name(std::uint8_t state) {
  const auto at = static_cast<std::size_t>(state - elastic::open_run_state);
  return at < run_state_names.size() ? run_state_names[at] : std::string_view{"unknown"};
}

void append_elastic_run(std::string& out, const elastic::elastic_run& run) {
  json_object row{out};
  row.number("run", core::number(run.id));
  row.number("item", core::number(run.item));
  row.text("state", run_state_name(run.state));
  row.text("source", api_name_of(run.cause.source));
  row.number("attempt", run.attempt);
  row.number("fence", core::number(run.fence));
  append_text_or_null(row, "host", run.host);
  append_instant(row, "fire_ms", run.cause.fire.at);
  row.text("fire_source", api_name_of(run.cause.fire.source));
  append_instant(row, "granted_ms", run.granted);
  append_instant(row, "started_ms", run.started);
  append_instant(row, "ended_ms", run.ended);
  run.message ? row.text("message", *run.message) : row.null("message");
}

} // namespace

std::string api_elastic_runs(const std::vector<elastic::elastic_run>& runs) { return json_array(runs, append_elastic_run); }

std::string api_elastic_history(const elastic::elastic_history& history) {
  const auto next = history.next ? std::optional{core::number(*history.next)} : std::nullopt;
  return api_page(api_elastic_runs(history.rows), next, std::nullopt);
}

core::result<elastic::elastic_history_search> api_elastic_history_of(const form& sent, const api_cursor& from) {
  elastic::elastic_history_search out;
  const auto item = api_number_of(sent, "item");
  if (!item)
    return tl::unexpected{item.error()};
  if (*item && (**item < 0 || **item >= elastic::items_max))
    return core::fail(core::errc::invalid_argument,
                      "the parameter item must lie between 0 and " + std::to_string(elastic::items_max - 1));
  if (*item)
    out.item = elastic::item_number{static_cast<std::int32_t>(**item)};
  if (const auto state = sent.text("state")) {
    const auto at = std::find(run_state_names.begin(), run_state_names.end(), *state) - run_state_names.begin();
    if (static_cast<std::size_t>(at) == run_state_names.size())
      return core::fail(core::errc::invalid_argument,
                        "the parameter state must be running, finished, error, lost, killed or failed");
    out.state = static_cast<std::uint8_t>(at + elastic::open_run_state);
  }
  const auto begin = instant_of(sent, "from_ms");
  const auto end = instant_of(sent, "to_ms");
  if (!begin || !end)
    return tl::unexpected{begin ? end.error() : begin.error()};
  out.from = begin->value_or(out.from);
  out.until = end->value_or(out.until);
  out.before = elastic::item_run_id{from.place};
  out.limit = from.limit;
  return out;
}

} // namespace ringmaster::protocol::wire
