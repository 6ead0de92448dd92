#include "apps/client/api_queries.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <tuple>

#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "apps/terminal/time_text.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/text/ascii_case.hpp"
#include "core/text/url_text.hpp"
#include "gateway/exchange/exchange.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::apps {

namespace {

/// Limit against a server that always announces a next page.
constexpr std::size_t rows_max = 10'000'000;

/// Searches a list to its end for the row that satisfies `is_it`.
template <class Predicate>
core::result<std::optional<api_document>> find_row(api_client& client, const query_text& list, Predicate is_it) {
  std::size_t rows = 0;
  for (std::optional<std::string> cursor;;) {
    auto page = ask_page(client, list, protocol::wire::api_rows_max, cursor);
    if (!page)
      return tl::unexpected{page.error()};
    for (const auto& row : items_in(*page))
      if (is_it(row))
        return row;
    auto next = text_in(*page, "next");
    const auto more = items_in(*page).size();
    rows += more;
    const bool goes_on = !next.empty() && next != cursor && more > 0 && rows < rows_max;
    cursor = std::move(next);
    if (!goes_on)
      return std::optional<api_document>{};
  }
}

/// Converts a duration before now, or a time, to an instant.
core::result<core::time_point> moment_of(const char* option, const std::string& text, const core::zone& where) {
  if (const auto span = parse_span(text))
    return system_now() - *span;
  if (const auto time = parse_time(text, where))
    return *time;
  return core::fail(core::errc::invalid_argument,
                    std::string{option} + ": \"" + one_line(text) +
                      "\" is not a time; expected a duration before now such as 1h or 7d, or a time such as 2026-11-21T10:00");
}

} // namespace

core::result<void> add_times(query_text& list, const std::optional<std::string>& since, const std::optional<std::string>& until,
                             const core::zone& where) {
  const std::array bounds{std::tuple{"--since", "from_ms", &since}, std::tuple{"--until", "to_ms", &until}};
  for (const auto& [option, name, text] : bounds) {
    if (!*text)
      continue;
    const auto moment = moment_of(option, **text, where);
    if (!moment)
      return tl::unexpected{moment.error()};
    list.add(name, std::to_string(std::max<std::int64_t>(core::to_ms(*moment), 0)));
  }
  return {};
}

std::string text_in(const api_document& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<std::int64_t> number_in(const api_document& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_number_integer() ? std::optional{found->get<std::int64_t>()} : std::nullopt;
}

bool boolean_in(const api_document& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const api_document& items_in(const api_document& object, const char* name) {
  static const auto none = api_document::array();
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_array() ? *found : none;
}

query_text& query_text::add(std::string_view name, std::string_view value) {
  text_ += text_.find('?') == std::string::npos ? '?' : '&';
  text_.append(name).append(1, '=').append(core::percent_encoded(value));
  return *this;
}

core::result<api_document> ask_page(api_client& client, const query_text& list, std::size_t limit,
                                const std::optional<std::string>& cursor) {
  auto from = cursor.value_or("");
  auto items = api_document::array();
  for (;;) {
    auto part = list;
    part.add("limit", std::to_string(std::min(limit - items.size(), protocol::wire::api_rows_max)));
    if (!from.empty())
      part.add("cursor", from);
    auto page = client.ask({"GET", part.text()});
    if (!page)
      return page;
    const auto& rows = items_in(*page);
    const bool has_some = !rows.empty();
    for (const auto& row : rows)
      items.push_back(row);
    auto next = text_in(*page, "next");
    const bool goes_on = !next.empty() && next != from;
    from = std::move(next);
    if (!goes_on || !has_some || items.size() >= limit) {
      (*page)["items"] = std::move(items);
      return page;
    }
  }
}

core::result<api_document> ask_all(api_client& client, const query_text& list) { return ask_page(client, list, rows_max); }

core::result<std::map<std::int64_t, std::string>> group_names(api_client& client) {
  return ask_all(client, query_text{"/groups"}).map([](const api_document& page) {
    std::map<std::int64_t, std::string> names;
    for (const auto& group : items_in(page))
      names.emplace(number_in(group, "id").value_or(0), text_in(group, "app_name"));
    return names;
  });
}

std::optional<std::int64_t> parse_id(const std::string& text) {
  std::int64_t id = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), id);
  return failure == std::errc{} && stop == text.data() + text.size() && id > 0 ? std::optional{id} : std::nullopt;
}

core::result<std::int64_t> find_group(api_client& client, const std::string& name) {
  const auto found =
    find_row(client, query_text{"/groups"}, [&](const api_document& row) { return text_in(row, "app_name") == name; });
  if (!found)
    return tl::unexpected{found.error()};
  if (*found)
    return number_in(**found, "id").value_or(0);
  if (const auto id = parse_id(name))
    return *id;
  return core::fail(core::errc::not_found, "unknown group " + one_line(name));
}

core::result<void> add_group_filter(api_client& client, query_text& list, const std::optional<std::string>& name) {
  if (!name)
    return {};
  return find_group(client, *name).map([&](std::int64_t group) { list.add("group", std::to_string(group)); });
}

core::result<std::int64_t> find_job(api_client& client, const std::string& text) {
  const auto name = core::parse_job_name(text);
  if (!name)
    return tl::unexpected{name.error()};
  if (name->id)
    return core::number(*name->id);
  const auto none = core::fail(core::errc::not_found, "unknown job " + one_line(text));
  const auto groups = group_names(client);
  if (!groups)
    return tl::unexpected{groups.error()};
  const auto group = std::find_if(groups->begin(), groups->end(), [&](const auto& each) { return each.second == name->group; });
  if (group == groups->end())
    return none;
  auto list = query_text{"/jobs"};
  list.add("group", std::to_string(group->first));
  const auto job = find_row(client, list, [&](const api_document& row) { return text_in(row, "key") == name->key; });
  if (!job)
    return tl::unexpected{job.error()};
  return *job ? core::result<std::int64_t>{number_in(**job, "id").value_or(0)} : none;
}

core::result<api_document> find_user(api_client& client, const std::string& name) {
  auto list = query_text{"/users"};
  list.add("name", name);
  const auto is_named = [&](const api_document& row) { return core::equal_without_case(text_in(row, "name"), name); };
  auto found = find_row(client, list, is_named);
  if (!found)
    return tl::unexpected{found.error()};
  return *found ? core::result<api_document>{std::move(**found)}
                : core::fail(core::errc::not_found, "unknown user " + one_line(name));
}

core::result<std::string> body_text(const api_document& body) {
  if (body.is_null())
    return std::string{};
  try {
    return body.dump();
  } catch (const api_document::type_error&) {
    return core::fail(core::errc::invalid_argument, "request is not valid UTF-8");
  }
}

std::string json_line(const api_document& what) {
  return what.dump(-1, ' ', false, api_document::error_handler_t::replace) + '\n';
}

void print_json(const api_document& what) { std::fputs(json_line(what).c_str(), stdout); }

std::string more_text(const api_document& page) {
  const auto next = one_line(text_in(page, "next"));
  return next.empty() ? std::string{} : "more: --cursor " + next + '\n';
}

core::result<api_document> ask_to_remove(api_client& client, const char* path, std::int64_t id) {
  return client.ask({"DELETE", path + std::to_string(id)}).map([id](const api_document&) {
    return api_document{{"id", id}, {"status", 204}};
  });
}

int ask_and_tell(const client_options& options, const api_query& ask, const answer_text& words) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto answer = ask(**client);
  if (!answer)
    return complain(answer.error());
  if (options.json) {
    print_json(*answer);
    return exit_done;
  }
  const auto text = words(**client, *answer);
  if (!text)
    return complain(text.error());
  std::fputs(text->c_str(), stdout);
  return exit_done;
}

api_document problem_item(std::int64_t id, const core::error& why) {
  return {{"id", id},
          {"status", gateway::http_status(why.code)},
          {"problem", api_document::parse(gateway::problem_json(why.code, why.context), nullptr, false)}};
}

} // namespace ringmaster::apps
