#include "actors/executors/native_link.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "actors/executors/native_gate.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Longest delay in noticing a deadline.
constexpr auto sweep_every = 100ms;
/// Time that another link of the executor has for the answer to a question, after its own limits.
constexpr auto answer_margin = 500ms;
constexpr auto no_other_link = "cannot reach the executor";

/// Returns the columns whose values a message to a host contains: if one is out of its range, the message cannot be sent.
template <class Message>
constexpr std::string_view columns_in(const Message&) {
  if constexpr (std::is_same_v<Message, protocol::elastic_welcome>)
    return "ej_meta.cluster_id, ej_node.num, ej_node.incarnation and ej_node.keeper_no";
  else if constexpr (std::is_same_v<Message, protocol::elastic_grants>)
    return "ej_lease.epoch, ej_node.incarnation, ej_job.version, ej_item.fence, ej_item.attempt and ej_run.id";
  else if constexpr (std::is_same_v<Message, protocol::elastic_orders>)
    return "ej_lease.epoch, ej_node.incarnation, ej_item.fence and ej_item.run";
  else if constexpr (std::is_same_v<Message, protocol::elastic_specs>)
    return "ej_job";
  else
    return "ej_node.keeper_no";
}

} // namespace

native_link_state::native_link_state(protocol::native_link::pointer self, native_link_tools tools, native_peer peer,
                                     protocol::native_links owner)
  : self_{self},
    tools_{std::move(tools)},
    peer_{std::move(peer)},
    owner_{std::move(owner)},
    hosts_{peer_.version, std::move(peer_.hosts)} {
  // Sent before anything can end the link; the message about the end comes from here, too, and after it.
  protocol::send(self_, tools_.pool, protocol::native_link_update{peer_.address, protocol::native_link{self_}, true});
  const auto key = protocol::draw_link_key();
  gate_ = self_->spawn<protocol::with_state<native_gate_state, protocol::elastic_link_gate>>(protocol::native_link{self_}, key);
  watcher_.watch(self_, gate_, [this](const caf::error&) { lose("the executor closed its gate on this node"); });
  watcher_.watch(self_, peer_.gate, [this](const caf::error& reason) { lose(protocol::end_in_words(reason)); });
  tell_peer(protocol::link_welcome{gate_, key, std::move(peer_.proof)});
}

native_link_state::~native_link_state() { caf::anon_send_exit(gate_, caf::exit_reason::user_shutdown); }

protocol::native_link::behavior_type native_link_state::make_behavior() {
  return {
    [this](protocol::send_batch& batch) { send_runs(std::move(batch)); },
    [this](const protocol::probe_request& request) { return probe(request); },
    [this](const protocol::log_request& request) { return read_log(request); },
    [this](const protocol::kill_request& request) { return kill(request); },
    [this](const protocol::registry_change& change) { learn_groups(change); },
    [](protocol::drain_inbox) {},
    [this](const protocol::link_verdicts& batch) { take(batch); },
    [this](protocol::link_answer& answer) {
      if (!breaks(protocol::breach_of(answer)))
        questions_.take(std::move(answer));
    },
    [this](protocol::link_reports& batch) { take(std::move(batch)); },
    [this](protocol::link_goodbye) {
      if (phase_ == phase::cut)
        return;
      stop_sending();
      if (hosts_.is_introduced())
        protocol::send(self_, hosts_.hosts(), protocol::host_link_lost{peer_.number, true});
      protocol::send(self_, owner_, protocol::native_link_lost{peer_.address, peer_.number, true});
    },
    [this](protocol::elastic_hello& hello) { hear(std::move(hello)); },
    [this](protocol::elastic_heartbeat& beat) { hear(std::move(beat)); },
    [this](protocol::elastic_events& batch) { hear(std::move(batch)); },
    [this](protocol::elastic_inventory& part) { hear(std::move(part)); },
    [this](protocol::link_subscription& subscription) { hosts_.extend(std::move(subscription.hosts)); },
    [this](protocol::host_message& message) { tell_host(std::move(message)); },
    [this](protocol::stop_request) { lose("this node ended it"); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- questions -------------------------------------------------------------------------------------------------------------

caf::result<protocol::probe_reply> native_link_state::probe(const protocol::probe_request& request) {
  auto topic = request.idle_beat ? protocol::link_topic::idle : protocol::link_topic::beat;
  if (core::number(request.run) > 0)
    topic = protocol::link_topic::known;
  return ask<protocol::probe_reply>(
    request, {.topic = topic, .job = request.job, .run = request.run, .log_time = core::cut_to_second(request.fire_at)});
}

caf::result<protocol::probe_reply> native_link_state::kill(const protocol::kill_request& request) {
  return ask<protocol::probe_reply>(request, {.topic = protocol::link_topic::kill, .job = request.job, .run = request.run});
}

caf::result<protocol::log_reply> native_link_state::read_log(const protocol::log_request& request) {
  return ask<protocol::log_reply>(request, {.topic = protocol::link_topic::log,
                                            .run = request.run,
                                            .log_time = core::cut_to_second(request.fire_at),
                                            .from_line = request.from_line,
                                            .bounds = request.bounds});
}

bool native_link_state::may_answer(core::group_id group, protocol::link_topic topic) const {
  return topic == protocol::link_topic::beat || peer_.admitted.serves(group);
}

template <class Reply, class Request>
caf::result<Reply> native_link_state::ask(const Request& request, protocol::link_question&& question) {
  auto promise = self_->make_response_promise<Reply>();
  // No proof exists that runs of another group were ever at this executor.
  const bool may = may_answer(request.group, question.topic);
  if (phase_ == phase::up && !may && protocol::is_native_only(peer_.address)) {
    deliver_failure(promise, "the executor is connected with the token of another group");
  } else if (phase_ != phase::up || !may) {
    ask_elsewhere(request, promise);
  } else if (questions_.is_full()) {
    deliver_failure(promise, "too many questions wait for an answer over the native link");
  } else {
    question.number = questions_.add(promise, question.topic, now() + tools_.settings.request_timeout);
    tell_peer(std::move(question));
    arm();
  }
  return promise;
}

// Asks the pool each time: the executor may have connected again. The other link may end before it has answered, and then CAF
// answers with an error: links never do, so this one delivers the answer.
template <class Reply, class Request>
void native_link_state::ask_elsewhere(const Request& request, caf::typed_response_promise<Reply> promise) {
  const auto fail = [promise](const caf::error&) mutable { deliver_failure(promise, no_other_link); };
  const auto limit = tools_.settings.connect_timeout + tools_.settings.request_timeout + answer_margin;
  protocol::request(self_, tools_.pool, tools_.settings.request_timeout,
                    protocol::link_query{peer_.address, protocol::native_link{self_}})
    .then(
      [this, request, promise, limit, fail](const protocol::link_handle& found) {
        protocol::request(self_, found.link, limit, request)
          .then([promise](Reply& reply) mutable { promise.deliver(std::move(reply)); }, fail);
      },
      fail);
}

// -- results ---------------------------------------------------------------------------------------------------------------

void native_link_state::take(protocol::link_reports&& batch) {
  if (phase_ == phase::cut || breaks(protocol::breach_of(batch)))
    return;
  if (unstored_ >= link_windows::reports) {
    std::ignore = breaks("more results than allowed without a receipt");
    return;
  }
  protocol::callback_batch results;
  results.items.reserve(batch.reports.size());
  for (auto& report : batch.reports) {
    core::callback item{.id = report.run, .code = report.code,
                        .message = report.message ? core::to_message(*report.message) : std::string{}, .spec = nullptr,
                        .log_time = core::echoed_log_time(core::to_ms(report.log_time))};
    // As over HTTP, the common token may report for every run, a group's token only for the group. Runs that were sent here may
    // be reported in any case.
    if (peer_.admitted.token != core::token_kind::common && !sent_.contains(report.run))
      item.only_of = peer_.admitted.groups;
    results.items.push_back(std::move(item));
  }
  ++unstored_;
  protocol::request(self_, tools_.completion, tools_.store_limit + 1s, std::move(results))
    .then([this, number = batch.batch](const protocol::callbacks_stored&) { acknowledge(number, true); },
          [this, number = batch.batch](const caf::error&) { acknowledge(number, false); });
}

void native_link_state::acknowledge(std::uint64_t batch, bool kept) {
  --unstored_;
  if (phase_ != phase::cut)
    tell_peer(protocol::link_receipt{batch, kept});
}

// -- elastic jobs ----------------------------------------------------------------------------------------------------------

template <class Message>
void native_link_state::hear(Message&& message) {
  if (phase_ == phase::cut || breaks(protocol::breach_of(message)) || breaks(hosts_.breach_in(message)))
    return;
  switch (hosts_.judge(message, now())) {
  case host_relay::verdict::drop: return;
  case host_relay::verdict::refuse: return refuse_host(message);
  case host_relay::verdict::pass: break;
  }
  if constexpr (std::is_same_v<std::decay_t<Message>, protocol::elastic_hello>) {
    pass_on(protocol::host_introduction{std::move(message), peer_.app_name, peer_.address, rights()});
    if (phase_ == phase::leaving) // it said goodbye before
      protocol::send(self_, hosts_.hosts(), protocol::host_link_lost{peer_.number, true});
  } else {
    pass_on(std::forward<Message>(message));
  }
}

template <class Said>
void native_link_state::pass_on(Said&& said) {
  protocol::send(self_, hosts_.hosts(),
                 protocol::host_said{peer_.number, protocol::native_link{self_}, now(), std::forward<Said>(said)});
}

template <class Message>
void native_link_state::refuse_host(const Message&) {
  if (hosts_.may_log_refusal())
    tools_.log->info("{} at {} offers to run items of elastic jobs, but this node has none", peer_.app_name, peer_.address);
  if constexpr (std::is_same_v<Message, protocol::elastic_hello>)
    tell_host({0, protocol::elastic_welcome{.verdict = protocol::elastic_verdict::unavailable,
                                            .cluster = {},
                                            .node = {},
                                            .host = {},
                                            .reason = "this node has no elastic jobs"}});
}

void native_link_state::tell_host(protocol::host_message&& message) {
  if (phase_ == phase::cut || !hosts_.speaks_elastic())
    return;
  std::visit(
    [this, life = message.life](auto& what) {
      if (const auto breach = protocol::breach_of(what); !breach.empty())
        return tools_.log->error("not sent to the host {}: {}; see {} in the database", peer_.address, breach, columns_in(what));
      // Checked last: from here on the message leaves.
      if (!host_relay::passes_gate(what, life, [this](std::int64_t in) { return tools_.gate->is_open_in(in); }))
        return;
      hosts_.leaves(what);
      what.key = peer_.gate_key;
      protocol::anon_send(caf::actor_cast<protocol::elastic_executor_gate>(peer_.gate), std::move(what));
    },
    message.what);
}

void native_link_state::learn_groups(const protocol::registry_change& change) {
  peer_.admitted.groups = groups_of(peer_.app_name, *change.view);
  if (phase_ != phase::cut && hosts_.is_introduced())
    pass_on(rights());
}

// -- the link --------------------------------------------------------------------------------------------------------------

bool native_link_state::breaks(const std::string& breach) {
  if (breach.empty())
    return false;
  lose("the executor sent " + breach);
  return true;
}

void native_link_state::stop_sending() {
  if (phase_ != phase::up)
    return;
  phase_ = phase::leaving;
  protocol::send(self_, tools_.pool, protocol::native_link_update{peer_.address, protocol::native_link{self_}, false});
  return_runs(runs_of(std::exchange(waiting_, {}))); // after the update: the pool sends them over another link
}

void native_link_state::lose(const std::string& why) {
  if (phase_ == phase::cut)
    return;
  if (phase_ == phase::up)
    tools_.log->warn("the native link of {} at {} was cut: {}", peer_.app_name, peer_.address, why);
  else // the executor has said goodbye
    tools_.log->info("the native link of {} at {} has ended", peer_.app_name, peer_.address);
  stop_sending();
  phase_ = phase::cut;
  caf::anon_send_exit(gate_, caf::exit_reason::user_shutdown);
  peer_.gate = nullptr;
  give_up_runs("the native link was cut: " + why);
  questions_.give_up("the native link was cut: " + why);
  if (hosts_.is_introduced())
    protocol::send(self_, hosts_.hosts(), protocol::host_link_lost{peer_.number, false});
  protocol::send(self_, owner_, protocol::native_link_lost{peer_.address, peer_.number, false});
  owner_ = nullptr;
}

void native_link_state::sweep() {
  sweep_runs();
  questions_.give_up_late(now());
  if (const auto oldest = flights_.oldest(); oldest && *oldest + 2 * tools_.settings.request_timeout <= now())
    lose("the executor does not answer");
}

void native_link_state::tick() {
  if (armed_ && *armed_ <= now())
    armed_.reset();
  sweep();
  pump();
  arm();
}

void native_link_state::arm() {
  std::optional<steady> wake;
  if (!flights_.empty() || !questions_.empty() || !waiting_.empty())
    wake = now() + sweep_every;
  if (!waiting_.empty() && !full_)
    wake = std::min(*wake, std::max(waiting_.begin()->first, now()));
  if (!wake || (armed_ && *armed_ <= *wake))
    return;
  armed_ = wake;
  protocol::send_at(self_, protocol::native_link{self_}, *wake, protocol::tick_atom{});
}

} // namespace ringmaster::actors
