#include "gateway/handlers/v1/handlers.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_groups.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

void tell_groups(const exchange& ex, const wire::api_cursor& from, const protocol::group_page& reply, std::string rows) {
  const auto& [groups, total, capped] = reply.page;
  tell_json(ex, wire::api_page(rows, next_position(from, groups.size(), total), total, capped));
}

/// Answers the groups with their figures. Executors are unknown before the registry was read.
void tell_counted(const exchange& ex, const wire::api_cursor& from, const protocol::group_page& reply) {
  const auto tell = [from, reply](const exchange& waiting, const std::vector<core::executor_count>* executors) {
    tell_groups(waiting, from, reply,
                wire::api_groups(reply.page.rows, reply.figures, executors, waiting.who().admin));
  };
  protocol::executors_query counts{{}, ex.who(), true};
  ex.ask<protocol::executor_list>(
    ex.services().partners.registry, std::move(counts),
    [tell](const exchange& waiting, const protocol::executor_list& list) { tell(waiting, &list.counts); },
    [tell](const exchange& waiting, const core::error&) { tell(waiting, nullptr); });
}

/// Answers the refused executors and those without a group, which may have registered at another node; the last one first.
void tell_refused(const exchange& ex, std::vector<refused_executor> all, const std::vector<core::known_executor>& without_group) {
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& each : all)
    if (each.why == refused_for::unknown_app)
      known.emplace(each.app_name, each.address);
  for (const auto& each : without_group) {
    const auto seen = each.last_beat.value_or(core::time_point{});
    if (known.emplace(each.app_name, each.address).second)
      all.push_back({refused_for::unknown_app, each.app_name, each.address, {}, seen, seen, 0});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.last > b.last; });
  tell_json(ex, R"({"items":)" + wire::json_array(all, [](std::string& out, const refused_executor& each) {
                  wire::json_object row{out};
                  row.text("reason", name_of(each.why));
                  wire::append_text_or_null(row, "app_name", each.app_name);
                  wire::append_text_or_null(row, "address", each.address);
                  wire::append_text_or_null(row, "remote", each.remote);
                  row.number("first_ms", core::to_ms(each.first));
                  row.number("last_ms", core::to_ms(each.last));
                  row.number("times", each.times);
                }) + '}');
}

/// Returns the requested group, or answers `not_found` and returns null.
const core::group_record* group_in(const exchange& ex, const protocol::group_page& reply) {
  if (!reply.page.rows.empty())
    return &reply.page.rows.front();
  ex.fail({core::errc::not_found, "group " + std::string{ex.parameter("id")} + " does not exist"});
  return nullptr;
}

/// Calls `ask(exchange, seen)` if the group matches the wanted ETag.
template <class Ask>
void when_as_wanted(const exchange& ex, core::group_id group, wanted_tag wanted, Ask ask) {
  ex.ask<protocol::group_page>(ex.services().partners.groups, protocol::group_query{group, ex.who()},
                               [=](const exchange& waiting, const protocol::group_page& reply) {
                                 const auto* found = group_in(waiting, reply);
                                 auto seen = found ? seen_as_wanted(waiting, wanted, *found, "the group") : std::nullopt;
                                 if (seen)
                                   ask(waiting, std::move(*seen));
                               });
}

} // namespace

void group_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_group_search_of);
  if (!query)
    return;
  auto& [search, from] = *query;
  ex.ask<protocol::group_page>(
    ex.services().partners.groups,
    protocol::visible_groups_query{ex.who(), std::move(search.find), search.window, search.counts},
    [at = from, counted = search.counts](const exchange& waiting, const protocol::group_page& reply) {
      if (counted)
        return tell_counted(waiting, at, reply);
      tell_groups(waiting, at, reply, wire::api_groups(reply.page.rows));
    });
}

void executor_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_executor_search_of);
  if (!query)
    return;
  ex.ask<protocol::executor_list>(ex.services().partners.registry,
                                  protocol::executors_query{std::move(query->first), ex.who()},
                                  [from = query->second](const exchange& waiting, const protocol::executor_list& list) {
                                    const auto& [rows, total, capped] = list.page;
                                    tell_json(waiting, wire::api_page(wire::api_executors(rows),
                                                                      next_position(from, rows.size(), total), total, capped));
                                  });
}

void refused_list(exchange ex) {
  auto all = ex.services().refused.lately(ex.services().now());
  // An executor without a group is served from the moment its group is added.
  if (const auto& groups = ex.services().tokens)
    std::erase_if(all, [&groups](const refused_executor& each) {
      return each.why == refused_for::unknown_app && groups->contains(each.app_name);
    });
  core::executor_search search;
  search.window.limit = refused_executors::kept_max;
  ex.ask<protocol::executor_list>(
    ex.services().partners.registry, protocol::executors_query{search, ex.who(), false, true},
    [all](const exchange& waiting, const protocol::executor_list& list) { tell_refused(waiting, all, list.page.rows); },
    [all](const exchange& waiting, const core::error&) { tell_refused(waiting, all, {}); });
}

void group_add(exchange ex) {
  auto draft = read_json(ex, wire::parse_api_group);
  if (!draft)
    return;
  ex.ask<protocol::saved_group>(ex.services().partners.groups,
                                protocol::save_group{std::nullopt, std::move(*draft), ex.who()},
                                [](const exchange& waiting, const protocol::saved_group& saved) {
                                  tell_made(waiting, "/api/v1/groups", core::number(saved.id));
                                });
}

void group_read(exchange ex) {
  const auto id = id_in_path<core::group_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::group_page>(ex.services().partners.groups, protocol::group_query{*id, ex.who()},
                               [](const exchange& waiting, const protocol::group_page& reply) {
                                 if (const auto* found = group_in(waiting, reply))
                                   tell_tagged(waiting, wire::api_group(*found), *found);
                               });
}

void group_replace(exchange ex) {
  const auto id = id_in_path<core::group_id>(ex);
  auto wanted = id ? read_tag(ex) : std::nullopt;
  auto draft = wanted ? read_json(ex, wire::parse_api_group) : std::nullopt;
  if (!draft)
    return;
  // An invalid draft (400) is reported before a stale tag (412): RFC 9110 §13.2.1.
  if (auto sound = core::check(*draft); !sound)
    return ex.fail(sound.error());
  when_as_wanted(ex, *id, std::move(*wanted), [id = *id, draft = std::move(*draft)](const exchange& waiting, std::string seen) {
    waiting.ask<protocol::saved_group>(waiting.services().partners.groups,
                                       protocol::save_group{id, draft, waiting.who(), std::move(seen)},
                                       [](const exchange& saved, const protocol::saved_group&) { tell_nothing(saved); });
  });
}

void group_remove(exchange ex) {
  const auto id = id_in_path<core::group_id>(ex);
  auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  const auto remove = [id = *id](const exchange& waiting, std::string seen) {
    waiting.ask<void>(waiting.services().partners.groups, protocol::remove_group{id, waiting.who(), std::move(seen)},
                      tell_nothing);
  };
  if (!wanted->tag)
    return remove(ex, {});
  when_as_wanted(ex, *id, std::move(*wanted), remove);
}

} // namespace ringmaster::gateway::handlers::v1
