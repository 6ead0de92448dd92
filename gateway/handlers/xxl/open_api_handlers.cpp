#include "gateway/handlers/xxl/handlers.hpp"

#include <string>
#include <utility>

#include "core/editing/edit_tag.hpp"
#include "core/editing/manual_edits.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/wire/xxl/dialect.hpp"
#include "protocol/wire/xxl/open_api_codec.hpp"
#include "protocol/wire/xxl/reply_codec.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;

/// Tries of an update that another user's edit overtakes.
constexpr int update_tries = 2;

/// Returns the reason why the request's token cannot manage jobs; empty when it can. A previous token of a group only serves
/// heartbeats and results.
std::string_view refusal_of(const exchange& ex) {
  const auto& web = ex.services().web;
  const auto& admission = ex.admission();
  if (!web.groups_manage_jobs)
    return "job management is disabled (gateway.job_management)";
  if (!admission.group)
    return web.all_manage_jobs ? std::string_view{} : "use the token of the job's group to manage it (gateway.job_management)";
  return admission.token == core::token_kind::previous ? "the previous token of a group cannot manage jobs" : std::string_view{};
}

/// Returns the principal of an executor's token: an administrator of all jobs for the common token, an editor of the group for a
/// group's token. The audit log names the app.
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

/// Refuses requests that the token does not permit, and requests that are too frequent. One bucket serves all six operations of
/// this node. Each group's token has its own bucket of half the size, so that other groups keep the other half.
bool may_go_on(const exchange& ex) {
  if (const auto refusal = refusal_of(ex); !refusal.empty()) {
    ex.refuse(refusal);
    return false;
  }
  const auto now = std::chrono::steady_clock::now();
  const auto& services = ex.services();
  const auto& group = ex.admission().group;
  const bool has_share = !group || services.group_management.try_emplace(*group, 50, 100).first->second.take(now);
  if (has_share && services.management.take(now))
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

/// Updates the job with the new draft, but keeps its group and children. An edit by another user in between is a conflict, and
/// the update reads the job again.
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
  if (!may_go_on(ex))
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
  if (!may_go_on(ex))
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
  if (!may_go_on(ex))
    return;
  auto wanted = wire::parse_open_job(ex.request().body);
  if (!wanted)
    return refuse(ex, wanted.error());
  look_and_update(ex, std::move(*wanted), update_tries);
}

void remove_job(exchange ex) {
  if (!may_go_on(ex))
    return;
  auto id = wire::parse_open_job_id(ex.request().body);
  if (!id)
    return refuse(ex, id.error());
  ex.ask<core::job_edit>(
    ex.services().partners.jobs, protocol::remove_job{*id, false, asker(ex)},
    [](const exchange& waiting, const core::job_edit&) { waiting.succeed(); },
    [](const exchange& waiting, const core::error& error) {
      // A job that is already removed is not an error (XXL admin §8.6).
      if (error.code == core::errc::not_found)
        return waiting.succeed();
      refuse(waiting, error);
    });
}

void start_job(exchange ex) { manage_by_id<protocol::start_job>(ex); }
void stop_job(exchange ex) { manage_by_id<protocol::stop_job>(ex); }

void trigger_job(exchange ex) {
  if (!may_go_on(ex))
    return;
  auto wanted = wire::parse_open_trigger(ex.request().body);
  if (!wanted)
    return refuse(ex, wanted.error());
  core::manual_trigger command;
  command.job = wanted->id;
  command.kind = core::trigger_kind::api;
  command.param = std::move(wanted->param);
  command.addresses = std::move(wanted->addresses);
  ask_jobs<core::intent>(ex, protocol::trigger_job{std::move(command), asker(ex)});
}

} // namespace ringmaster::gateway::handlers
