#include "protocol/wire/v1/api_bulk.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/text/text.hpp"
#include "protocol/wire/v1/api_jobs.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Maximum number of executors of one run.
constexpr std::size_t addresses_max = 1000;

/// Reads the addresses. A missing list means the group's executors; an empty address, which may come from an unset variable, is
/// refused.
std::vector<std::string> read_trigger_addresses(api_members& in, const std::vector<std::string>& texts) {
  for (const auto& each : texts)
    if (core::is_blank(each) || each.find(',') != std::string::npos) {
      in.wrong("addresses", core::is_blank(each) ? "an address is empty" : "an address must not contain a comma");
      return {};
    }
  auto addresses = core::parse_addresses(texts);
  if (!addresses)
    in.wrong("addresses", addresses.error().context);
  return std::move(addresses).value_or(std::vector<std::string>{});
}

/// Reads a trigger. Sets `has_addresses` if there is a list of addresses.
core::manual_trigger read_trigger(api_members& in, bool& has_addresses) {
  core::manual_trigger wanted;
  wanted.kind = core::trigger_kind::api;
  wanted.param = in.maybe_text("params");
  const auto texts = in.maybe_texts("addresses", addresses_max);
  has_addresses = texts.has_value();
  wanted.addresses = read_trigger_addresses(in, texts.value_or(std::vector<std::string>{}));
  return wanted;
}

/// Reads `ids`, at least one, each once.
template <class Id>
void read_bulk_ids(api_members& in, std::vector<Id>& ids) {
  const auto found = in.maybe_numbers("ids", api_rows_max, 1, std::numeric_limits<std::underlying_type_t<Id>>::max());
  if (!found || found->empty())
    return in.wrong("ids", "must name at least one object, unless there is a filter");
  for (const auto id : *found)
    ids.push_back(Id{static_cast<std::underlying_type_t<Id>>(id)});
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    in.wrong("ids", "names " + std::to_string(number(*twice)) + " twice");
}

/// Reads the members of `filter` as the list reads its parameters of the same names; `cursor` and `limit` are not among them.
template <class Search, class Read>
void read_bulk_filter(api_members& in, const std::string& query, std::optional<Search>& filter, Read read) {
  auto found = form::parse('?' + query, {}, {}).and_then([&](const form& sent) -> core::result<Search> {
    auto search = read(sent, api_cursor{});
    if (const auto unknown = search ? sent.unread() : std::nullopt)
      return core::fail(core::errc::invalid_argument, "unknown member " + *unknown);
    return search;
  });
  if (!found)
    return in.wrong("filter", found.error().context);
  filter = std::move(*found);
}

template <class Bulk, class Read>
core::result<Bulk> parse_bulk(std::string_view body, bulk_use use, Read read) {
  return read_api_object(body, [use, read](api_members& in) {
    Bulk bulk;
    const auto query = in.query_text("filter");
    const auto expect = in.maybe_number("expect", 0, core::task_objects_max);
    if (!query)
      read_bulk_ids(in, bulk.ids);
    else if (in.has("ids"))
      in.wrong("filter", "cannot be combined with ids");
    else
      read_bulk_filter(in, *query, bulk.filter, read);
    if (query.has_value() != expect.has_value())
      in.wrong("expect", query ? "is missing" : "needs a filter");
    bulk.expect = static_cast<std::size_t>(expect.value_or(0));
    bool has_addresses = false;
    if (use == bulk_use::trigger)
      bulk.wanted = read_trigger(in, has_addresses);
    bulk.to_same_executor = !has_addresses;
    return bulk;
  });
}

} // namespace

core::result<core::manual_trigger> parse_api_trigger(std::string_view body) {
  return read_api_object(body.find_first_not_of(" \t\r\n") == std::string_view::npos ? "{}" : body, [](api_members& in) {
    bool has_addresses = false;
    return read_trigger(in, has_addresses);
  });
}

core::result<api_bulk> parse_api_bulk(std::string_view body, bulk_use use) {
  return parse_bulk<api_bulk>(body, use, api_job_search_of);
}

core::result<api_run_bulk> parse_api_run_bulk(std::string_view body, bulk_use use) {
  return parse_bulk<api_run_bulk>(body, use, api_run_search_of);
}

std::string api_task_begun(core::task_id task) {
  return json_object_of([&](json_object& row) { row.number("task", number(task)); });
}

std::string api_task(const core::task_progress& task, const std::vector<std::string>& details) {
  std::size_t at = 0;
  const auto problems = json_array(task.problems, [&](std::string& out, const core::task_problem& each) {
    json_object row{out};
    row.number("id", each.object);
    row.text("code", each.why.why == core::refusal::one_shard ? "one_shard" : core::to_string(each.why.code));
    row.text("detail", details.at(at++));
  });
  return json_object_of([&](json_object& row) {
    row.number("id", number(task.id));
    row.text("action", core::to_string(task.action));
    row.text("state", core::to_string(task.state));
    row.number("done", static_cast<std::int64_t>(task.done));
    row.number("total", static_cast<std::int64_t>(task.total));
    row.number("failed", static_cast<std::int64_t>(task.failed));
    row.raw("problems", problems);
  });
}

} // namespace ringmaster::protocol::wire
