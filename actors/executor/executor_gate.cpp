#include "actors/executor/executor_gate.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

constexpr auto too_many = "too many runs and requests are pending";
/// Longest text for the runs of a batch; each run gets a copy.
constexpr std::size_t unknown_bytes_max = 1024;

core::trigger_reply to_reply(const caf::error& reason) { return {500, "executor: " + protocol::to_core(reason).context}; }

} // namespace

executor_gate_state::executor_gate_state(protocol::executor_link_end::pointer self, protocol::link_dialer dialer,
                                         std::uint64_t attempt, link_introduction introduction, protocol::executor_host host,
                                         std::chrono::milliseconds limit)
  : self_{self},
    dialer_{std::move(dialer)},
    attempt_{attempt},
    introduction_{std::move(introduction)},
    host_{std::move(host)},
    limit_{limit} {
  self_->set_default_handler(caf::drop);
}

protocol::executor_link_end::behavior_type executor_gate_state::make_behavior() {
  return {
    [this](const protocol::link_challenge& challenge) { prove(challenge); },
    [this](const protocol::link_welcome& welcome) { believe(welcome); },
    [this](const protocol::link_refusal& refusal) {
      if (is_from_node(refusal) && admits(refusal))
        tell_dialer(refusal);
    },
    [this](protocol::link_runs& batch) { trigger(std::move(batch)); },
    [this](const protocol::link_question& question) { answer(question); },
    [this](const protocol::link_receipt& receipt) {
      if (is_from_node(receipt))
        tell_dialer(receipt);
    },
    [this](protocol::elastic_welcome& welcome) { pass_on(std::move(welcome)); },
    [this](protocol::elastic_ack& ack) { pass_on(std::move(ack)); },
    [this](protocol::elastic_specs& batch) { pass_on(std::move(batch)); },
    [this](protocol::elastic_grants& grants) { pass_on(std::move(grants)); },
    [this](protocol::elastic_orders& orders) { pass_on(std::move(orders)); },
    [this](protocol::elastic_receipt& receipt) { pass_on(std::move(receipt)); },
    [this](protocol::node_message& message) { tell_node(std::move(message)); },
  };
}

std::string executor_gate_state::proof_of(protocol::link_end end) const {
  const auto& mine = introduction_;
  return mine.ports->seal(mine.door->node(), mine.token, protocol::proof_text(end, mine.hello, *challenge_));
}

// Gives one proof per connection, so that an impostor cannot collect proofs.
void executor_gate_state::prove(const protocol::link_challenge& challenge) {
  if (challenge_ || !is_from_node(challenge))
    return;
  challenge_ = challenge.nonce;
  protocol::anon_send(introduction_.door, protocol::link_proof{challenge.nonce, proof_of(protocol::link_end::executor)});
}

void executor_gate_state::believe(const protocol::link_welcome& welcome) {
  if (node_ || !is_from_node(welcome))
    return;
  const auto expected = challenge_ ? proof_of(protocol::link_end::node) : std::string{};
  if (expected.empty() || !core::equal_in_constant_time(welcome.proof, expected))
    return tell_dialer(core::error{core::errc::forbidden, "the peer did not prove that it knows the access token"});
  node_ = welcome.gate;
  node_key_ = welcome.gate_key;
  tell_dialer(welcome);
}

template <class Said>
void executor_gate_state::tell_dialer(Said&& said) {
  protocol::send(self_, dialer_, protocol::link_heard{attempt_, std::forward<Said>(said)});
}

template <class Message>
void executor_gate_state::tell_node(Message&& message) {
  message.key = node_key_;
  protocol::anon_send(node_, std::forward<Message>(message));
}

template <class Message>
bool executor_gate_state::admits(const Message& message) {
  if (protocol::breach_of(message).empty())
    return true;
  self_->quit(caf::sec::invalid_argument);
  return false;
}

void executor_gate_state::trigger(protocol::link_runs&& batch) {
  if (!node_ || !is_from_node(batch) || !admits(batch))
    return;
  const auto number = batch.batch;
  const auto count = batch.runs.size();
  if (pending_ >= pending_max)
    return say_unknown(number, count, too_many);
  ++pending_;
  protocol::request(self_, host_, limit_, protocol::trigger_batch{std::move(batch.runs)})
    .then(
      [this, number, count](protocol::trigger_replies& told) {
        --pending_;
        if (told.replies.size() == count)
          tell_node(protocol::link_verdicts{number, std::move(told.replies)});
        else
          say_unknown(number, count, "the executor gave an incomplete answer");
      },
      [this, number, count](const caf::error& reason) {
        --pending_;
        say_unknown(number, count, protocol::to_core(reason).context);
      });
}

// Answers that all runs of the batch are unknown. The node asks about these runs later.
void executor_gate_state::say_unknown(std::uint64_t batch, std::size_t count, const std::string& why) {
  const core::trigger_reply unknown{0, std::string{core::cut_bytes("executor: " + why, unknown_bytes_max)}};
  tell_node(protocol::link_verdicts{batch, std::vector(count, unknown)});
}

void executor_gate_state::answer(const protocol::link_question& question) {
  if (!node_ || !is_from_node(question) || !admits(question))
    return;
  if (pending_ >= pending_max)
    return say({question.number, {0, too_many}});
  switch (question.topic) {
  case protocol::link_topic::beat: return say({question.number, {}});
  case protocol::link_topic::idle: return ask_host<core::trigger_reply>(question, protocol::idle_query{question.job});
  case protocol::link_topic::kill:
    return ask_host<core::trigger_reply>(question, protocol::kill_job{question.job, question.run});
  case protocol::link_topic::known:
    return ask_host<core::trigger_reply>(question, protocol::taken_query{question.run, question.log_time, question.job});
  case protocol::link_topic::log:
    return ask_host<core::log_lines>(
      question, protocol::log_query{question.run, question.log_time, question.from_line, question.bounds});
  }
}

template <class Reply, class Request>
void executor_gate_state::ask_host(const protocol::link_question& question, Request&& request) {
  ++pending_;
  protocol::request(self_, host_, limit_, std::forward<Request>(request))
    .then(
      [this, number = question.number](Reply& reply) {
        --pending_;
        protocol::link_answer told{number, {}};
        if constexpr (std::is_same_v<Reply, core::log_lines>) {
          cut_lines(reply, protocol::link_limits::bytes_max);
          told.lines = std::move(reply);
        } else {
          told.reply = std::move(reply);
        }
        say(std::move(told));
      },
      [this, number = question.number](const caf::error& reason) {
        --pending_;
        say({number, to_reply(reason)});
      });
}

void executor_gate_state::say(protocol::link_answer&& answer) {
  answer.reply.message.resize(core::cut_bytes(answer.reply.message, protocol::link_limits::message_bytes_max).size());
  tell_node(std::move(answer));
}

// -- elastic jobs ----------------------------------------------------------------------------------------------------------

bool executor_gate_state::speaks_elastic() const noexcept {
  return introduction_.hello.version >= protocol::elastic_link_version;
}

template <class Message>
void executor_gate_state::pass_on(Message&& message) {
  if (!node_ || !is_from_node(message) || !admits(message))
    return;
  if (!speaks_elastic())
    return self_->quit(caf::sec::invalid_argument); // no node sends it over a link of an earlier version
  if (introduction_.elastic)
    protocol::send(self_, introduction_.elastic,
                   protocol::node_said{attempt_, self_->clock().now(), std::forward<Message>(message)});
  else if (!std::exchange(logged_, true))
    introduction_.log->warn("a node sent a message of elastic jobs, which this executor does not run");
}

// elastic_host keeps to the limits of messages; the node would cut the link.
void executor_gate_state::tell_node(protocol::node_message&& message) {
  if (!node_ || !speaks_elastic())
    return;
  std::visit(
    [this](auto& what) {
      if (const auto breach = protocol::breach_of(what); !breach.empty())
        return introduction_.log->error("not sent to the node: {}", breach);
      what.key = node_key_;
      protocol::anon_send(caf::actor_cast<protocol::elastic_link_gate>(node_), std::move(what));
    },
    message.what);
}

void cut_lines(core::log_lines& lines, std::size_t bytes) {
  if (lines.text.size() <= bytes)
    return;
  auto kept = core::cut_bytes(lines.text, bytes);
  if (const auto end = kept.rfind('\n'); end != std::string_view::npos)
    kept = kept.substr(0, end + 1);
  const auto whole = std::count(kept.begin(), kept.end(), '\n');
  lines.to_line = lines.from_line + static_cast<std::int32_t>(std::max<std::ptrdiff_t>(whole, 1)) - 1;
  lines.ended = false;
  lines.text.resize(kept.size());
}

} // namespace ringmaster::actors
