#include "executor/host/http_door.hpp"

#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/text/text.hpp"
#include "executor/host/own_host.hpp"
#include "protocol/error.hpp"
#include "protocol/wire/executor/trigger_codec.hpp"

namespace ringmaster::executor {

namespace {

using namespace std::chrono_literals;

/// Longer than every limit of executor_host.
constexpr auto patience = 30s;

void answer(const protocol::http_reply_ptr& reply, std::string body) {
  protocol::http_response response;
  response.body = std::move(body);
  reply->send(std::move(response));
}

void answer(const protocol::http_reply_ptr& reply, const core::trigger_reply& told) {
  answer(reply, protocol::wire::encode_trigger_reply(told));
}

void refuse(const protocol::http_reply_ptr& reply, std::string why) { answer(reply, core::trigger_reply{500, std::move(why)}); }

std::string words_of(const caf::error& problem) { return "request error:" + protocol::to_core(problem).context; }

/// Returns the path of a target without its query and trailing slash.
std::string_view path_of(std::string_view target) {
  auto path = target.substr(0, target.find('?'));
  if (path.size() > 1 && path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

/// Browsers send `Origin` with each POST of a page, and newer ones `Sec-Fetch-Site`. No admin sends either.
bool comes_from_page(const protocol::http_request& request) {
  const auto* site = request.find_header("Sec-Fetch-Site");
  return request.find_header("Origin") || (site && *site != "none");
}

template <class T>
std::vector<T> take_front(std::vector<T>& from, std::size_t most) {
  if (from.size() <= most)
    return std::exchange(from, {});
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(most);
  std::vector<T> out{std::make_move_iterator(from.begin()), std::make_move_iterator(end)};
  from.erase(from.begin(), end);
  return out;
}

} // namespace

http_door_state::http_door_state(protocol::executor_door::pointer self, protocol::executor_host host, std::string token,
                                 std::string app_name, std::string address)
  : self_{self},
    host_{std::move(host)},
    token_{std::move(token)},
    app_name_{std::move(app_name)},
    address_{std::move(address)} {}

protocol::executor_door::behavior_type http_door_state::make_behavior() {
  return {
    [this](protocol::http_exchange& exchange) { serve(std::move(exchange)); },
  };
}

std::string http_door_state::refusal_of(const protocol::http_request& request) const {
  if (request.method != "POST")
    return "invalid request, HttpMethod not support.";
  if (core::is_blank(request.target))
    return "invalid request, uri-mapping empty.";
  if (comes_from_page(request))
    return "invalid request, it comes from a web page (Origin, Sec-Fetch-Site).";
  const auto* host = request.find_header("Host");
  if (core::is_blank(token_) && host && !is_own_host(*host, address_))
    return "invalid request, without an access token Host must be an address or this executor's own name.";
  const auto* shown = request.find_header("XXL-JOB-ACCESS-TOKEN");
  if (!core::is_blank(token_) && !(shown && core::equal_in_constant_time(*shown, token_)))
    return "The access token is wrong.";
  const auto* named = request.find_header("XXL-JOB-APPNAME");
  if (named && !core::is_blank(*named) && *named != app_name_)
    return "invalid request, accessToken or appname invalid.";
  return {};
}

void http_door_state::serve(protocol::http_exchange&& exchange) {
  const auto& request = exchange.request;
  if (auto refusal = refusal_of(request); !refusal.empty())
    return refuse(exchange.reply, std::move(refusal));
  const auto path = path_of(request.target);
  if (path == "/run" || path == "/trigger")
    return take_run(std::move(exchange));
  if (path == "/log")
    return read_log(std::move(exchange));
  if (path == "/beat")
    return answer(exchange.reply, core::trigger_reply{});
  if (path != "/idleBeat" && path != "/kill")
    return refuse(exchange.reply, "invalid request, uri-mapping(" + request.target + ") not found.");
  if (path == "/kill")
    return kill(std::move(exchange));
  const auto job = protocol::wire::parse_job_question(request.body);
  if (!job)
    return refuse(exchange.reply, job.error().context);
  ask(protocol::idle_query{*job}, std::move(exchange.reply));
}

void http_door_state::kill(protocol::http_exchange&& exchange) {
  const auto asked = protocol::wire::parse_kill_question(exchange.request.body);
  if (!asked)
    return refuse(exchange.reply, asked.error().context);
  ask(protocol::kill_job{asked->job, asked->run}, std::move(exchange.reply));
}

template <class Question>
void http_door_state::ask(Question question, protocol::http_reply_ptr reply) {
  protocol::request(self_, host_, patience, question)
    .then([reply](const core::trigger_reply& told) { answer(reply, told); },
          [reply](const caf::error& problem) { refuse(reply, words_of(problem)); });
}

void http_door_state::read_log(protocol::http_exchange&& exchange) {
  const auto asked = protocol::wire::parse_log_question(exchange.request.body);
  if (!asked)
    return refuse(exchange.reply, asked.error().context);
  protocol::request(self_, host_, patience, protocol::log_query{asked->run, asked->log_time, asked->from_line, asked->bounds})
    .then([reply = exchange.reply](const core::log_lines& lines) { answer(reply, protocol::wire::encode_log_lines(lines)); },
          [reply = exchange.reply](const caf::error& problem) { refuse(reply, words_of(problem)); });
}

void http_door_state::take_run(protocol::http_exchange&& exchange) {
  auto request = protocol::wire::parse_trigger(exchange.request.body);
  if (!request)
    return refuse(exchange.reply, request.error().context);
  waiting_.push_back(std::move(*request));
  waiting_replies_.push_back(std::move(exchange.reply));
  if (!sending_)
    send_runs();
}

void http_door_state::send_runs() {
  sending_ = !waiting_.empty();
  if (!sending_)
    return;
  const auto replies = take_front(waiting_replies_, batch_max);
  protocol::request(self_, host_, patience, protocol::trigger_batch{take_front(waiting_, batch_max)})
    .then(
      [this, replies](const protocol::trigger_replies& told) {
        for (std::size_t i = 0; i < replies.size(); ++i)
          if (told.replies[i].code == 0)
            replies[i]->keep_silent();
          else
            answer(replies[i], told.replies[i]);
        send_runs();
      },
      [this, replies](const caf::error&) {
        // It is unknown whether these runs were accepted: a client without an answer asks again.
        for (const auto& reply : replies)
          reply->keep_silent();
        send_runs();
      });
}

protocol::http_handler hand_over_to(protocol::executor_door door) {
  return [door = std::move(door)](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    protocol::anon_send(door, protocol::http_exchange{std::move(request), std::move(reply)});
  };
}

} // namespace ringmaster::executor
