#include "gateway/handlers/v1/handlers.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gateway/auth/secrets.hpp"
#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/paced_edits.hpp"
#include "protocol/task_messages.hpp"
#include "protocol/wire/v1/api_bulk.hpp"
#include "protocol/wire/v1/api_jobs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

/// Edits each job, with pauses between them. `message_of(exchange, job)` makes the message, `told(Reply)` the answer; both may be
/// called after this function has returned.
template <class Reply, class MessageOf, class Told>
void ask_for_each(const exchange& ex, std::vector<core::job_id> jobs, MessageOf message_of, Told told) {
  const auto ask = [message_of, told](const exchange& asking, const std::shared_ptr<paced_edits>& of, std::size_t at) {
    asking.ask_within<Reply>(
      of->left(), asking.services().partners.jobs, message_of(asking, of->job(at)),
      [of, at, told](const exchange&, const Reply& reply) { of->close(at, told(reply)); },
      [of, at](const exchange&, const core::error& error) { of->close(at, error); });
  };
  std::make_shared<paced_edits>(ex, std::move(jobs), ask)->begin();
}

// -- tasks -----------------------------------------------------------------------------------------------------------------

void set_search(protocol::begin_task& command, core::job_search&& search) { command.jobs = std::move(search); }
void set_search(protocol::begin_task& command, core::run_search&& search) { command.runs = std::move(search); }

/// Answers an error; a wrong `expect` with the real count.
void refuse_task(const exchange& ex, const core::error& error) {
  if (error.code != core::errc::conflict || error.subject.empty())
    return ex.fail(error);
  auto body = ex.problem_of(error);
  body.pop_back();
  body += R"(,"count":)" + error.subject + '}';
  ex.respond({http_status(error.code), std::string{problem_type}, std::move(body), {}});
}

/// Begins a task with the objects of a request, and answers 202.
template <class Bulk>
void begin_task(const exchange& ex, core::task_action action, Bulk bulk, std::string digest = {}) {
  protocol::begin_task command;
  command.action = action;
  command.by = ex.who();
  command.digest = std::move(digest);
  command.wanted = std::move(bulk.wanted);
  command.to_same_executor = bulk.to_same_executor;
  command.expect = bulk.expect;
  for (const auto id : bulk.ids)
    command.ids.push_back(core::number(id));
  command.by_search = bulk.filter.has_value();
  if (bulk.filter)
    set_search(command, std::move(*bulk.filter));
  ex.ask<protocol::task_begun>(ex.services().partners.tasks, std::move(command),
                               [](const exchange& waiting, const protocol::task_begun& begun) {
                                 const auto place = "/api/v1/tasks/" + std::to_string(core::number(begun.task));
                                 tell_json(waiting, wire::api_task_begun(begun.task), 202,
                                           {{"Location", waiting.location(place)}});
                               },
                               refuse_task);
}

/// Sends a message with `task` and `by`, and answers the progress.
template <class Message>
void ask_about_task(const exchange& ex) {
  const auto id = id_in_path<core::task_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::task_found>(ex.services().partners.tasks, Message{*id, ex.who()},
                               [](const exchange& waiting, const protocol::task_found& found) {
                                 std::vector<std::string> details;
                                 for (const auto& each : found.progress.problems)
                                   details.push_back(waiting.detail_of(each.why));
                                 tell_json(waiting, wire::api_task(found.progress, details));
                               });
}

// -- requests --------------------------------------------------------------------------------------------------------------

/// Counts a request that names several jobs as that many requests of its user.
void charge_for(const exchange& ex, const std::vector<core::job_id>& jobs) {
  if (!jobs.empty())
    ex.services().requests.charge(ex.who().user, jobs.size() - 1);
}

template <class Message>
void edit_all(const exchange& ex, core::task_action action) {
  auto bulk = read_json(ex, [](std::string_view body) { return wire::parse_api_bulk(body, wire::bulk_use::edit); });
  if (!bulk)
    return;
  if (bulk->filter)
    return begin_task(ex, action, std::move(*bulk));
  charge_for(ex, bulk->ids);
  const auto message_of = [](const exchange& asking, core::job_id job) {
    Message message;
    message.job = job;
    message.by = asking.who();
    return message;
  };
  ask_for_each<core::job_edit>(ex, std::move(bulk->ids), message_of, wire::api_job_edit);
}

/// Reads a trigger of many objects by `parse` and `Idempotency-Key`. Sets `digest`, which tells whether a request is repeated.
template <class Parse>
auto read_trigger_of_many(const exchange& ex, Parse parse, std::string& digest) {
  using bulk_type = typename std::invoke_result_t<Parse, std::string_view, wire::bulk_use>::value_type;
  const auto token = trigger_token_of(ex.request(), ex.who());
  if (!token) {
    ex.reject(token.error());
    return std::optional<bulk_type>{};
  }
  if (*token != 0)
    digest = sha256_hex(ex.request().body);
  auto bulk = read_json(ex, [parse](std::string_view body) { return parse(body, wire::bulk_use::trigger); });
  if (bulk) {
    bulk->wanted.token = *token;
    bulk->wanted.kind = ex.kind_of_trigger();
  }
  return bulk;
}

} // namespace

void jobs_start(exchange ex) { edit_all<protocol::start_job>(ex, core::task_action::start); }

void jobs_stop(exchange ex) { edit_all<protocol::stop_job>(ex, core::task_action::stop); }

void jobs_remove(exchange ex) {
  auto bulk = read_json(ex, [](std::string_view body) { return wire::parse_api_bulk(body, wire::bulk_use::edit); });
  if (bulk)
    begin_task(ex, core::task_action::remove, std::move(*bulk));
}

void jobs_trigger(exchange ex) {
  std::string digest;
  auto bulk = read_trigger_of_many(ex, wire::parse_api_bulk, digest);
  if (!bulk)
    return;
  if (bulk->filter)
    return begin_task(ex, core::task_action::trigger, std::move(*bulk), std::move(digest));
  charge_for(ex, bulk->ids);
  const auto message_of = [wanted = std::move(bulk->wanted)](const exchange& asking, core::job_id job) {
    auto each = wanted;
    each.job = job;
    return protocol::trigger_job{std::move(each), asking.who()};
  };
  ask_for_each<core::intent>(ex, std::move(bulk->ids), message_of, wire::api_intent);
}

void runs_kill(exchange ex) {
  auto bulk = read_json(ex, [](std::string_view body) { return wire::parse_api_run_bulk(body, wire::bulk_use::edit); });
  if (bulk)
    begin_task(ex, core::task_action::kill, std::move(*bulk));
}

void runs_rerun(exchange ex) {
  std::string digest;
  auto bulk = read_trigger_of_many(ex, wire::parse_api_run_bulk, digest);
  if (bulk)
    begin_task(ex, core::task_action::rerun, std::move(*bulk), std::move(digest));
}

void task_read(exchange ex) { ask_about_task<protocol::task_query>(ex); }

void task_abort(exchange ex) { ask_about_task<protocol::abort_task>(ex); }

} // namespace ringmaster::gateway::handlers::v1
