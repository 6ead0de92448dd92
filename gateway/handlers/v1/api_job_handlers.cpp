#include "gateway/handlers/v1/handlers.hpp"

#include <functional>
#include <string>
#include <utility>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/later_edit.hpp"
#include "gateway/handlers/v1/schedule_problem.hpp"
#include "protocol/wire/v1/api_bulk.hpp"
#include "protocol/wire/v1/api_jobs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

using on_failure = std::function<void(const exchange&, const core::error&)>;

void tell_failed(const exchange& ex, const core::error& error) { ex.fail(error); }

void tell_edited(const exchange& ex, const core::job_edit& edit) { tell_json(ex, wire::api_job_edit(edit)); }

/// Sends a message with `job` and `by`.
template <class Message>
void edit_by_id(const exchange& ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  Message message;
  message.job = *id;
  message.by = ex.who();
  ex.ask<core::job_edit>(ex.services().partners.jobs, std::move(message), tell_edited);
}

/// Sends an edit of a job. Answers a later edit with its user; `on_error` answers all other errors.
template <class Command, class OnReply>
void ask_to_edit(const exchange& ex, Command command, edited_part part, OnReply on_reply, on_failure on_error) {
  const auto job = command.job;
  ex.ask<core::job_edit>(ex.services().partners.jobs, std::move(command), on_reply,
                         [job, part, on_error](const exchange& waiting, const core::error& error) {
                           if (core::is_edited_meanwhile(error))
                             return tell_failed_edit(waiting, error, job, part);
                           on_error(waiting, error);
                         });
}

/// Sends `command` with the version of the job that it has seen, if the job matches the wanted ETag. A later edit is a conflict.
template <class Wish, class OnReply>
void ask_as_seen(const exchange& ex, Wish command, wanted_tag wanted, OnReply on_reply, on_failure on_error) {
  protocol::job_query query{command.job, ex.who()};
  ex.ask<protocol::job_found>(ex.services().partners.jobs, std::move(query),
                              [=](const exchange& waiting, const protocol::job_found& found) {
                                auto tag = core::edit_tag(found.job);
                                if (!wanted.matches(tag))
                                  return tell_failed_edit(waiting, core::edited_meanwhile("the job"), command.job,
                                                          edited_part::job);
                                auto asked = command;
                                if (wanted.tag)
                                  asked.seen = std::move(tag);
                                ask_to_edit(waiting, std::move(asked), edited_part::job, on_reply, on_error);
                              });
}

/// A job without an author gets the caller as author.
std::optional<core::job_draft> read_draft(const exchange& ex, core::draft_use use) {
  auto draft = read_json(ex, [use](std::string_view body) { return wire::parse_api_job(body, use); });
  if (draft && draft->author.empty())
    draft->author = ex.who().name;
  return draft;
}

/// Returns the answer to a refused draft: a wrong cron is marked.
on_failure place_of_error(const core::job_draft& draft) {
  return [conf = draft.schedule_conf.value_or(std::string{})](const exchange& waiting, const core::error& error) {
    fail_with_place(waiting, error, conf);
  };
}

void tell_removed(const exchange& ex, const core::job_edit&) { tell_nothing(ex); }

/// Number of a version in the path.
enum class version_id : std::int64_t {};

/// Answers with JSON and the ETag of the job's present source.
void tell_source(const exchange& ex, std::string body, std::string_view tag) {
  tell_json(ex, std::move(body), 200, {{"ETag", etag_of(tag)}});
}

} // namespace

void job_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_job_list_of, 1, wire::cursor_use::ordered);
  if (!query)
    return;
  auto& [search, from] = *query;
  protocol::job_page_query asked{search, ex.who(), true};
  ex.ask<protocol::job_page>(
    ex.services().partners.jobs, std::move(asked),
    [search = std::move(search), from = from](const exchange& waiting, const protocol::job_page& reply) {
      const auto& [rows, total, capped] = reply.page;
      const auto items = wire::api_jobs(rows, reply.facts, {waiting.style().language, waiting.services().web.zone});
      tell_json(waiting, wire::api_page_before(items, wire::next_jobs(search, from, rows, reply.more), total, capped));
    });
}

void job_add(exchange ex) {
  auto draft = read_draft(ex, core::draft_use::add);
  if (!draft)
    return;
  auto failed = place_of_error(*draft);
  ex.ask<protocol::added_job>(ex.services().partners.jobs, protocol::add_job{std::move(*draft), ex.who()},
                              [](const exchange& waiting, const protocol::added_job& added) {
                                tell_made(waiting, "/api/v1/jobs", core::number(added.id));
                              },
                              std::move(failed));
}

void job_read(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::job_found>(ex.services().partners.jobs, protocol::job_query{*id, ex.who()},
                              [](const exchange& waiting, const protocol::job_found& found) {
                                tell_tagged(waiting, wire::api_job(found.job), found.job);
                              });
}

void job_replace(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  auto wanted = read_tag(ex);
  if (!wanted)
    return;
  auto draft = read_draft(ex, core::draft_use::update);
  if (!draft)
    return;
  auto failed = place_of_error(*draft);
  protocol::update_job command{*id, std::move(*draft), {}, ex.who()};
  ask_as_seen(ex, std::move(command), std::move(*wanted), tell_edited, std::move(failed));
}

void job_remove(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  protocol::remove_job command{*id, false, ex.who()};
  if (wanted->tag)
    return ask_as_seen(ex, std::move(command), std::move(*wanted), tell_removed, tell_failed);
  ex.ask<core::job_edit>(ex.services().partners.jobs, std::move(command), tell_removed);
}

void job_start(exchange ex) { edit_by_id<protocol::start_job>(ex); }

void job_stop(exchange ex) { edit_by_id<protocol::stop_job>(ex); }

void job_trigger(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  const auto token = trigger_token_of(ex.request(), ex.who());
  if (!token)
    return ex.reject(token.error());
  auto command = read_json(ex, wire::parse_api_trigger);
  if (!command)
    return;
  command->job = *id;
  command->token = *token;
  command->kind = ex.kind_of_trigger();
  ex.ask<core::intent>(ex.services().partners.jobs, protocol::trigger_job{std::move(*command), ex.who()},
                       [](const exchange& waiting, const core::intent& intent) {
                         tell_json(waiting, wire::api_intent(intent), 202);
                       });
}

void intent_read(exchange ex) {
  const auto id = id_in_path<core::intent_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::intent_found>(ex.services().partners.jobs, protocol::intent_query{*id, ex.who()},
                                 [](const exchange& waiting, const protocol::intent_found& found) {
                                   tell_json(waiting, wire::api_asked_runs(found.waiting, found.runs));
                                 });
}

void source_list(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  auto search = id ? read_query(ex, [&](const wire::form& sent) { return wire::api_source_search_of(sent, *id); }) : std::nullopt;
  if (!search)
    return;
  ex.ask<protocol::source_list>(
    ex.services().partners.jobs, protocol::source_query{*search, ex.who()},
    [bodies = search->bodies](const exchange& waiting, const protocol::source_list& list) {
      const auto& versions = list.history.versions;
      const auto total = static_cast<std::int64_t>(versions.size());
      tell_source(waiting, wire::api_page(wire::api_sources(versions, bodies), std::nullopt, total), list.history.tag);
    });
}

void source_read(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  const auto version = id ? id_in_path<version_id>(ex, "version") : std::nullopt;
  if (!version)
    return;
  ex.ask<protocol::source_list>(
    ex.services().partners.jobs, protocol::source_query{{*id, core::number(*version)}, ex.who()},
    [](const exchange& waiting, const protocol::source_list& list) {
      tell_source(waiting, wire::api_source(list.history.versions.front()), list.history.tag);
    });
}

void source_save(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  const auto wanted = wanted_tag_of(ex.request());
  if (!wanted)
    return ex.reject(wanted.error());
  auto sent = read_json(ex, wire::parse_api_source);
  if (!sent)
    return;
  protocol::save_source command{*id, std::move(sent->source), std::move(sent->remark), ex.who()};
  // The store compares the tag, in the transaction that writes.
  if (*wanted)
    command.seen = (*wanted)->tag;
  const auto tell_saved = [](const exchange& waiting, const core::job_edit& edit) {
    tell_source(waiting, wire::api_job_edit(edit), edit.source_tag);
  };
  ask_to_edit(ex, std::move(command), edited_part::source, tell_saved, tell_failed);
}

} // namespace ringmaster::gateway::handlers::v1
