#include "protocol/wire/v1/api_groups.hpp"

#include <algorithm>
#include <string_view>

#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::size_t group_addresses_max = 1000;
constexpr std::string_view automatic = "automatic";
constexpr std::string_view manual = "manual";

void append_group_members(json_object& row, const core::group_record& record) {
  const auto& group = record.group;
  row.number("id", number(group.id));
  row.text("app_name", group.app_name);
  row.text("title", group.title);
  row.text("address_type", group.type == core::address_type::automatic ? automatic : manual);
  row.raw("addresses", json_array(group.addresses));
  append_instant(row, "updated_ms", record.updated);
  append_text_or_null(row, "source", record.source);
}

void append_api_group(std::string& out, const core::group_record& record) {
  json_object row{out};
  append_group_members(row, record);
}

/// Returns the member of `rows` that belongs to a group, or one without figures.
template <class Row>
Row row_of_group(const std::vector<Row>& rows, core::group_id group) {
  const auto found = std::find_if(rows.begin(), rows.end(), [group](const Row& each) { return each.group == group; });
  return found == rows.end() ? Row{group} : *found;
}

std::int32_t read_type(api_members& in) {
  const auto name = in.maybe_text("address_type").value_or(std::string{automatic});
  if (name != automatic && name != manual)
    in.wrong("address_type", "must be automatic or manual");
  return name == manual ? 1 : 0;
}

/// Reads the addresses as the comma list of the column.
std::string read_addresses(api_members& in) {
  std::string list;
  for (const auto& each : in.maybe_texts("addresses", group_addresses_max).value_or(std::vector<std::string>{})) {
    if (each.find(',') != std::string::npos)
      in.wrong("addresses", "an address must not contain a comma");
    list.append(list.empty() ? "" : ",").append(each);
  }
  return list;
}

} // namespace

std::string api_group(const core::group_record& record) {
  std::string out;
  append_api_group(out, record);
  return out;
}

std::string api_groups(const std::vector<core::group_record>& records) { return json_array(records, append_api_group); }

std::string api_groups(const std::vector<core::group_record>& records, const std::vector<core::group_figures>& figures,
                       const std::vector<core::executor_count>* executors, bool shows_tokens) {
  return json_array(records, [&](std::string& out, const core::group_record& record) {
    json_object row{out};
    append_group_members(row, record);
    const auto known = row_of_group(figures, record.group.id);
    row.number("jobs", known.jobs);
    if (executors) {
      const auto count = row_of_group(*executors, record.group.id);
      row.number("online", count.online);
      row.number("late", count.late);
      row.number("gone", count.gone);
      row.number("known", count.known);
    } else {
      for (const auto* name : {"online", "late", "gone", "known"})
        row.null(name);
    }
    shows_tokens ? row.boolean("has_token", known.has_token) : row.raw("has_token", "null");
  });
}

core::result<api_group_search> api_group_search_of(const form& sent, const api_cursor& from) {
  const auto counts = boolean_of(sent, "counts");
  if (!counts)
    return tl::unexpected{counts.error()};
  api_group_search search{{}, {static_cast<std::size_t>(from.place), from.limit}, counts->value_or(false)};
  search.find.part = sent.text_or_empty("q");
  if (auto sort = sent.text("sort")) {
    search.find.descending = sort->starts_with('-');
    const auto name = std::string_view{*sort}.substr(search.find.descending ? 1 : 0);
    if (name == "app_name")
      search.find.order = core::group_order::app_name;
    else if (name == "title")
      search.find.order = core::group_order::title;
    else if (name == "id")
      search.find.order = core::group_order::id;
    else
      return core::fail(core::errc::invalid_argument, "the parameter sort must be app_name, title or id, with - for descending");
  }
  return search;
}

std::string api_executors(const std::vector<core::known_executor>& executors) {
  return json_array(executors, [](std::string& out, const core::known_executor& each) {
    json_object row{out};
    row.number("group", number(each.group));
    row.text("app_name", each.app_name);
    row.text("address", each.address);
    row.text("state", core::shown_name(each.state));
    append_instant(row, "last_beat_ms", each.last_beat);
    row.boolean("link", each.link);
    append_text_or_null(row, "family", core::shown_name(each.family));
    append_instant(row, "unreachable_ms", each.unreachable_since);
  });
}

core::result<core::executor_search> api_executor_search_of(const form& sent, const api_cursor& from) {
  const auto group = api_id_of(sent, "group");
  if (!group)
    return tl::unexpected{group.error()};
  core::executor_search search;
  if (*group)
    search.group = core::group_id{**group};
  if (const auto state = sent.text("state")) {
    search.state = core::find_executor_state(*state);
    if (!search.state)
      return core::fail(core::errc::invalid_argument, "the parameter state must be online, late, gone or entered");
  }
  search.part = sent.text_or_empty("q");
  search.window = {static_cast<std::size_t>(from.place), from.limit};
  return search;
}

core::result<core::group_draft> parse_api_group(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    core::group_draft draft;
    draft.app_name = in.needed_text("app_name");
    draft.title = in.needed_text("title");
    draft.type = read_type(in);
    draft.address_list = read_addresses(in);
    draft.access_token = in.text("access_token");
    return draft;
  });
}

} // namespace ringmaster::protocol::wire
