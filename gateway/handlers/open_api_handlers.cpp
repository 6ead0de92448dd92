#include "gateway/handlers/open_api_handlers.hpp"

#include <string>
#include <utility>

#include "core/edit_tag.hpp"
#include "core/job_card.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/wire/dialect.hpp"
#include "protocol/wire/open_api_codec.hpp"
#include "protocol/wire/reply_codec.hpp"
#include "protocol/wire/texts.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;

/// Of an update that somebody else's edit overtakes.
constexpr int update_tries = 2;

/// Whoever has the token of all executors may manage all jobs, who has that of a group those of the group. The record of changes
/// names the app.
core::principal asker(const exchange& ex) {
  const auto app = app_header(ex.request());
  const auto& group = ex.admission().group;
  core::principal who;
  who.name = app.empty() ? "openapi" : "openapi:" + std::string{app};
  who.admin = !group;
  if (group)
    who.rights.emplace_back(*group, core::group_right::editor);
  who.remote = ex.request().remote_address;
  return who;
}

void reply(const exchange& ex, std::string body) {
  protocol::http_response response;
  response.body = std::move(body);
  ex.respond(std::move(response));
}

void refuse(const exchange& ex, const core::error& error) {
  if (error.code == core::errc::internal)
    return ex.fail(error);
  ex.refuse(wire::message_of(error, {wire::dialect::xxl3, ex.services().web.language}));
}

/// One bucket for all six operations of this node.
bool is_in_time(const exchange& ex) {
  if (ex.services().management.take(std::chrono::steady_clock::now()))
    return true;
  reply(ex, wire::encode_reply(wire::reply_code::too_many, wire::reply_text::too_many_requests));
  return false;
}

template <class Reply, class Message>
void ask_jobs(const exchange& ex, Message message) {
  ex.ask<Reply>(
    ex.services().partners.jobs, std::move(message), [](const exchange& waiting, const Reply&) { waiting.succeed(); }, refuse);
}

void look_and_update(const exchange& ex, wire::open_job wanted, int tries);

/// With what an update keeps of the job that there is. Who edited it meanwhile may have changed that.
void update_known(const exchange& ex, wire::open_job wanted, const core::job_record& known, int tries) {
  auto draft = wanted.draft;
  draft.group = known.group;
  draft.children = known.children;
  ex.ask<core::job_edit>(
    ex.services().partners.jobs, protocol::update_job{wanted.id, std::move(draft), core::edit_tag(known), asker(ex)},
    [](const exchange& waiting, const core::job_edit&) { waiting.succeed(); },
    [wanted = std::move(wanted), tries](const exchange& waiting, const core::error& error) {
      if (error.code == core::errc::conflict && tries > 1)
        return look_and_update(waiting, wanted, tries - 1);
      refuse(waiting, error);
    });
}

void look_and_update(const exchange& ex, wire::open_job wanted, int tries) {
  ex.ask<protocol::job_found>(
    ex.services().partners.jobs, protocol::job_query{wanted.id, asker(ex)},
    [wanted = std::move(wanted), tries](const exchange& waiting, const protocol::job_found& found) {
      update_known(waiting, wanted, found.job, tries);
    },
    refuse);
}

template <class Message>
void manage_by_id(const exchange& ex) {
  if (!is_in_time(ex))
    return;
  auto id = wire::parse_open_job_id(ex.request().body);
  if (!id)
    return refuse(ex, id.error());
  Message message;
  message.job = *id;
  message.by = asker(ex);
  ask_jobs<core::job_edit>(ex, std::move(message));
}

} // namespace

void add_job(exchange ex) {
  if (!is_in_time(ex))
    return;
  auto wanted = wire::parse_open_job(ex.request().body);
  if (!wanted)
    return refuse(ex, wanted.error());
  ex.ask<protocol::added_job>(
    ex.services().partners.jobs, protocol::add_job{std::move(wanted->draft), asker(ex)},
    [](const exchange& waiting, const protocol::added_job& added) {
      reply(waiting, wire::encode_reply(200, std::nullopt, std::to_string(core::number(added.id))));
    },
    refuse);
}

void update_job(exchange ex) {
  if (!is_in_time(ex))
    return;
  auto wanted = wire::parse_open_job(ex.request().body);
  if (!wanted)
    return refuse(ex, wanted.error());
  look_and_update(ex, std::move(*wanted), update_tries);
}

void remove_job(exchange ex) {
  if (!is_in_time(ex))
    return;
  auto id = wire::parse_open_job_id(ex.request().body);
  if (!id)
    return refuse(ex, id.error());
  ex.ask<core::job_edit>(
    ex.services().partners.jobs, protocol::remove_job{*id, false, asker(ex)},
    [](const exchange& waiting, const core::job_edit&) { waiting.succeed(); },
    [](const exchange& waiting, const core::error& error) {
      // Who is gone already is no error (XXL admin §8.6).
      if (error.code == core::errc::not_found)
        return waiting.succeed();
      refuse(waiting, error);
    });
}

void start_job(exchange ex) { manage_by_id<protocol::start_job>(ex); }
void stop_job(exchange ex) { manage_by_id<protocol::stop_job>(ex); }

void trigger_job(exchange ex) {
  if (!is_in_time(ex))
    return;
  auto wanted = wire::parse_open_trigger(ex.request().body);
  if (!wanted)
    return refuse(ex, wanted.error());
  core::manual_trigger wish;
  wish.job = wanted->id;
  wish.kind = core::trigger_kind::api;
  wish.param = std::move(wanted->param);
  wish.addresses = std::move(wanted->addresses);
  ask_jobs<core::intent>(ex, protocol::trigger_job{std::move(wish), asker(ex)});
}

} // namespace ringmaster::gateway::handlers
