#include "gateway/handlers/v1/handlers.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_jobs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

/// Outcome of each job, in the order of the request; answered when the last one is known.
struct bulk_outcome {
  std::vector<std::string> items;
  std::size_t open = 0;
};

std::string item_of(core::job_id job, unsigned status, std::string_view field, std::string_view json) {
  return wire::json_object_of([&](wire::json_object& item) {
    item.number("id", core::number(job));
    item.number("status", status);
    item.raw(field, json);
  });
}

void close_item(const exchange& ex, const std::shared_ptr<bulk_outcome>& outcome, std::size_t at, std::string item) {
  outcome->items[at] = std::move(item);
  if (--outcome->open > 0)
    return;
  const auto append = [](std::string& to, const std::string& each) { to += each; };
  tell_json(ex, R"({"items":)" + wire::json_array(outcome->items, append) + '}');
}

/// Asks about all jobs at once, so that each has the whole time limit. `message_of(job)` makes the message, `told(Reply)` the
/// answer.
template <class Reply, class MessageOf, class Told>
void ask_for_each(const exchange& ex, const std::vector<core::job_id>& jobs, MessageOf message_of, Told told) {
  auto outcome = std::make_shared<bulk_outcome>(bulk_outcome{std::vector<std::string>(jobs.size()), jobs.size()});
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    const auto job = jobs[at];
    ex.ask<Reply>(
      ex.services().partners.jobs, message_of(job),
      [=](const exchange& waiting, const Reply& reply) {
        close_item(waiting, outcome, at, item_of(job, 200, "done", told(reply)));
      },
      [=](const exchange& waiting, const core::error& error) {
        close_item(waiting, outcome, at, item_of(job, http_status(error.code), "problem", waiting.problem_of(error)));
      });
  }
}

/// Counts a request that names several jobs as that many requests of its user.
void charge_for(const exchange& ex, const std::vector<core::job_id>& jobs) {
  if (!jobs.empty())
    ex.services().requests.charge(ex.who().user, jobs.size() - 1);
}

template <class Message>
void edit_all(const exchange& ex) {
  const auto bulk = read_json(ex, [](std::string_view body) { return wire::parse_api_bulk(body, wire::bulk_use::edit); });
  if (!bulk)
    return;
  charge_for(ex, bulk->ids);
  const auto message_of = [&ex](core::job_id job) {
    Message message;
    message.job = job;
    message.by = ex.who();
    return message;
  };
  ask_for_each<core::job_edit>(ex, bulk->ids, message_of, wire::api_job_edit);
}

} // namespace

void jobs_start(exchange ex) { edit_all<protocol::start_job>(ex); }

void jobs_stop(exchange ex) { edit_all<protocol::stop_job>(ex); }

void jobs_trigger(exchange ex) {
  const auto token = trigger_token_of(ex.request(), ex.who());
  if (!token)
    return ex.reject(token.error());
  const auto bulk = read_json(ex, [](std::string_view body) { return wire::parse_api_bulk(body, wire::bulk_use::trigger); });
  if (!bulk)
    return;
  charge_for(ex, bulk->ids);
  const auto message_of = [&](core::job_id job) {
    auto wanted = bulk->wanted;
    wanted.job = job;
    wanted.token = *token;
    return protocol::trigger_job{std::move(wanted), ex.who()};
  };
  ask_for_each<core::intent>(ex, bulk->ids, message_of, wire::api_intent);
}

} // namespace ringmaster::gateway::handlers::v1
