// /api/v1: orders about runs, servers and hosts of elastic jobs, and what helps to give them.

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

void tell_elastic_order(const exchange& ex, const protocol::elastic_edited& edit) {
  tell_json(ex, wire::api_elastic_edit(edit.done));
}

void switch_elastic_server(const exchange& ex, bool disabled) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (id && read_json(ex, wire::parse_api_elastic_order))
    ex.ask<protocol::elastic_edited>(ex.services().partners.elastic,
                                     protocol::set_elastic_server{*id, std::string{ex.parameter("name")}, disabled, ex.who()},
                                     tell_elastic_order);
}

void set_elastic_host_mode(const exchange& ex, elastic::host_mode mode) {
  if (!read_json(ex, wire::parse_api_elastic_order))
    return;
  ex.ask<protocol::elastic_host_edited>(ex.services().partners.elastic,
                                        protocol::set_elastic_host{std::string{ex.parameter("name")}, mode, ex.who()},
                                        [](const exchange& waiting, const protocol::elastic_host_edited& edit) {
                                          tell_json(waiting, wire::api_elastic_host_edit(edit.done));
                                        });
}

} // namespace

void elastic_restart(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (id && read_json(ex, wire::parse_api_elastic_order))
    ex.ask<protocol::elastic_edited>(ex.services().partners.elastic, protocol::restart_elastic{*id, ex.who()},
                                     tell_elastic_order);
}

void elastic_cancel(exchange ex) {
  const auto id = id_in_path<elastic::item_run_id>(ex);
  if (id && read_json(ex, wire::parse_api_elastic_order))
    ex.ask<protocol::elastic_edited>(ex.services().partners.elastic, protocol::cancel_elastic_run{*id, ex.who()},
                                     tell_elastic_order);
}

void elastic_server_enable(exchange ex) { switch_elastic_server(ex, false); }

void elastic_server_disable(exchange ex) { switch_elastic_server(ex, true); }

void elastic_host_enable(exchange ex) { set_elastic_host_mode(ex, elastic::host_mode::enabled); }

void elastic_host_disable(exchange ex) { set_elastic_host_mode(ex, elastic::host_mode::disabled); }

void elastic_host_drain(exchange ex) { set_elastic_host_mode(ex, elastic::host_mode::draining); }

void elastic_host_remove(exchange ex) { set_elastic_host_mode(ex, elastic::host_mode::removed); }

void elastic_servers(exchange ex) {
  const auto group = read_query(ex, [](const wire::form& sent) { return wire::api_id_of(sent, "group"); });
  if (!group)
    return;
  const auto wanted = *group ? std::optional{core::group_id{**group}} : std::nullopt;
  ex.ask<protocol::elastic_server_list>(ex.services().partners.elastic, protocol::elastic_servers_query{wanted, ex.who()},
                                        [](const exchange& waiting, const protocol::elastic_server_list& list) {
                                          tell_json(waiting, wire::api_elastic_servers(list.rows));
                                        });
}

void elastic_dump(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  const auto masked = id ? read_query(ex, wire::api_elastic_masked_of) : std::nullopt;
  if (!masked)
    return;
  ex.ask<protocol::elastic_dump_found>(ex.services().partners.elastic, protocol::elastic_dump_query{*id, *masked, ex.who()},
                                       [](const exchange& waiting, const protocol::elastic_dump_found& found) {
                                         tell_json(waiting, wire::api_elastic_dump(found.dump));
                                       });
}

} // namespace ringmaster::gateway::handlers::v1
