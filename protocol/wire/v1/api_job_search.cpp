// Requests for lists of jobs: their filters, their order and their cursors.

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "core/text/text.hpp"
#include "protocol/wire/v1/api_jobs.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::job_order;
using core::run_status;

constexpr std::array<std::pair<std::string_view, job_order>, 5> job_orders{{{"id", job_order::oldest},
                                                                            {"name", job_order::name},
                                                                            {"next", job_order::next},
                                                                            {"last", job_order::last},
                                                                            {"updated", job_order::updated}}};

/// Statuses that rows tell of last runs.
constexpr std::array last_statuses{run_status::pending, run_status::running, run_status::succeeded, run_status::failed,
                                   run_status::missed};

/// Maximum number of groups in a request.
constexpr std::size_t sent_groups_max = 100;

tl::unexpected<core::error> wrong_filter(std::string why) { return core::fail(core::errc::invalid_argument, std::move(why)); }

/// Reads ids, separated by commas.
template <class Id>
core::result<std::vector<Id>> read_job_filter_ids(std::string_view list, std::string_view name, std::size_t most) {
  std::vector<Id> ids;
  const bool cut = list.ends_with(',');
  do {
    const auto item = core::take_item(list);
    std::int32_t id = 0;
    const auto [end, problem] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (problem != std::errc{} || end != item.data() + item.size() || id < 1 || ids.size() >= most || cut)
      return wrong_filter("the parameter " + std::string{name} + " must have 1 to " + std::to_string(most) +
                          " ids of at least 1, separated by commas");
    ids.push_back(Id{id});
  } while (!list.empty());
  return ids;
}

/// Reads one group into `group`, several into `groups`.
core::result<void> read_filter_groups(const form& sent, core::job_search& search) {
  const auto list = sent.text("group");
  if (!list)
    return {};
  auto groups = read_job_filter_ids<core::group_id>(*list, "group", sent_groups_max);
  if (!groups)
    return tl::unexpected{groups.error()};
  if (groups->size() == 1)
    search.group = groups->front();
  else
    search.groups = std::move(*groups);
  return {};
}

/// Reads a stored name that must be known.
template <class IsKnown>
core::result<std::string> read_known(const form& sent, std::string_view name, IsKnown is_known, const char* names) {
  auto text = sent.text(name);
  if (text && !is_known(*text))
    return wrong_filter("the parameter " + std::string{name} + " must be " + names);
  return std::move(text).value_or(std::string{});
}

core::result<void> read_kinds(const form& sent, core::job_search& search) {
  auto type = read_known(
    sent, "type", [](const std::string& text) { return core::find_schedule_type(text).has_value(); }, "NONE, CRON or FIX_RATE");
  if (!type)
    return tl::unexpected{type.error()};
  auto kind = read_known(
    sent, "glue_type", [](const std::string& text) { return text == "BEAN" || core::is_script(text); },
    "BEAN or the name of a kind of script, such as GLUE_SHELL");
  if (!kind)
    return tl::unexpected{kind.error()};
  search.schedule_type = std::move(*type);
  search.glue_type = std::move(*kind);
  return {};
}

/// Reads statuses of the last run, separated by commas.
core::result<void> read_last_statuses(const form& sent, core::job_search& search) {
  const auto sent_list = sent.text("last_status");
  if (!sent_list)
    return {};
  std::string_view list = *sent_list;
  const bool cut = list.ends_with(',');
  do {
    const auto found = find_run_status(core::take_item(list));
    if (!found || cut || std::find(last_statuses.begin(), last_statuses.end(), *found) == last_statuses.end())
      return wrong_filter("the parameter last_status must be one or several, separated by commas, of pending, running, "
                          "succeeded, failed, missed");
    if (std::find(search.last_statuses.begin(), search.last_statuses.end(), *found) == search.last_statuses.end())
      search.last_statuses.push_back(*found);
  } while (!list.empty());
  return {};
}

core::result<void> read_job_ids(const form& sent, core::job_search& search) {
  const auto list = sent.text("ids");
  if (!list)
    return {};
  if (search.group || !search.groups.empty() || search.running || search.declared || !search.name_part.empty() ||
      !search.handler_part.empty() || !search.author_part.empty() || !search.text.empty() || !search.schedule_type.empty() ||
      !search.glue_type.empty() || !search.source.empty() || !search.last_statuses.empty())
    return wrong_filter("the parameter ids cannot be combined with other filters");
  auto ids = read_job_filter_ids<core::job_id>(*list, "ids", api_job_ids_max);
  if (!ids)
    return tl::unexpected{ids.error()};
  search.ids = std::move(*ids);
  return {};
}

/// Reads the order; a descending one begins with a minus.
core::result<void> read_order(const form& sent, core::job_search& search) {
  const auto sort = sent.text("sort");
  if (!sort)
    return {};
  const bool descending = sort->starts_with('-');
  const auto name = std::string_view{*sort}.substr(descending ? 1 : 0);
  const auto* const found =
    std::find_if(job_orders.begin(), job_orders.end(), [name](const auto& each) { return each.first == name; });
  if (found == job_orders.end())
    return wrong_filter(
      "the parameter sort must be id, name, next, last or updated, with a minus before it for descending order");
  if (!search.ids.empty())
    return wrong_filter("the parameter ids cannot be combined with sort");
  search.order = descending && found->second == job_order::oldest ? job_order::newest : found->second;
  search.descending = descending && search.order != job_order::newest;
  return {};
}

/// Sets the row before the page.
core::result<void> read_place(const api_cursor& from, core::job_search& search) {
  const bool ordered = search.order != job_order::newest;
  if (from.place > 0 && (from.value.has_value() != ordered || (ordered && from.place > std::numeric_limits<std::int32_t>::max())))
    return wrong_filter("the parameter cursor belongs to a list in another order");
  if (!from.value)
    return {};
  core::job_place place;
  place.job = core::job_id{static_cast<std::int32_t>(from.place)};
  if (search.order == job_order::name) {
    place.text = *from.value;
  } else {
    const auto& text = *from.value;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), place.number);
    if (problem != std::errc{} || end != text.data() + text.size())
      return wrong_filter("the parameter cursor belongs to a list in another order");
  }
  search.after = std::move(place);
  return {};
}

} // namespace

core::result<core::job_search> api_job_search_of(const form& sent, const api_cursor& from) {
  core::job_search search;
  const auto running = boolean_of(sent, "running");
  const auto declared = boolean_of(sent, "declared");
  if (!running || !declared)
    return tl::unexpected{running ? declared.error() : running.error()};
  search.running = *running;
  search.declared = *declared;
  search.name_part = sent.text_or_empty("name");
  search.handler_part = sent.text_or_empty("handler");
  search.author_part = sent.text_or_empty("author");
  search.text = std::string{core::trimmed(sent.text_or_empty("q"))};
  search.source = sent.text_or_empty("source");
  for (auto* const read : {read_filter_groups, read_kinds, read_last_statuses, read_job_ids})
    if (auto done = read(sent, search); !done)
      return tl::unexpected{done.error()};
  search.window = {static_cast<std::size_t>(from.place), from.limit};
  return search;
}

core::result<core::job_search> api_job_list_of(const form& sent, const api_cursor& from) {
  auto search = api_job_search_of(sent, from);
  if (!search)
    return search;
  if (auto done = read_order(sent, *search); !done)
    return tl::unexpected{done.error()};
  if (auto done = read_place(from, *search); !done)
    return tl::unexpected{done.error()};
  if (search->order != job_order::newest)
    search->window.offset = 0;
  return search;
}

std::optional<std::string> next_jobs(const core::job_search& search, const api_cursor& from,
                                     const std::vector<core::job_record>& rows, bool more) {
  if (!more || rows.empty())
    return std::nullopt;
  if (search.order == job_order::newest)
    return cursor_text(from.place + static_cast<std::int64_t>(rows.size()));
  const auto place = core::place_of(rows.back(), search.order);
  return cursor_text(number(place.job), search.order == job_order::name ? place.text : std::to_string(place.number));
}

} // namespace ringmaster::protocol::wire
