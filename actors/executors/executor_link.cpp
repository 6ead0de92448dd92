#include "actors/executors/executor_link.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/address_key.hpp"

namespace ringmaster::actors {

namespace {

/// Error of a node that has just started: without its groups it cannot know which token to show.
constexpr auto groups_unknown = "this node does not know its groups yet";

/// A streamed log has no limit here: its receiver has one for the log itself.
constexpr std::size_t streamed_bytes_max = std::numeric_limits<std::size_t>::max();

} // namespace

executor_link_state::executor_link_state(protocol::executor_link::pointer self, link_tools tools, std::string address,
                                         std::shared_ptr<const protocol::registry_view> registry)
  : self_{self},
    tools_{std::move(tools)},
    registered_{std::move(address)},
    address_{protocol::split_address(registered_)},
    place_{protocol::address_key(registered_)},
    common_{tools_.tokens.get()} {
  know(std::move(registry));
}

protocol::executor_link::behavior_type executor_link_state::make_behavior() {
  return {
    [this](protocol::send_batch& batch) { send_runs(std::move(batch)); },
    [this](const protocol::probe_request& request) { return probe(request); },
    [this](const protocol::log_request& request) { return read_log(request); },
    [this](const protocol::kill_request& request) { return kill(request); },
    [this](const protocol::registry_change& change) { know(change.view); },
    [this](protocol::drain_inbox) { drain(); },
  };
}

// Keeps the facts that were learnt about the executor's family.
void executor_link_state::know(std::shared_ptr<const protocol::registry_view> registry) {
  registry_ = std::move(registry);
  forget_tokens();
}

void executor_link_state::forget_tokens() {
  manners_.clear();
  for (auto& [app_name, facts] : learnt_)
    facts.token.reset();
}

void executor_link_state::look_at_tokens() {
  auto now = tools_.tokens.get();
  if (now == common_)
    return;
  common_ = std::move(now);
  forget_tokens();
}

void executor_link_state::send_runs(protocol::send_batch&& batch) {
  std::vector<protocol::http_call> calls;
  calls.reserve(batch.runs.size());
  std::vector<shown_tokens> tokens;
  tokens.reserve(batch.runs.size());
  for (const auto& run : batch.runs) {
    calls.push_back(run_call(run));
    tokens.push_back({manner_for(run.plan.spec->group).token_kind});
  }
  post(std::move(calls), std::make_shared<run_flight>(
                           run_flight{std::move(batch.runs), std::move(batch.listener), false, std::move(tokens)}));
}

caf::result<protocol::probe_reply> executor_link_state::probe(const protocol::probe_request& request) {
  auto promise = self_->make_response_promise<protocol::probe_reply>();
  if (!knows_groups()) {
    promise.deliver(protocol::probe_reply{0, groups_unknown});
    return promise;
  }
  auto body = request.idle_beat ? protocol::wire::encode_idle_beat(request.job) : protocol::wire::encode_beat();
  put(std::make_shared<probe_flight>(
    probe_flight{promise, {request.group, request.idle_beat ? "/idleBeat" : "/beat", std::move(body), reply_max()}}));
  return promise;
}

caf::result<protocol::log_reply> executor_link_state::read_log(const protocol::log_request& request) {
  auto promise = self_->make_response_promise<protocol::log_reply>();
  if (!knows_groups()) {
    promise.deliver(protocol::log_reply{.error = groups_unknown});
    return promise;
  }
  auto body = protocol::wire::encode_log(request.run, request.fire_at, request.from_line, request.bounds);
  const auto bytes_max = request.sink ? streamed_bytes_max : tools_.settings.log_bytes_max;
  put(std::make_shared<log_flight>(
    log_flight{promise, {request.group, "/log", std::move(body), bytes_max, {}, request.sink}, request.from_line}));
  return promise;
}

caf::result<protocol::probe_reply> executor_link_state::kill(const protocol::kill_request& request) {
  auto promise = self_->make_response_promise<protocol::probe_reply>();
  if (!knows_groups()) {
    promise.deliver(protocol::probe_reply{0, groups_unknown});
    return promise;
  }
  put(std::make_shared<probe_flight>(
    probe_flight{promise, {request.group, "/kill", protocol::wire::encode_kill(request.job, request.run), reply_max()}, true}));
  return promise;
}

template <class Flight>
void executor_link_state::put(std::shared_ptr<Flight> of) {
  auto& asked = of->asked;
  asked.tokens.now = manner_for(asked.group).token_kind;
  std::vector<protocol::http_call> calls;
  calls.push_back(call(asked.group, asked.path, asked.body));
  calls.back().reply_bytes_max = asked.reply_bytes_max;
  if (asked.sink) {
    calls.back().sink = asked.sink;
    calls.back().request_timeout = std::max<std::chrono::milliseconds>(calls.back().request_timeout, protocol::log_pause_limit);
    calls.back().stream_timeout = protocol::log_stream_limit;
  }
  post(std::move(calls), std::move(of));
}

template <class Flight>
bool executor_link_state::put_with_another_token(const std::shared_ptr<Flight>& of, const protocol::http_result& result) {
  if (result.state != protocol::delivery::answered
      || !protocol::wire::parse_reply(result.status, result.body, core::log_id{0}).refuses_token
      || !switch_token(of->asked.group, of->asked.tokens))
    return false;
  put(of);
  return true;
}

protocol::http_call executor_link_state::call(core::group_id group, std::string_view path, std::string body) {
  protocol::http_call made;
  made.origin = address_.origin;
  made.target = address_.prefix;
  made.target += path;
  const auto& manner = manner_for(group);
  if (manner.token && !manner.token->empty())
    made.headers.emplace_back("XXL-JOB-ACCESS-TOKEN", *manner.token);
  if (manner.group && !manner.group->app_name.empty()) // only family E requires it; the others ignore the header (XXL S8)
    made.headers.emplace_back("XXL-JOB-APPNAME", manner.group->app_name);
  made.body = std::move(body);
  made.connect_timeout = tools_.settings.connect_timeout;
  made.request_timeout = tools_.settings.request_timeout;
  made.reply_bytes_max = tools_.settings.reply_bytes_max;
  return made;
}

protocol::http_call executor_link_state::run_call(const core::claimed_run& run) {
  const auto group = run.plan.spec->group;
  auto made = call(group, manner_for(group).trigger_path ? "/trigger" : "/run", protocol::wire::encode_run(run));
  made.gate = tools_.gate;
  made.incarnation = run.incarnation;
  made.not_before = run.leave_at;
  return made;
}

void executor_link_state::post(std::vector<protocol::http_call>&& calls, flight of) {
  tools_.client->post(std::move(calls), [box = inbox_, link = protocol::executor_link{self_}, of = std::move(of)](
                                          std::size_t index, protocol::http_result&& result) {
    std::unique_lock guard{box->mutex};
    box->answers.push_back({of, index, std::move(result)});
    if (std::exchange(box->woken, true))
      return;
    guard.unlock();
    protocol::anon_send(link, protocol::drain_inbox{});
  });
}

namespace {

struct grouped_results {
  std::vector<std::pair<protocol::send_listener, std::vector<protocol::send_result>>> groups;

  std::vector<protocol::send_result>& of(const protocol::send_listener& listener) {
    for (auto& [known, results] : groups)
      if (known == listener)
        return results;
    return groups.emplace_back(listener, std::vector<protocol::send_result>{}).second;
  }
};

protocol::probe_reply to_probe_reply(protocol::http_result&& result, bool of_kill) {
  if (result.state != protocol::delivery::answered)
    return {0, std::move(result.error)};
  auto parsed = protocol::wire::parse_reply(result.status, result.body, core::log_id{0});
  // Families C to E put the reason next to a message that says nothing.
  const bool empty_word = parsed.msg.empty() || parsed.msg == "Success";
  // A proxy's answer says nothing about the executor.
  const bool is_own = parsed.origin == protocol::wire::reply_origin::executor;
  return {is_own ? parsed.code : 0, std::move(of_kill && empty_word && !parsed.payload.empty() ? parsed.payload : parsed.msg)};
}

} // namespace

void executor_link_state::drain() {
  std::vector<answer> answers;
  {
    std::lock_guard guard{inbox_->mutex};
    answers.swap(inbox_->answers);
    inbox_->woken = false;
  }
  grouped_results grouped;
  for (auto& one : answers) {
    if (auto* runs = std::get_if<std::shared_ptr<run_flight>>(&one.of)) {
      answered(**runs, one.index, std::move(one.result), grouped.of((*runs)->listener));
    } else if (auto* probed = std::get_if<std::shared_ptr<probe_flight>>(&one.of)) {
      if (put_with_another_token(*probed, one.result))
        continue;
      (*probed)->promise.deliver(to_probe_reply(std::move(one.result), (*probed)->kill));
    } else if (auto* log = std::get_if<std::shared_ptr<log_flight>>(&one.of)) {
      if (put_with_another_token(*log, one.result))
        continue;
      protocol::log_reply reply{.error = std::move(one.result.error), .too_long = one.result.too_large};
      if (reply.too_long && !(*log)->asked.sink)
        reply.error += " (trigger.log_bytes_max)";
      if (one.result.streamed) {
        reply.answered = reply.streamed = true;
        reply.status = one.result.status;
      } else if (one.result.state == protocol::delivery::answered) {
        if (auto chunk = protocol::wire::parse_log_reply(one.result.status, one.result.body, (*log)->from_line))
          reply = {true, chunk->to_line, std::move(chunk->content), {}, chunk->from_line, chunk->end,
                   false, false, 0, chunk->size};
        else
          reply.error = std::move(chunk.error().context);
      }
      (*log)->promise.deliver(std::move(reply));
    }
  }
  for (auto& [listener, results] : grouped.groups)
    if (!results.empty())
      protocol::send(self_, listener, protocol::send_results{std::move(results)});
}

void executor_link_state::answered(run_flight& of, std::size_t index, protocol::http_result&& result,
                                   std::vector<protocol::send_result>& results) {
  auto& run = of.runs[index];
  protocol::send_result told{.run = {}, .state = protocol::send_state::unknown, .code = 0, .message = std::move(result.error),
                             .elapsed = result.elapsed, .sent_at = result.sent_at, .unreachable = result.unreachable};
  switch (result.state) {
  case protocol::delivery::answered: {
    auto reply = protocol::wire::parse_reply(result.status, result.body, run.id);
    // Nothing was executed, so the same body may be sent once more, to the path that this family requires.
    if ((reply.wants_trigger_path || reply.wants_run_path) && !of.path_changed) {
      learn_path(run.plan.spec->group, reply.wants_trigger_path);
      repeat(of, index, true, of.tokens[index]);
      return;
    }
    if (auto tokens = of.tokens[index]; reply.refuses_token && switch_token(run.plan.spec->group, tokens)) {
      repeat(of, index, of.path_changed, tokens);
      return;
    }
    told.repeated = reply.repeated_log_id;
    // This node and its connections never repeat `/run`. A "repeat" for a first sending means another run with this id, or that a
    // proxy repeated it. Recovery asks the executor what it has.
    const bool is_unexpected = told.repeated && run.attempt == 0;
    const bool proves_nothing = reply.origin == protocol::wire::reply_origin::unknown || is_unexpected;
    told.state = proves_nothing ? protocol::send_state::unknown : protocol::send_state::answered;
    told.code = proves_nothing ? 0 : reply.accepted() ? 200 : reply.code;
    told.message = is_unexpected ? protocol::wire::unexpected_repeat(reply.msg) : std::move(reply.msg);
    break;
  }
  case protocol::delivery::not_sent: told.state = protocol::send_state::not_sent; break;
  case protocol::delivery::gate_closed: told.state = protocol::send_state::gate_closed; break;
  case protocol::delivery::unknown: break;
  }
  told.run = std::move(run);
  results.push_back(std::move(told));
}

void executor_link_state::repeat(const run_flight& of, std::size_t index, bool path_changed, shown_tokens tokens) {
  std::vector<protocol::http_call> calls;
  calls.push_back(run_call(of.runs[index]));
  tokens.now = manner_for(of.runs[index].plan.spec->group).token_kind;
  post(std::move(calls), std::make_shared<run_flight>(run_flight{{of.runs[index]}, of.listener, path_changed, {tokens}}));
}

} // namespace ringmaster::actors
