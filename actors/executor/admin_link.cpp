#include "actors/executor/admin_link.hpp"

#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::actors {

using protocol::wire::admin_family;

std::chrono::milliseconds patience_with(const admin_link_settings& settings) {
  // Each admin is asked at most twice; each request has the limit once to connect and once for the response.
  return settings.timeout * 4 * static_cast<int>(settings.admins.size()) + std::chrono::seconds{5};
}

admin_link_state::admin_link_state(protocol::admin_link::pointer self, std::shared_ptr<protocol::http_client> client,
                                   admin_link_settings settings, logger log)
  : self_{self}, client_{std::move(client)}, settings_{std::move(settings)}, log_{std::move(log)} {
  for (const auto& base : settings_.admins)
    admins_.push_back({base, protocol::split_address(base), settings_.family.value_or(admin_family::array)});
}

protocol::admin_link::behavior_type admin_link_state::make_behavior() {
  return {
    [this](protocol::admin_registration& asked) { return begin({.registration = std::move(asked)}); },
    [this](protocol::report_batch& asked) {
      return begin({.reports = std::move(asked.reports)});
    },
    [this](protocol::admin_replied& told) { replied(std::move(told)); },
  };
}

caf::result<protocol::admin_answer> admin_link_state::begin(round&& asked) {
  asked.promise = self_->make_response_promise<protocol::admin_answer>();
  auto promise = asked.promise;
  const auto number = ++last_round_;
  rounds_.emplace(number, std::move(asked));
  ask(number);
  return promise;
}

void admin_link_state::ask(std::uint64_t number) {
  const auto found = rounds_.find(number);
  if (found->second.at == admins_.size())
    return end(found);
  std::vector<protocol::http_call> calls;
  calls.push_back(call(found->second));
  client_->post(std::move(calls), [me = protocol::admin_link{self_}, number](std::size_t, protocol::http_result&& result) {
    protocol::anon_send(me, protocol::admin_replied{number, std::move(result)});
  });
}

protocol::http_call admin_link_state::call(const round& of) const {
  const auto& to = admins_[of.at];
  protocol::http_call made;
  made.origin = to.address.origin;
  made.target = to.address.prefix;
  if (of.reports) {
    made.target += "/api/callback";
    made.body = protocol::wire::encode_reports(*of.reports, to.family);
  } else {
    made.target += of.registration.remove ? "/api/registryRemove" : "/api/registry";
    made.body = protocol::wire::encode_registry(settings_.app_name, of.registration.address);
  }
  if (!core::is_blank(settings_.access_token))
    made.headers.emplace_back("XXL-JOB-ACCESS-TOKEN", settings_.access_token);
  if (to.family == admin_family::app_named)
    made.headers.emplace_back("XXL-JOB-APPNAME", settings_.app_name);
  made.connect_timeout = settings_.timeout;
  made.request_timeout = settings_.timeout;
  made.reply_bytes_max = reply_bytes_max;
  return made;
}

void admin_link_state::replied(protocol::admin_replied&& told) {
  const auto found = rounds_.find(told.round);
  if (found == rounds_.end())
    return;
  auto& of = found->second;
  auto& from = admins_[of.at];
  const bool answered = told.result.state == protocol::delivery::answered;
  auto reply = answered ? protocol::wire::parse_admin_reply(told.result.status, told.result.body)
                        : protocol::wire::admin_reply{.code = 500, .message = std::move(told.result.error)};
  of.answer.reached = of.answer.reached || answered;
  if (reply.accepted()) {
    of.answer.accepted = true;
    of.answer.accepted_by = from.base;
    return end(found);
  }
  if (answered && learn(from, reply) && !std::exchange(of.asked_again, true)) {
    log_->info("admin {} expects {}", from.base, from.family == admin_family::app_named ? "the app name" : "no app name");
    return ask(told.round);
  }
  of.answer.refusals.push_back(protocol::wire::printed(reply));
  log_->debug("admin {}: {}", from.base, of.answer.refusals.back());
  of.asked_again = false;
  ++of.at;
  ask(told.round);
}

bool admin_link_state::learn(admin& from, const protocol::wire::admin_reply& reply) const {
  if (settings_.family)
    return false;
  const bool misread = from.family == admin_family::app_named && reply.message.starts_with("openapi invoke error:");
  const bool unnamed = from.family == admin_family::array && reply.wants_app_name;
  if (!misread && !unnamed)
    return false;
  from.family = misread ? admin_family::array : admin_family::app_named;
  return true;
}

void admin_link_state::end(std::map<std::uint64_t, round>::iterator which) {
  auto of = std::move(which->second);
  rounds_.erase(which);
  if (admins_.empty())
    of.answer.refusals.emplace_back("no native link is up"); // an executor without admins and nodes does not start
  of.promise.deliver(std::move(of.answer));
}

} // namespace ringmaster::actors
