#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "protocol/wire/v1/api_elastic.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace wire = protocol::wire;
namespace elastic = core::elastic;

namespace {

void tell_elastic_edit(const exchange& ex, const protocol::elastic_edited& edit) {
  tell_json(ex, wire::api_elastic_edit(edit.done));
}

void switch_elastic(const exchange& ex, elastic::job_status status) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (!id)
    return;
  const auto item = read_json(ex, wire::parse_api_elastic_switch);
  if (!item)
    return;
  const auto& actor = ex.services().partners.elastic;
  if (*item)
    return ex.ask<protocol::elastic_edited>(
      actor, protocol::set_elastic_item{*id, **item, status == elastic::job_status::off, ex.who()}, tell_elastic_edit);
  ex.ask<protocol::elastic_edited>(actor, protocol::set_elastic_status{*id, status, ex.who()}, tell_elastic_edit);
}

void set_elastic_status(const exchange& ex, elastic::job_status status) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (id && read_json(ex, wire::parse_api_elastic_order))
    ex.ask<protocol::elastic_edited>(ex.services().partners.elastic, protocol::set_elastic_status{*id, status, ex.who()},
                                     tell_elastic_edit);
}

/// Returns the query of a page and one item more, which shows whether there is a next page.
protocol::elastic_items_query items_from(const exchange& ex, elastic::elastic_job_id job, const wire::api_cursor& from) {
  const auto place = std::min<std::int64_t>(from.place, elastic::items_max);
  return {job, elastic::item_number{static_cast<std::int32_t>(place)}, from.limit + 1, ex.who()};
}

} // namespace

void elastic_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_elastic_search_of);
  if (!query)
    return;
  ex.ask<protocol::elastic_page>(ex.services().partners.elastic,
                                 protocol::elastic_page_query{std::move(query->first), ex.who()},
                                 [from = query->second](const exchange& waiting, const protocol::elastic_page& reply) {
                                   const auto& [rows, total, capped] = reply.page;
                                   tell_json(waiting, wire::api_page(wire::api_elastic_jobs(rows),
                                                                     next_position(from, rows.size(), total), total, capped));
                                 });
}

void elastic_read(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::elastic_found>(ex.services().partners.elastic, protocol::elastic_query{*id, ex.who()},
                                  [](const exchange& waiting, const protocol::elastic_found& found) {
                                    const auto version = std::to_string(found.card.job.version);
                                    tell_json(waiting, wire::api_elastic_job(found.card), 200, {{"ETag", etag_of(version)}});
                                  });
}

void elastic_items(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  const auto from = id ? read_query(ex, [](const wire::form& sent) { return wire::api_cursor_of(sent); }) : std::nullopt;
  if (!from)
    return;
  ex.ask<protocol::elastic_items_found>(
    ex.services().partners.elastic, items_from(ex, *id, *from),
    [limit = from->limit](const exchange& waiting, const protocol::elastic_items_found& found) {
      auto rows = found.items.rows;
      std::optional<std::int64_t> next;
      if (rows.size() > limit) {
        next = core::number(rows[limit].row.item);
        rows.resize(limit);
      }
      tell_json(waiting, wire::api_page(wire::api_elastic_items(rows), next, found.items.total));
    });
}

void elastic_history(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  auto query = id ? read_list_query(ex, wire::api_elastic_history_of) : std::nullopt;
  if (!query)
    return;
  query->first.job = *id;
  ex.ask<protocol::elastic_history_page>(ex.services().partners.elastic,
                                         protocol::elastic_history_query{std::move(query->first), ex.who()},
                                         [](const exchange& waiting, const protocol::elastic_history_page& found) {
                                           tell_json(waiting, wire::api_elastic_history(found.history));
                                         });
}

void elastic_plan(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  const auto without = id ? read_query(ex, [](const wire::form& sent) {
    return core::result<std::string>{sent.text_or_empty("without")};
  }) : std::nullopt;
  if (!without)
    return;
  ex.ask<protocol::elastic_plan_preview>(ex.services().partners.elastic,
                                         protocol::elastic_plan_query{*id, *without, ex.who()},
                                         [](const exchange& waiting, const protocol::elastic_plan_preview& found) {
                                           tell_json(waiting, wire::api_elastic_plan(found.shares));
                                         });
}

void elastic_enable(exchange ex) { switch_elastic(ex, elastic::job_status::on); }

void elastic_disable(exchange ex) { switch_elastic(ex, elastic::job_status::off); }

void elastic_shutdown(exchange ex) { set_elastic_status(ex, elastic::job_status::shut_down); }

void elastic_drain(exchange ex) { set_elastic_status(ex, elastic::job_status::draining); }

void elastic_trigger(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (!id)
    return;
  const auto token = trigger_token_of(ex.request(), ex.who());
  if (!token)
    return ex.reject(token.error());
  auto wanted = read_json(ex, wire::parse_api_elastic_trigger);
  if (!wanted)
    return;
  ex.ask<protocol::elastic_triggered>(
    ex.services().partners.elastic,
    protocol::trigger_elastic{*id, wanted->item, wanted->policy, std::move(wanted->param), *token, ex.who()},
    [](const exchange& waiting, const protocol::elastic_triggered& done) {
      tell_json(waiting, wire::api_elastic_request(done.request), 202);
    });
}

void elastic_hosts(exchange ex) {
  const auto group = read_query(ex, [](const wire::form& sent) { return wire::api_id_of(sent, "group"); });
  if (!group)
    return;
  const auto wanted = *group ? std::optional{core::group_id{**group}} : std::nullopt;
  ex.ask<protocol::elastic_host_list>(ex.services().partners.elastic, protocol::elastic_hosts_query{wanted, ex.who()},
                                      [](const exchange& waiting, const protocol::elastic_host_list& list) {
                                        tell_json(waiting, wire::api_elastic_hosts(list.rows, list.loads));
                                      });
}

} // namespace ringmaster::gateway::handlers::v1
