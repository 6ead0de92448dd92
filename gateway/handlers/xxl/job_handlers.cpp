#include "gateway/handlers/xxl/handlers.hpp"

#include <utility>

#include "core/editing/manual_edits.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/schedule_preview.hpp"
#include "core/text/text.hpp"
#include "gateway/exchange/web_form.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/job_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;
using core::refusal;
using wire::form;

void tell_edited(const exchange& ex, const core::job_edit&) { tell_done(ex); }

core::result<core::manual_trigger> trigger_of(const form& sent) {
  core::manual_trigger wanted;
  const auto id = id_of<core::job_id>(sent, "id");
  auto addresses = core::parse_addresses({sent.text_or_empty("addressList")});
  if (!id || !addresses)
    return tl::unexpected{id ? addresses.error() : id.error()};
  wanted.job = *id;
  wanted.param = sent.text_or_empty("executorParam");
  wanted.addresses = std::move(*addresses);
  return wanted;
}

core::result<protocol::update_job> update_of(const form& sent) {
  const auto id = id_of<core::job_id>(sent, "id");
  if (!id)
    return tl::unexpected{id.error()};
  return wire::job_draft_of(sent).map(
    [&](core::job_draft draft) { return protocol::update_job{*id, std::move(draft), {}, {}}; });
}

core::result<protocol::save_source> source_of(const form& sent) {
  return id_of<core::job_id>(sent, "id").map([&](core::job_id id) {
    return protocol::save_source{id, sent.text_or_empty("glueSource"), sent.text_or_empty("glueRemark"), {}};
  });
}

} // namespace

void job_list(exchange ex) {
  auto search = read_form(ex, wire::job_search_of);
  if (!search)
    return ex.reject(search.error());
  ex.ask<protocol::job_page>(ex.services().partners.jobs, protocol::job_page_query{std::move(*search), ex.who()},
                             [](const exchange& waiting, const protocol::job_page& reply) {
                               tell_page(waiting, reply.page, wire::job_rows(reply.page.rows, waiting.style()));
                             });
}

void job_add(exchange ex) {
  auto draft = read_form(ex, wire::job_draft_of);
  if (!draft)
    return ex.reject(draft.error());
  ex.ask<protocol::added_job>(ex.services().partners.jobs, protocol::add_job{std::move(*draft), ex.who()},
                              [](const exchange& waiting, const protocol::added_job& added) {
                                waiting.tell(wire::success_text(std::to_string(core::number(added.id)), waiting.style()));
                              });
}

void job_update(exchange ex) {
  auto update = read_form(ex, update_of);
  if (!update)
    return ex.reject(update.error());
  update->by = ex.who();
  ex.ask<core::job_edit>(ex.services().partners.jobs, std::move(*update), tell_edited, missing_is(refusal::job_missing));
}

void job_remove(exchange ex) {
  const auto id = read_one_id<core::job_id>(ex);
  if (!id)
    return ex.reject(id.error());
  ex.ask<core::job_edit>(ex.services().partners.jobs, protocol::remove_job{*id, false, ex.who()}, tell_edited,
                         [](const exchange& waiting, const core::error& error) {
                           return error.code == core::errc::not_found ? tell_done(waiting) : waiting.fail(error);
                         });
}

void job_start(exchange ex) {
  const auto id = read_one_id<core::job_id>(ex);
  if (!id)
    return ex.reject(id.error());
  ex.ask<core::job_edit>(ex.services().partners.jobs, protocol::start_job{*id, ex.who()}, tell_edited,
                         missing_is(refusal::job_id_illegal));
}

void job_stop(exchange ex) {
  const auto id = read_one_id<core::job_id>(ex);
  if (!id)
    return ex.reject(id.error());
  ex.ask<core::job_edit>(ex.services().partners.jobs, protocol::stop_job{*id, ex.who()}, tell_edited,
                         missing_is(refusal::job_id_illegal));
}

void job_trigger(exchange ex) {
  auto wanted = read_form(ex, trigger_of);
  if (!wanted)
    return ex.reject(wanted.error());
  ex.ask<core::intent>(
    ex.services().partners.jobs, protocol::trigger_job{std::move(*wanted), ex.who()},
    [](const exchange& waiting, const core::intent&) { tell_done(waiting); }, missing_is(refusal::job_id_illegal));
}

void next_trigger_time(exchange ex) {
  const auto& where = ex.services().web.zone;
  const auto times = read_form(ex, [&](const form& sent) -> core::result<std::vector<core::time_point>> {
    const auto type = sent.text_or_empty("scheduleType"), conf = sent.text_or_empty("scheduleConf");
    // Up to 3.2 an empty text is an error of its schedule type; later releases have no times for it.
    if (const auto known = core::find_schedule_type(type);
        ex.style().dialect == wire::dialect::xxl2 && known && core::is_blank(conf) && *known != core::schedule_type::none)
      if (const auto rule = core::schedule::compile(*known, conf, where); !rule)
        return core::refuse(core::errc::invalid_argument, refusal::schedule_type_illegal, rule.error().context,
                            rule.error().context);
    return core::preview(type, conf, ex.services().now(), where);
  });
  if (!times)
    return ex.reject(times.error());
  ex.tell(wire::success_with(wire::time_list(*times, where), ex.style()));
}

void source_save(exchange ex) {
  auto source = read_form(ex, source_of);
  if (!source)
    return ex.reject(source.error());
  source->by = ex.who();
  ex.ask<core::job_edit>(ex.services().partners.jobs, std::move(*source), tell_edited, missing_is(refusal::job_id_illegal));
}

} // namespace ringmaster::gateway::handlers
