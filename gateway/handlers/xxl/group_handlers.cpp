#include "gateway/handlers/xxl/handlers.hpp"

#include <utility>

#include "gateway/exchange/web_form.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/job_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;
using wire::form;

void tell_saved_group(const exchange& ex, const protocol::saved_group&) { tell_done(ex); }

core::result<protocol::save_group> change_of(const form& sent) {
  const auto id = id_of<core::group_id>(sent, "id");
  if (!id)
    return tl::unexpected{id.error()};
  return wire::group_draft_of(sent).map([&](core::group_draft draft) { return protocol::save_group{*id, std::move(draft), {}}; });
}

} // namespace

void group_list(exchange ex) {
  auto search = read_form(ex, wire::group_search_of);
  if (!search)
    return ex.reject(search.error());
  ex.ask<protocol::group_page>(ex.services().partners.groups, protocol::group_page_query{std::move(*search), ex.who()},
                               [](const exchange& waiting, const protocol::group_page& reply) {
                                 tell_page(waiting, reply.page, wire::group_rows(reply.page.rows, waiting.style()));
                               });
}

void group_add(exchange ex) {
  auto draft = read_form(ex, wire::group_draft_of);
  if (!draft)
    return ex.reject(draft.error());
  ex.ask<protocol::saved_group>(ex.services().partners.groups,
                                protocol::save_group{std::nullopt, std::move(*draft), ex.who()}, tell_saved_group);
}

void group_update(exchange ex) {
  auto change = read_form(ex, change_of);
  if (!change)
    return ex.reject(change.error());
  change->by = ex.who();
  ex.ask<protocol::saved_group>(ex.services().partners.groups, std::move(*change), tell_saved_group);
}

void group_remove(exchange ex) {
  const auto id = read_one_id<core::group_id>(ex);
  if (!id)
    return ex.reject(id.error());
  ex.ask<void>(ex.services().partners.groups, protocol::remove_group{*id, ex.who()}, tell_done,
               [](const exchange& waiting, const core::error& error) {
                 return error.code == core::errc::not_found ? tell_done(waiting) : waiting.fail(error);
               });
}

void group_load(exchange ex) {
  const auto id = read_form(ex, [](const form& sent) { return id_of<core::group_id>(sent, "id"); });
  if (!id)
    return ex.reject(id.error());
  ex.ask<protocol::group_page>(ex.services().partners.groups, protocol::group_query{*id, ex.who()},
                               [](const exchange& waiting, const protocol::group_page& reply) {
                                 const auto& rows = reply.page.rows;
                                 if (rows.empty())
                                   return waiting.fail({core::errc::not_found, "no such executor"});
                                 waiting.tell(
                                   wire::success_with(wire::group_row(rows.front(), waiting.style()), waiting.style()));
                               });
}

} // namespace ringmaster::gateway::handlers
